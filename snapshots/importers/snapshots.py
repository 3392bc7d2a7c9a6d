"""Importer of task snapshots with their sections, and of the decisions in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256

from memoryhub.dialects.decision_log import DecisionText, parse_decision
from memoryhub.dialects.session_transcript import SessionTranscript
from memoryhub.dialects.task_snapshot import TaskSnapshot, find_snapshots
from memoryhub.formats.text.alignment import Key, key_of
from memoryhub.formats.text.dates import heading_time
from memoryhub.journal.changes import Change
from memoryhub.journal.lifetimes import Fact, Matched, fold_keyed
from snapshots.importers.provenance import Owners, Provenance, Timestamp, add_row_event
from snapshots.models import Snapshot, SnapshotSection
from topics.importers.decisions import Mention
from topics.models import Topic

#: A snapshot by its id and text: the text alone has no index.
_Name = tuple[str, int]
#: Databases take only so many values in one statement.
_AT_ONCE = 400


class SnapshotTaker:
    """Imports the snapshots of revisions, and marks copies of others."""

    def __init__(self, *, empty: bool) -> None:
        self._originals = _Originals(empty=empty)

    def take(self, change: Change, provenance: Provenance) -> list[Mention]:
        """Import the snapshots of a revision; return the decisions in them."""
        blocks = snapshots_in(change)
        if not blocks and change.fresh:
            return []
        facts, mentions, used = [], [], dict[tuple[object, ...], int]()
        first: dict[_Name, int] = {}
        keys = [key_of(block.block, "") for block in blocks]
        self._originals.look_up(change, map(_name, blocks, keys))
        for block, key in zip(blocks, keys, strict=True):
            name = (block.snapshot_id, block.timestamp)
            used[name] = used.get(name, 0) + 1
            row_id = change.row_id(Snapshot, change.origin, *name, used[name])
            when = time_of_block(block, provenance)
            owners = owners_of_block(change, block, provenance)
            original = self._original(_name(block, key), row_id, first)
            facts.append((row_id, _fact(block, key, original, when, owners)))
            mentions += [
                Mention(
                    _decision(choice.text, choice.reason),
                    choice.lines,
                    owners.topic.id,
                    owners.agent.id,
                    when.at,
                    when.precision,
                )
                for choice in block.decisions
            ]
        folded = fold_keyed(Snapshot, change, facts).matched
        for block, matched in zip(blocks, folded, strict=True):
            if matched.verb != "kept":
                if not change.fresh:
                    SnapshotSection.objects.filter(snapshot_id=matched.row_id).delete()
                for position, section in enumerate(block.sections):
                    change.rows.insert(
                        SnapshotSection,
                        id=change.row_id(SnapshotSection, matched.row_id, position),
                        workspace_id=change.workspace.id,
                        snapshot_id=matched.row_id,
                        position=position,
                        title=section.title[:200],
                        known=section.known,
                        body=section.body,
                        body_sha=sha256(section.body.strip().encode()).hexdigest()[:16],
                        first_line=section.lines.first,
                        last_line=section.lines.last,
                    )
                values = matched.fact.values
                data = {"id": values["snapshot_id"]}
                data |= {name: values[name] for name in ("phase", "percent", "blocked")}
                title = values["goal"] or values["snapshot_id"]
                add_row_event(change, matched, "snapshot", title, data=data)
        self._originals.note(change, blocks, folded)
        return mentions

    def _original(
        self, name: _Name, row_id: int, first: dict[_Name, int]
    ) -> int | None:
        """Return the earlier snapshot with exactly this content, also in this file."""
        found = self._originals.of(name) or first.get(name, row_id)
        first.setdefault(name, found)
        return None if found == row_id else found


class _Originals:
    """The first snapshot of each text, among current and former ones.

    The cache always equals the database's answer, so that a replay in one go marks the
    same copies as one import after the other.
    """

    def __init__(self, *, empty: bool) -> None:
        self._rows: dict[_Name, int] = {}
        self._names: dict[int, _Name] = {}
        self._empty = empty

    def look_up(self, change: Change, names: Iterable[_Name]) -> None:
        """Load the original rows with these names."""
        if self._empty:
            return
        unknown = [name for name in names if name not in self._rows]
        for name, row_id in _stored_originals(change, unknown).items():
            self._keep(name, row_id)

    def of(self, name: _Name) -> int | None:
        """Return the original row of this name; None without one."""
        return self._rows.get(name)

    def note(
        self, change: Change, blocks: Sequence[TaskSnapshot], folded: Sequence[Matched]
    ) -> None:
        """Add the snapshots written by a revision."""
        written = [
            pair for pair in zip(blocks, folded, strict=True) if pair[1].verb != "kept"
        ]
        for _, matched in written:
            before = self._names.pop(matched.row_id, None)
            if before is not None:
                del self._rows[before]
        for block, matched in written:
            if matched.fact.values["copy_of_id"] is None:
                self._keep(_name(block, matched.fact.key), matched.row_id)
        if written and not change.fresh and not self._empty:
            change.rows.flush()

    def _keep(self, name: _Name, row_id: int) -> None:
        self._rows[name] = row_id
        self._names[row_id] = name


def _name(block: TaskSnapshot, key: Key) -> _Name:
    return block.snapshot_id[:60], key.text


def _stored_originals(change: Change, names: Sequence[_Name]) -> dict[_Name, int]:
    """Return the first row of each name that is no copy."""
    found: dict[_Name, int] = {}
    for start in range(0, len(names), _AT_ONCE):
        ids, keys = zip(*names[start : start + _AT_ONCE], strict=True)
        rows = Snapshot.objects.filter(
            workspace_id=change.workspace.id,
            snapshot_id__in=set(ids),
            text_key__in=set(keys),
            copy_of_id__isnull=True,
        ).order_by("first_seq", "position")
        for row_id, snapshot_id, key in rows.values_list(
            "id", "snapshot_id", "text_key"
        ):
            found.setdefault((snapshot_id, key), row_id)
    return {name: found[name] for name in names if name in found}


def _fact(
    block: TaskSnapshot, key: Key, original: int | None, when: Timestamp, owners: Owners
) -> Fact:
    steps = block.next_steps
    return Fact(
        key,
        block.lines,
        {
            "snapshot_id": block.snapshot_id[:60],
            "goal": block.goal,
            "phase": block.phase[:60],
            "branch": block.branch[:200],
            "blocked": block.blocked,
            "blocked_by": block.blocked_by,
            "progress": block.progress,
            "percent": block.percent,
            "next_step": steps[0].text if steps else "",
            "terminated": block.terminated,
            "copy_of_id": original,
            **when.columns,
            **owners.columns,
        },
    )


def snapshots_in(change: Change) -> tuple[TaskSnapshot, ...]:
    """Return the snapshots in any dialect; transcripts only quote them."""
    document = change.document
    if document is None or isinstance(document, SessionTranscript):
        return ()
    found = getattr(document, "snapshots", None)
    return find_snapshots(change.text) if found is None else found


def time_of_block(block: TaskSnapshot, provenance: Provenance) -> Timestamp:
    """Return the time of a snapshot: its comment's, else that of its heading."""
    if block.timestamp is not None:
        return provenance.past(provenance.at(block.timestamp))
    return provenance.past(provenance.when(heading_time(block.clock or "")))


def owners_of_block(
    change: Change, block: TaskSnapshot, provenance: Provenance
) -> Owners:
    """Return the agent and topic of a snapshot."""
    topic_id = change.row_id(Topic, block.topic) if block.topic else None
    keys = getattr(change.document, "session_keys", ())
    return provenance.owners(keys, agent=block.agent, topic_id=topic_id)


def _decision(text: str, reason: str) -> DecisionText:
    parsed = parse_decision(text)
    return parsed if parsed.reason else replace(parsed, reason=reason)
