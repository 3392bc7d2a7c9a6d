"""Decisions at one place of a file, as the importer takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache

from memoryhub.formats.base import Lines
from memoryhub.formats.optimizer import decision_log
from memoryhub.formats.optimizer.decision_log import DecisionLog
from memoryhub.formats.optimizer.decision_parts import status_of
from memoryhub.formats.optimizer.decision_text import (
    DecisionText,
    parse_decision,
    render_decision,
)
from memoryhub.formats.others.decision_record import DecisionRecord
from memoryhub.formats.others.memory_bank import MemoryBankFile
from memoryhub.formats.snap_memory.topic_context import TopicContext
from memoryhub.formats.text.dates import split_dated
from memoryhub.formats.text.line_edits import one_line
from memoryhub.formats.text.source import split_lines
from memoryhub.journal.changes import Change
from memoryhub.journal.day_sources import Precision
from memoryhub.prose.stated import doubts
from topics.models import Decision

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
