"""Importer of decisions: the same one in several files is one row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import lru_cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from memoryhub.dialects import decision_log
from memoryhub.dialects.decision_log import (
    DecisionLog,
    DecisionText,
    normalise,
    parse_decision,
    render_decision,
    status_of,
)
from memoryhub.dialects.decision_record import DecisionRecord
from memoryhub.dialects.memory_bank import MemoryBankFile
from memoryhub.dialects.topic_context import TopicContext
from memoryhub.events.importers import (
    Happening,
    add_event,
    give_decision_events,
)
from memoryhub.formats.base import Lines
from memoryhub.formats.text.alignment import Key
from memoryhub.formats.text.dates import split_dated
from memoryhub.formats.text.line_edits import one_line
from memoryhub.formats.text.source import split_lines
from memoryhub.journal.changes import Change, WorkspaceFacts
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.grades import Grade, grade_columns
from memoryhub.journal.lifetimes import Fact, fold_aligned
from memoryhub.journal.models import Source
from memoryhub.journal.rows import Entities, Row, Rows
from memoryhub.prose.stated import doubts
from topics.models import NAMED, Decision

#: What separates a reason from its decision, as in snapshots.
_RATIONALE = " -- "


@dataclass(frozen=True, slots=True)
class Mention:
    """A decision at one place; `at` is the time of that place."""

    decision: DecisionText
    lines: Lines
    topic_id: int | None = None
    agent_id: int | None = None
    at: datetime | None = None
    precision: str = Precision.NONE.value
    confidence: float = 1.0
    why: str = ""


def with_mark(mention: Mention) -> Mention:
    """Return a mention with the mark of exports before a superseded decision read."""
    head, colon, text = mention.decision.text.partition(":")
    if not colon or head.casefold() != Decision.State.SUPERSEDED:
        return mention
    decision = replace(mention.decision, text=text.strip(), lapsed=head.casefold())
    return replace(mention, decision=decision)


def not_above(change: Change, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Drop the decisions that an unread earlier part of a log states already."""
    above = set[int]()
    if change.since > 1 and mentions:
        rows = Source.objects.filter(
            file_id=change.file_id,
            last_seq=None,
            first_line__lt=change.since,
            target_kind=Source.Target.DECISION,
        )
        above = {*rows.values_list("target_id", flat=True)}
    for mention in mentions:
        marked = with_mark(mention).decision.text
        if _id_of(change.workspace.uuid, marked) not in above:
            yield mention


def decided_in(change: Change, topic_id: int | None) -> list[Mention]:
    """Return the decisions of a topic file, a record, a decision log or a bank.

    Programs write those of a topic, of context-memory-optimizer's log, and dated lines
    of their form; the model may doubt others without a label, a status or a sign-off.
    """
    found: Sequence[decision_log.Decision] = ()
    match change.document:
        case TopicContext() as document:
            return [
                Mention(parse_decision(item.text), item.lines, topic_id)
                for item in document.decided
            ]
        case DecisionLog() as document:
            found, topic_id = document.decisions, None
        case MemoryBankFile() as document:
            found = document.decisions
        case DecisionRecord(decision=decision, lines=at, state=state) if decision:
            found, topic_id = [decision_log.Decision(decision, at, state)], None
    if not found or change.path == decision_log.PATH:
        return [Mention(one.content, one.lines, topic_id) for one in found]
    lines = split_lines(change.text)
    starts = [lines[one.lines.first - 1].strip() for one in found]
    listed = (
        (one.lines, "decision" in dict(one.fields) and start[:1] != "|")
        for one, start in zip(found, starts, strict=True)
    )
    judged = doubts(change.text, listed, "decision")
    mentions = []
    for one, start, (sure, why) in zip(found, starts, judged, strict=True):
        said = one.content
        if start[:1] == "#" and {"decision", "reason", "status"}.isdisjoint(
            dict(one.fields)
        ):
            # A heading names what was decided, or only what was talked about.
            titled = f"# Decisions\n\n- {one_line(said.text)}\n"
            sure, why = next(doubts(titled, [(Lines(3, 3), False)], "decision"))
        is_declared = (
            status_of(one.status) == "accepted"
            or not said.stands
            or said.signed_off_by
            or said.supersedes
            or (said.date and start == f"- {render_decision(said)}")
        )
        mention = Mention(said, one.lines, topic_id)
        if is_declared:
            mentions.append(mention)
        elif sure:
            mentions.append(replace(mention, confidence=sure, why=why))
    return mentions


def chosen(text: str, reason: str) -> DecisionText:
    """Return a decision of a list, with the reason beside it if it has none itself."""
    said = parse_decision(text)
    return said if said.reason else replace(said, reason=reason)


@lru_cache(maxsize=4096)
def text_of(stated: str, reason: str) -> DecisionText:
    """Return a decision of prose: its whole text, where only words give a reason.

    A sign-off, a rejection and a superseded decision count as in other files, and so
    does a whole phrase in brackets at the end: a word or two there are a remark.
    Cached: a file that changed states again what it did before.
    """
    said = parse_decision(stated)
    if said.supersedes or said.signed_off_by or said.rejected:
        return said
    if not reason and _RATIONALE in stated:
        return said
    text = split_dated(stated)[1]
    is_named = any(map(str.isalpha, said.text))
    if not reason and is_named and _is_phrase(said.reason):
        return replace(said, text=text)
    return replace(said, text=text, reason=reason)


def _is_phrase(text: str) -> bool:
    """Return whether a text has four words, or six characters without spaces."""
    return len(text.split()) >= 4 or (not text.isascii() and len(text) >= 6)


#: Columns that the first line stating a decision gives.
_OF_STATEMENT = ("is_stated", "reason", "decided_on", "occurred_at", "precision")
#: Columns of a decision that its events have too.
_OF_EVENTS = ("agent_id", "topic_id", "occurred_at", "precision")


class SignOff(NamedTuple):
    """The handoff that requests a decision's sign-off; `at` is null until signed."""

    handoff_row: int
    handoff_name: str
    by: str
    at: datetime | None


#: Finds the sign-offs of a workspace's decisions, by its id and their texts by id.
SignOffs = Callable[[int, Mapping[int, str]], Mapping[int, SignOff]]


class DecisionImporter:
    """Maintains the decisions of a workspace and their sources in files."""

    def __init__(self, workspace: WorkspaceFacts, *, empty: bool) -> None:
        self._workspace_id = workspace.id
        self._entities = Entities(Decision, workspace.id, empty=empty)
        self._superseded: set[int] | None = set() if empty else None
        self._zone = workspace.zone
        #: Decisions written before the next flush, which decides their state.
        self._undecided: set[int] = set()
        #: Decisions with a changed owner or time, which their events have to follow.
        self._moved: set[int] = set()

    def take(self, change: Change, mentions: Iterable[Mention]) -> None:
        """Replace a revision's former decisions by its current ones.

        A suggestion only adds: it rejects and replaces nothing.
        """
        if change.renamed:
            self._rename_topic(change, *change.renamed)
        stated = {}
        new = (m for m in mentions if m.lines.first >= change.since)
        for mention in map(with_mark, new):
            if mention.confidence < 1 and not mention.decision.stands:
                continue
            row_id = _id_of(change.workspace.uuid, mention.decision.text)
            if row_id is not None and not change.has_secret(mention.lines):
                stated[row_id, mention.lines] = mention
        self._entities.look_up(row_id for row_id, _ in stated)
        folded = fold_aligned(
            Source,
            change,
            [_source(row_id, m) for (row_id, _), m in stated.items()],
            change.since,
            target_kind=Source.Target.DECISION.value,
        )
        for (row_id, _), mention, matched in zip(
            stated, stated.values(), folded.matched, strict=True
        ):
            if matched.verb == "added":
                self._add_source(change, row_id, mention)
            self._grade(change, row_id, mention)
            self._learn(change, row_id, mention)
            if mention.decision.rejected:
                self._reject(change, row_id, mention)
            elif mention.decision.lapsed:
                self._entities.put(row_id, state=Decision.State.SUPERSEDED.value)
        for closed in folded.closed:
            self._drop_source(change, closed.text_key, closed.first_line)

    def judge(self, graded: Mapping[int, Row]) -> None:
        """Set the grade that a person gave to suggested decisions, by their ids."""
        for row_id, columns in graded.items():
            row = self._entities.get(row_id)
            if row is not None and row["confidence"] < 1:
                self._entities.put(row_id, **columns)

    def flush(self, rows: Rows, asked: Iterable[int], sign_offs: SignOffs) -> None:
        """Decide the state of changed decisions, and write them to the rows.

        `asked` are decisions whose handoffs changed; some may be in no file.
        """
        # All that are written, because other workspaces may have changed their state;
        # others stand as they did.
        undecided = self._undecided.union(asked, self._entities.changed)
        self._entities.look_up(undecided)
        known = {i: row for i in undecided if (row := self._entities.get(i))}
        texts = {row_id: row["text"] for row_id, row in known.items()}
        found = sign_offs(self._workspace_id, texts) if texts else {}
        for row_id, row in known.items():
            standing = _standing(row, found.get(row_id), self._zone)
            self._entities.put(row_id, **standing)
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

    def _add_source(self, change: Change, row_id: int, mention: Mention) -> None:
        row = self._entities.get(row_id)
        if row is None:
            new = _new_decision(change, mention) | _grade(change, row_id, mention)
            self._entities.put(row_id, **new)
            if row_id in self._superseded_ids(change):
                self._entities.put(row_id, state=Decision.State.SUPERSEDED.value)
            if mention.decision.stands:
                self._add_events(change, row_id, "added", mention.lines.first)
        else:
            again = row["last_seq"] is not None
            self._entities.put(
                row_id, open_sources=row["open_sources"] + 1, last_seq=None
            )
            if again:
                self._add_events(change, row_id, "restored", mention.lines.first)

    def _grade(self, change: Change, row_id: int, mention: Mention) -> None:
        """Raise the grade of a decision if this mention is more confident."""
        row = self._entities.get(row_id)
        assert row is not None
        if row["confidence"] < mention.confidence:
            self._entities.put(row_id, **_grade(change, row_id, mention))
            if row["grade"] != Grade.DECLARED and mention.decision.stands:
                self._add_events(change, row_id, "added", mention.lines.first)

    def _learn(self, change: Change, row_id: int, mention: Mention) -> None:
        """Fill in values missing from the decision's other sources."""
        row = self._entities.get(row_id)
        assert row is not None
        decision = mention.decision
        offered: Row = {"topic_id": mention.topic_id, "agent_id": mention.agent_id}
        found: dict[str, Any] = {}
        if not decision.rejected and not row["is_stated"]:
            # So far lines only rejected it: their day and reason are not its own.
            new = _new_decision(change, mention)
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
        found |= _better_time(change, row | found, mention)
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
            self._add_events(change, row_id, "signed_off", mention.lines.first, day=day)
        is_sure = mention.confidence >= 1
        if is_sure and decision.supersedes and not row["supersedes_text"]:
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

    def _reject(self, change: Change, row_id: int, mention: Mention) -> None:
        row = self._entities.get(row_id)
        if row is None or row["state"] == Decision.State.REJECTED:
            return
        line, decision = mention.lines.first, mention.decision
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
        happening = Happening(
            "decision",
            verb,
            row["text"],
            row_id,
            detail or row["reason"],
            agent_id=row["agent_id"],
            # A topic that the text names is linked once all files are projected.
            topic_id=None if _is_only_named(row, "topic_id") else row["topic_id"],
            line=line,
            at=at,
            precision=precision.value if at else Precision.NONE.value,
        )
        add_event(change, happening)


@lru_cache(maxsize=4096)
def _id_of(workspace: bytes, text: str) -> int | None:
    """Return the id of a decision; None for a text without words.

    Cached: a file that changed states again what it did before.
    """
    return Decision.id_of(workspace, text) if normalise(text) else None


def _is_only_named(row: Row, column: str) -> bool:
    """Return whether a decision's topic is named in its text."""
    return column == "topic_id" and row["topic_rule"] == NAMED


def _new_decision(change: Change, mention: Mention) -> Row:
    decision = mention.decision
    at = change.start_of(decision.date) if decision.date else mention.at
    precision = Precision.DAY.value if decision.date else mention.precision
    return {
        "text": decision.text,
        "reason": decision.reason,
        "decided_on": decision.date,
        "state": Decision.State.STATED.value,
        "is_stated": not decision.rejected,
        "rejected_on": None,
        "rejected_for": "",
        "signed_off_by": "",
        "signed_off_on": None,
        "signed_off_at": None,
        "handoff_row": None,
        "handoff_name": "",
        "line_signed_by": "",
        "line_signed_on": None,
        "supersedes_text": "",
        "supersedes_id": None,
        "topic_id": mention.topic_id,
        "topic_rule": "",
        "agent_id": mention.agent_id or change.acting_id,
        "occurred_at": at or change.changed_at,
        "precision": precision if at else Precision.NONE.value,
        "open_sources": 1,
        "first_seq": change.seq,
        "last_seq": None,
    }


def _grade(change: Change, row_id: int, mention: Mention) -> Row:
    verdict = change.assigned.get(row_id)
    return grade_columns(mention.confidence, mention.why, verdict)


def _standing(row: Row, sign_off: SignOff | None, zone: ZoneInfo) -> Row:
    """Return the state of a decision and its sign-off, as columns.

    A rejection or a successor takes precedence over a sign-off. While a handoff
    requests one, a sign-off in the decision's line is an unconfirmed claim.
    """
    by, on, at = row["line_signed_by"], row["line_signed_on"], None
    state = Decision.State.SIGNED_OFF if by else Decision.State.STATED
    if sign_off is not None and sign_off.at is None:
        by, on, state = "", None, Decision.State.UNSIGNED
    elif sign_off is not None and sign_off.at is not None:
        by, at, state = sign_off.by, sign_off.at, Decision.State.SIGNED_OFF
        on = at.astimezone(zone).date()
    stands = row["state"] in Decision.STANDING
    return {
        "state": state.value if stands else row["state"],
        "signed_off_by": by,
        "signed_off_on": on,
        "signed_off_at": at,
        "handoff_row": sign_off.handoff_row if sign_off else None,
        "handoff_name": sign_off.handoff_name if sign_off else "",
    }


def _better_time(change: Change, row: Row, mention: Mention) -> Row:
    """Return a more exact time of a decision, as columns, if a mention has one.

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
    if mention.at is None or mention.precision != Precision.MINUTE:
        return columns
    is_day = columns.get("precision", row["precision"]) == Precision.DAY
    same = mention.at.astimezone(zone).date() == at.astimezone(zone).date()
    if same and (is_day or mention.at < at):
        return {"occurred_at": mention.at, "precision": Precision.MINUTE.value}
    return columns


def _source(row_id: int, mention: Mention) -> Fact:
    values = {
        "target_kind": Source.Target.DECISION.value,
        "target_id": row_id,
        "value": mention.decision.reason,
    }
    return Fact(Key(row_id, row_id), mention.lines, values)
