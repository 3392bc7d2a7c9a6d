"""Importer of decisions: the same one in several files is one row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from memoryhub.dialects import facts
from memoryhub.events.importers import add_event, give_decision_events
from memoryhub.formats.base import Lines
from memoryhub.journal.changes import Change, WorkspaceFacts
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.fold import fold_sources
from memoryhub.journal.grades import Grade, grade_columns
from memoryhub.journal.importing import Importer, Session
from memoryhub.journal.models import Source
from memoryhub.journal.rows import Entities, Row, Rows
from topics.models import NAMED, Decision

#: A decision at one place, with the columns of the owners and the time of that place.
Mention = tuple[facts.Decision, Row]
_OF_NOBODY: Row = {
    "topic_id": None,
    "agent_id": None,
    "occurred_at": None,
    "precision": Precision.NONE.value,
}


def _without_mark(said: facts.DecisionText) -> facts.DecisionText:
    """Return a decision with the mark of exports before a superseded one read."""
    head, colon, text = said.text.partition(":")
    if not colon or head.casefold() != Decision.State.SUPERSEDED:
        return said
    return replace(said, text=text.strip(), lapsed=head.casefold())


def not_above(change: Change, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Drop the decisions that an unread earlier part of a log states already."""
    if change.since == 1:
        yield from mentions
        return
    rows = Source.objects.filter(
        file_id=change.file_id,
        last_seq=None,
        first_line__lt=change.since,
        target_kind=Source.Target.DECISION,
    )
    above = {*rows.values_list("target_id", flat=True)} if mentions else set()
    for mention in mentions:
        marked = _without_mark(mention[0].said).text
        if _id_of(change.workspace.uuid, marked) not in above:
            yield mention


#: Columns that the first line stating a decision gives.
_OF_STATEMENT = ("is_stated", "reason", "decided_on", "occurred_at", "precision")
#: Columns of a decision that its events have too.
_OF_EVENTS = ("agent_id", "topic_id", "occurred_at", "precision")


#: Finds the sign-offs of a workspace's decisions, by its id and their texts by id, as
#: columns: those that a handoff requests have no time yet.
SignOffs = Callable[[int, Mapping[int, str]], Mapping[int, Row]]


class DecisionImporter(Importer):
    """Maintains the decisions of a workspace and their sources in files."""

    def __init__(self, session: Session) -> None:
        self._workspace = session.workspace
        self._entities = Entities(Decision, self._workspace.id, empty=session.empty)
        self._superseded: set[int] | None = set() if session.empty else None
        #: Decisions that other importers found in the revision.
        self._mentions: list[Mention] = []
        #: Decisions written before the next flush, which decides their state.
        self._undecided: set[int] = set()
        #: Decisions with a changed owner or time, which their events have to follow.
        self._moved: set[int] = set()

    def mention(self, mentions: Iterable[Mention]) -> None:
        """Note decisions that another importer found in the revision."""
        self._mentions += mentions

    def take(self, change: Change) -> None:
        """Replace a revision's former decisions by its current ones.

        A suggestion only adds: it rejects and replaces nothing.
        """
        if change.renamed:
            self._rename_topic(change, *change.renamed)
        stated = self._stated(change)
        self._entities.look_up(row_id for row_id, _ in stated)
        folded = fold_sources(
            change,
            Source.Target.DECISION,
            [(i, at, one.said.reason, None) for (i, at), (one, _) in stated.items()],
            change.since,
        )
        for (row_id, _), (one, of), source in zip(
            stated, stated.values(), folded, strict=False
        ):
            self._count(change, row_id, one, of, source.verb)
            self._learn(change, row_id, one, of)
            if one.said.rejected:
                self._reject(change, row_id, one)
            elif one.said.lapsed:
                self._entities.put(row_id, state=Decision.State.SUPERSEDED.value)
        for closed in folded[len(stated) :]:
            self._drop_source(change, closed.key.text, closed.lines.first)

    def _stated(self, change: Change) -> dict[tuple[int, Lines], Mention]:
        """Return the decisions that a revision states, by id and lines."""
        mentions, self._mentions = self._mentions, []
        for one in change.stated(facts.Decision):
            topic_id = change.topic_id if one.of_topic else None
            mentions.append((one, {**_OF_NOBODY, "topic_id": topic_id}))
        stated = {}
        for one, of in mentions:
            said = _without_mark(one.said)
            is_read = one.confidence == 1 or said.stands
            if one.lines.first < change.since or not is_read:
                continue
            row_id = _id_of(change.workspace.uuid, said.text)
            if row_id is not None and not change.has_secret(one.lines):
                stated[row_id, one.lines] = one._replace(said=said), of
        return stated

    def judge(self, graded: Mapping[int, Row]) -> None:
        """Set the grade that a person gave to suggested decisions, by their ids."""
        for row_id, columns in graded.items():
            row = self._entities.get(row_id)
            if row is not None and row["confidence"] < 1:
                self._entities.put(row_id, **columns)

    def decide(self, rows: Rows, asked: Iterable[int], sign_offs: SignOffs) -> None:
        """Decide the state of changed decisions, and write them to the rows.

        `asked` are decisions whose handoffs changed; some may be in no file.
        """
        # All that are written, because other workspaces may have changed their state;
        # others stand as they did.
        ids = self._undecided.union(asked, self._entities.changed)
        decide(self._workspace, self._entities, ids, sign_offs)
        self._undecided.clear()
        self._entities.flush(rows)
        moved = [self._entities.get(row_id) for row_id in sorted(self._moved)]
        give_decision_events([row for row in moved if row is not None])
        self._moved.clear()

    def _rename_topic(self, change: Change, old: int, new: int) -> None:
        self._undecided.update(self._entities.changed)
        self._entities.flush(change.rows)
        change.rows.flush()
        of_topic = Decision.everything.filter(topic_id=old).order_by("id")
        for row_id in of_topic.values_list("id", flat=True):
            self._entities.put(row_id, topic_id=new)
            self._moved.add(row_id)

    def _count(
        self, change: Change, row_id: int, one: facts.Decision, of: Row, verb: str
    ) -> None:
        """Count a new source of a decision; the most confident one grades it."""
        row, line, stands = self._entities.get(row_id), one.lines.first, one.said.stands
        grade = grade_columns(one.confidence, one.why, change.assigned.get(row_id))
        if row is None:
            new = _new_decision(change, one.said, of) | grade
            self._entities.put(row_id, **new)
            if row_id in self._superseded_ids(change):
                self._entities.put(row_id, state=Decision.State.SUPERSEDED.value)
            if stands:
                self._add_events(change, row_id, "added", line)
            return
        if verb == "added":
            sources = row["open_sources"] + 1
            self._entities.put(row_id, open_sources=sources, last_seq=None)
            if row["last_seq"] is not None:
                self._add_events(change, row_id, "restored", line)
        if row["confidence"] < one.confidence:
            self._entities.put(row_id, **grade)
            if row["grade"] != Grade.DECLARED and stands:
                self._add_events(change, row_id, "added", line)

    def _learn(self, change: Change, row_id: int, one: facts.Decision, of: Row) -> None:
        """Fill in values missing from the decision's other sources."""
        row = self._entities.get(row_id)
        assert row is not None
        decision = one.said
        offered: Row = {"topic_id": of["topic_id"], "agent_id": of["agent_id"]}
        found: dict[str, Any] = {}
        if not decision.rejected and not row["is_stated"]:
            # So far lines only rejected it: their day and reason are not its own.
            new = _new_decision(change, decision, of)
            found = {column: new[column] for column in _OF_STATEMENT}
        elif not decision.rejected:
            offered |= {"reason": decision.reason, "decided_on": decision.date}
        found |= {
            column: value
            for column, value in offered.items()
            if value and not (row[column] and not _is_only_named(row, column))
        }
        if "topic_id" in found:
            found["topic_rule"] = ""
        found |= _better_time(change, row | found, of)
        if decision.signed_off_by and not row["line_signed_by"]:
            found |= {
                "line_signed_by": decision.signed_off_by,
                "line_signed_on": decision.signed_off_on,
            }
        if found:
            self._entities.put(row_id, **found)
        if not found.keys().isdisjoint(_OF_EVENTS):
            self._moved.add(row_id)
        if "line_signed_by" in found:
            day = decision.signed_off_on
            self._add_events(change, row_id, "signed_off", one.lines.first, day=day)
        if one.confidence >= 1 and decision.supersedes and not row["supersedes_text"]:
            self._supersede(change, row_id, decision.supersedes)

    def _supersede(self, change: Change, row_id: int, old_text: str) -> None:
        old_id = Decision.id_of(change.workspace.uuid, old_text)
        self._superseded_ids(change).add(old_id)
        self._entities.put(row_id, supersedes_text=old_text, supersedes_id=old_id)
        old = self._entities.get(old_id)
        if old is not None and old["state"] != Decision.State.REJECTED:
            self._entities.put(old_id, state=Decision.State.SUPERSEDED.value)

    def _superseded_ids(self, change: Change) -> set[int]:
        """Return the ids of replaced decisions, including those not imported yet."""
        if self._superseded is None:
            replaced = Decision.objects.filter(
                workspace_id=change.workspace.id, supersedes_id__isnull=False
            )
            ids = replaced.values_list("supersedes_id", flat=True)
            self._superseded = {row_id for row_id in ids if row_id is not None}
        return self._superseded

    def _reject(self, change: Change, row_id: int, one: facts.Decision) -> None:
        row = self._entities.get(row_id)
        if row is None or row["state"] == Decision.State.REJECTED:
            return
        line, decision = one.lines.first, one.said
        self._entities.put(
            row_id,
            state=Decision.State.REJECTED.value,
            rejected_on=decision.date,
            rejected_for=decision.reason,
        )
        self._add_events(
            change, row_id, "rejected", line, decision.reason, day=decision.date
        )

    def _drop_source(self, change: Change, row_id: int, line: int) -> None:
        row = self._entities.get(row_id)
        if row is None:
            return
        remaining = max(0, row["open_sources"] - 1)
        self._entities.put(
            row_id,
            open_sources=remaining,
            last_seq=None if remaining else change.seq,
        )
        if not remaining:
            self._add_events(change, row_id, "dropped", line)

    def _add_events(
        self,
        change: Change,
        row_id: int,
        verb: str,
        line: int,
        detail: str = "",
        *,
        day: date | None = None,
    ) -> None:
        """Add an event to the timeline, on the day stated in the line."""
        row = self._entities.get(row_id)
        assert row is not None
        if row["grade"] != Grade.DECLARED:
            return
        at = change.start_of(day) if day else None
        precision = Precision.DAY
        if verb == "added":
            at, precision = row["occurred_at"], Precision(row["precision"])
        add_event(
            change,
            "decision",
            verb,
            row["text"],
            target_id=row_id,
            detail=detail or row["reason"],
            agent_id=row["agent_id"],
            # A topic that the text names is linked once all files are projected.
            topic_id=None if _is_only_named(row, "topic_id") else row["topic_id"],
            line=line,
            occurred_at=at,
            precision=precision.value if at else Precision.NONE.value,
        )


def decide(
    workspace: WorkspaceFacts, entities: Entities, ids: Set[int], sign_offs: SignOffs
) -> None:
    """Set the state of decisions; some of these ids may be those of none."""
    entities.look_up(ids)
    known = {row_id: row for row_id in ids if (row := entities.get(row_id))}
    texts = {row_id: row["text"] for row_id, row in known.items()}
    found = sign_offs(workspace.id, texts) if texts else {}
    for row_id, row in known.items():
        entities.put(row_id, **_standing(row, found.get(row_id), workspace.zone))


def _id_of(workspace: bytes, text: str) -> int | None:
    """Return the id of a decision; None for a text without words."""
    return Decision.id_of(workspace, text) if Decision.is_worded(text) else None


def _is_only_named(row: Row, column: str) -> bool:
    """Return whether a decision's topic is named in its text."""
    return column == "topic_id" and row["topic_rule"] == NAMED


def _new_decision(change: Change, decision: facts.DecisionText, of: Row) -> Row:
    at = change.start_of(decision.date) if decision.date else of["occurred_at"]
    precision = Precision.DAY.value if decision.date else of["precision"]
    return {
        "text": decision.text,
        "reason": decision.reason,
        "decided_on": decision.date,
        "state": Decision.State.STATED.value,
        "is_stated": not decision.rejected,
        "topic_id": of["topic_id"],
        "agent_id": of["agent_id"] or change.acting_id,
        "occurred_at": at or change.changed_at,
        "precision": precision if at else Precision.NONE.value,
        "open_sources": 1,
        "first_seq": change.seq,
    }


def _standing(row: Row, sign_off: Row | None, zone: ZoneInfo) -> Row:
    """Return the state of a decision and its sign-off, as columns.

    A rejection or a successor takes precedence over a sign-off. While a handoff
    requests one, a sign-off in the decision's line is an unconfirmed claim.
    """
    by, on = row["line_signed_by"], row["line_signed_on"]
    state = Decision.State.SIGNED_OFF if by else Decision.State.STATED
    sign_off = sign_off or {
        "handoff_row": None,
        "handoff_name": "",
        "signed_off_by": by,
        "signed_off_at": None,
    }
    if at := sign_off["signed_off_at"]:
        on, state = at.astimezone(zone).date(), Decision.State.SIGNED_OFF
    elif sign_off["handoff_row"]:
        on, state = None, Decision.State.UNSIGNED
    stands = row["state"] in Decision.STANDING
    return {
        **sign_off,
        "state": state.value if stands else row["state"],
        "signed_off_on": on,
    }


def _better_time(change: Change, row: Row, of: Row) -> Row:
    """Return a more exact time of a decision, as columns, if a place of it has one.

    The hour is that of a log's heading, of the day of the decision; a snapshot only
    proves that it was taken before.
    """
    zone = change.workspace.zone
    at, day = row["occurred_at"], row["decided_on"]
    columns: Row = {}
    if day and (
        row["precision"] == Precision.NONE or at.astimezone(zone).date() != day
    ):
        at = change.start_of(day)
        columns = {"occurred_at": at, "precision": Precision.DAY.value}
    stated_at = of["occurred_at"]
    if stated_at is None or of["precision"] != Precision.MINUTE:
        return columns
    is_day = columns.get("precision", row["precision"]) == Precision.DAY
    same = stated_at.astimezone(zone).date() == at.astimezone(zone).date()
    if same and (is_day or stated_at < at):
        return {"occurred_at": stated_at, "precision": Precision.MINUTE.value}
    return columns
