"""Decisions, directives and open items of any document, by its format.

Topic files, decision logs and snapshots have grammars of their own, which their
formats read. The role of a file says which of them are kept.
"""

from __future__ import annotations

from itertools import chain
from pathlib import PurePosixPath

from memoryhub.dialects.auto_memory import AutoMemory
from memoryhub.dialects.daily_log import DailyLog
from memoryhub.dialects.decision_log import DecisionLog
from memoryhub.dialects.memory_bank import MemoryBankFile, unstamped
from memoryhub.dialects.memory_index import MemoryIndex
from memoryhub.dialects.plain import Plain
from memoryhub.dialects.session_transcript import SessionTranscript
from memoryhub.dialects.topic_context import TopicContext
from memoryhub.dialects.work_note import WorkNote
from memoryhub.formats.base import Document, Lines
from memoryhub.formats.text.source import split_lines
from memoryhub.prose.model import Kind
from memoryhub.prose.stated import (
    Stated,
    StatedDirective,
    find_stated,
)
from memoryhub.prose.units import bare

#: Suffixes of notes; other plain files are data or code.
_NOTES = (".md", ".markdown")
_SUPERSEDED = "superseded"
_OPEN: tuple[Kind, ...] = ("open",)


def statements_of(  # noqa: PLR0911
    path: PurePosixPath, document: Document | None
) -> Stated:
    """Return the decisions, directives and open items that a document states."""
    match document:
        case DailyLog(decisions=decisions, directives=directives):
            return Stated(decisions, directives, document.open_items)
        case WorkNote(stated=stated):
            return stated
        case SessionTranscript():
            return _of_turns(document)
        case AutoMemory():
            return _of_fact(document)
        case DecisionLog() | MemoryBankFile(role="decisionLog"):
            found = find_stated(document.text, asked=_OPEN)
            items = (o._replace(text=unstamped(o.text)) for o in found.open_items)
            return Stated(open_items=tuple(items))
        case MemoryBankFile():
            found = find_stated(document.text)
            items = (o._replace(text=unstamped(o.text)) for o in found.open_items)
            return found._replace(open_items=tuple(items))
        case MemoryIndex():
            past = (o for o in document.directives if o.status == _SUPERSEDED)
            pointers = (one.lines for one in document.pointers)
            spans = chain(pointers, (one.lines for one in past))
            return find_stated(
                document.text,
                frozenset(n for at in spans for n in range(at.first, at.last + 1)),
            )
        case TopicContext():
            return find_stated(document.text, document.own_lines)
        case Plain() if path.suffix.casefold() in _NOTES:
            return find_stated(document.text)
    return Stated()


def _of_turns(document: SessionTranscript) -> Stated:
    """Return the statements of all turns; directives of the user's own words alone."""
    found = Stated()
    for turn in document.turns:
        by = turn.lines.first - 1
        if turn.role == "user":
            said = find_stated(turn.own_words, line=by)
        else:
            said = find_stated(turn.text, asked=_OPEN, line=by)._replace(directives=())
        found = Stated(
            found.decisions + said.decisions,
            found.directives + said.directives,
            found.open_items + said.open_items,
        )
    return found


def _of_fact(document: AutoMemory) -> Stated:
    """Return the statements of a fact; one of the type feedback is a directive."""
    stated = find_stated(document.text)
    if document.type != "feedback":
        return stated
    for number, line in enumerate(split_lines(document.body), document.body_line):
        if line.strip() and not line.startswith(("#", "**", "---")):
            # Of several sentences, those that say what to do, where any does.
            said = [o for o in stated.directives if o.lines.first == number]
            text = " ".join(o.text for o in said) or bare(line)
            own = StatedDirective(text, Lines(number, number))
            others = (o for o in stated.directives if o not in said)
            return stated._replace(directives=(own, *others))
    return stated
