"""Task snapshots with their sections, and the decisions they hold."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

from memoryhub.formats.alignment import Key, key_of
from memoryhub.formats.clock import heading_time
from memoryhub.formats.decision_text import DecisionText, parse_decision
from memoryhub.formats.session_transcript import SessionTranscript
from memoryhub.formats.task_snapshot import TaskSnapshot, find_snapshots
from memoryhub.timeline.importers import Happening, add_event
from memoryhub.workspaces.changes import Change
from memoryhub.workspaces.spans import Matched, Said, fold_keyed
from snapshots.importers.telling import Telling, When, Whose
from snapshots.models import Snapshot, SnapshotSection
from topics.importers.decisions import Mention
from topics.models import Precision, Topic


class SnapshotTaker:
    """Takes the snapshots of revisions; names those that copy another."""

    def __init__(self, *, empty: bool) -> None:
        self._seen: dict[int, int] = {}
        self._empty = empty

    def take(self, change: Change, telling: Telling) -> list[Mention]:
        """Take the snapshots a revision says; return the decisions in them."""
        blocks = snapshots_in(change)
        if not blocks and change.fresh:
            return []
        said, mentions, used = [], [], dict[tuple[object, ...], int]()
        for block in blocks:
            name = (block.snapshot_id, block.timestamp)
            used[name] = used.get(name, 0) + 1
            row_id = change.row_id(Snapshot, change.origin, *name, used[name])
            when, whose = _when(block, telling), _whose(change, block, telling)
            said.append((row_id, self._said(change, block, row_id, when, whose)))
            mentions += _mentions(block, when, whose)
        for block, matched in zip(
            blocks, fold_keyed(Snapshot, change, said).said, strict=True
        ):
            if matched.verb != "kept":
                _write_sections(change, block, matched.row_id)
                _tell(change, matched)
        return mentions

    def _said(
        self,
        change: Change,
        block: TaskSnapshot,
        row_id: int,
        when: When,
        whose: Whose,
    ) -> Said:
        key = key_of(block.block, "")
        steps = block.next_steps
        return Said(
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
                "copy_of_id": self._original(change, block, key, row_id),
                **when.columns,
                **whose.columns,
            },
        )

    def _original(
        self, change: Change, block: TaskSnapshot, key: Key, row_id: int
    ) -> int | None:
        """Return the snapshot that said the very same before, in another file."""
        if key.text not in self._seen:
            stored = None if self._empty else _stored_original(change, block, key)
            self._seen[key.text] = stored or row_id
        original = self._seen[key.text]
        return None if original == row_id else original


def _stored_original(change: Change, block: TaskSnapshot, key: Key) -> int | None:
    return (
        Snapshot.objects.filter(
            workspace_id=change.workspace.id,
            snapshot_id=block.snapshot_id[:60],
            text_key=key.text,
            copy_of_id__isnull=True,
        )
        .order_by("first_seq")
        .values_list("id", flat=True)
        .first()
    )


def snapshots_in(change: Change) -> tuple[TaskSnapshot, ...]:
    """Return the snapshots in any dialect; transcripts only quote them."""
    document = change.document
    if document is None or isinstance(document, SessionTranscript):
        return ()
    found = getattr(document, "snapshots", None)
    return find_snapshots(change.text) if found is None else found


def _when(block: TaskSnapshot, telling: Telling) -> When:
    if block.timestamp is not None:
        return telling.at(block.timestamp)
    clock = heading_time(block.clock or "")
    return telling.when(clock)


def _whose(change: Change, block: TaskSnapshot, telling: Telling) -> Whose:
    topic_id = change.row_id(Topic, block.topic) if block.topic else None
    keys = getattr(change.document, "session_keys", ())
    return telling.whose(keys, agent=block.agent, topic_id=topic_id)


def _mentions(block: TaskSnapshot, when: When, whose: Whose) -> list[Mention]:
    return [
        Mention(
            _decision(choice.text, choice.reason),
            choice.lines,
            whose.topic.id,
            whose.agent.id,
            when.at,
            when.precision,
        )
        for choice in block.decisions
    ]


def _decision(text: str, reason: str) -> DecisionText:
    parsed = parse_decision(text)
    return parsed if parsed.reason else replace(parsed, reason=reason)


def _write_sections(change: Change, block: TaskSnapshot, snapshot_id: int) -> None:
    if not change.fresh:
        SnapshotSection.objects.filter(snapshot_id=snapshot_id).delete()
    for position, section in enumerate(block.sections):
        change.rows.insert(
            SnapshotSection,
            id=change.row_id(SnapshotSection, snapshot_id, position),
            workspace_id=change.workspace.id,
            snapshot_id=snapshot_id,
            position=position,
            title=section.title[:200],
            known=section.known,
            body=section.body,
            body_sha=sha256(section.body.strip().encode()).hexdigest()[:16],
            first_line=section.lines.first,
            last_line=section.lines.last,
        )


def _tell(change: Change, matched: Matched) -> None:
    values = matched.said.values
    is_new = matched.verb == "added"
    happening = Happening(
        "snapshot",
        matched.verb,
        values["goal"] or values["snapshot_id"],
        matched.row_id,
        at=values["occurred_at"] if is_new else None,
        precision=values["precision"] if is_new else Precision.NONE.value,
        agent_id=values["agent_id"],
        topic_id=values["topic_id"],
        line=matched.said.lines.first,
        data={
            "id": values["snapshot_id"],
            "phase": values["phase"],
            "percent": values["percent"],
            "blocked": values["blocked"],
        },
    )
    add_event(change, happening)
