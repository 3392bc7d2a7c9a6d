"""Decisions, directives and open items of any document, by its format.

Topic files, decision logs and snapshots have grammars of their own, which their
formats read. The file's role says which of them are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, takewhile
from pathlib import PurePosixPath
from typing import NamedTuple

from memoryhub.formats.base import Document, Lines
from memoryhub.formats.openclaw.daily_log import DailyLog
from memoryhub.formats.openclaw.session_transcript import SessionTranscript
from memoryhub.formats.optimizer.decision_log import DecisionLog
from memoryhub.formats.optimizer.memory_index import MemoryIndex
from memoryhub.formats.others.auto_memory import AutoMemory
from memoryhub.formats.others.memory_bank import MemoryBankFile, unstamped
from memoryhub.formats.others.plain import Plain
from memoryhub.formats.statements.decisions import StatedDecision, decisions_of_person
from memoryhub.formats.statements.directive_sentences import directing
from memoryhub.formats.statements.directives import (
    StatedDirective,
    directives_of_person,
    is_fact,
    rules_in,
)
from memoryhub.formats.statements.judging import decides
from memoryhub.formats.statements.lists import Listed
from memoryhub.formats.statements.open_items import OpenItem, find_open_sentences
from memoryhub.formats.statements.stated import WorkNote, stated_outside
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.directing import NORM, WANTS
from memoryhub.formats.text.labels import kind_of_label
from memoryhub.formats.text.list_items import bullets_of
from memoryhub.formats.text.sentences import sentences_of, without_marks
from memoryhub.formats.text.source import fenced_lines, split_lines, split_sections

#: Notes whose sentences may tell of open work; an index holds facts and rules.
_TELLING = (Plain, MemoryBankFile)
#: Files of a memory bank that hold facts and rules, too.
_DESCRIBING = frozenset(
    {"projectbrief", "productContext", "systemPatterns", "techContext"}
)
_USER_FILE = "user.md"
_SUPERSEDED = "superseded"
#: Lines of a file about the person that are lists, or of the host's template.
_NOT_TOLD = ("#", "- ", "* ", "_", "|", "(", "The more you know")
#: Types of facts that bind or describe, and tell of no decision in passing.
_OF_A_PERSON = frozenset({"user", "feedback"})
#: How a fact is applied, where that forbids something.
_APPLIED = re.compile(
    r"how to apply:?[ \t]*((?:do not|don['’]t|never|always|no |nicht|nie|jamais|nunca"
    r"|non"
    r"|не |никогда|不要|別|しない|하지).*)",
    re.IGNORECASE,
)


class Statements(NamedTuple):
    """The statements of a text by kind, each in file order."""

    decisions: tuple[StatedDecision, ...] = ()
    directives: tuple[StatedDirective, ...] = ()
    open_items: tuple[OpenItem, ...] = ()


def statements_of(path: PurePosixPath, document: Document | None) -> Statements:
    """Return the decisions, directives and open items that a document states."""
    match document:
        case DailyLog(decisions=decisions, directives=directives):
            return Statements(decisions, directives, document.open_items)
        case WorkNote(stated=stated):
            return Statements(*stated)
        case SessionTranscript():
            return Statements(
                tuple(_decided_in_turns(document)),
                tuple(_of_turns(document)),
                find_open_sentences(document.text, _outside_turns(document)),
            )
        case AutoMemory():
            return _of_fact(document)
    if document is None or not _is_prose(path, document):
        return Statements()
    return _of_prose(path, document)


def _of_prose(path: PurePosixPath, document: Document) -> Statements:
    if path.name.casefold() == _USER_FILE:
        return _of_user_file(document)
    is_log = isinstance(document, DecisionLog) or _is_log_of_bank(document)
    sentences = isinstance(document, _TELLING) and not is_log
    loose = sentences and not _is_description(document)
    found = _of_text(
        document.render(), _pointer_lines(document), sentences=sentences, loose=loose
    )
    if isinstance(document, MemoryBankFile):
        items = (one._replace(text=unstamped(one.text)) for one in found.open_items)
        found = found._replace(open_items=tuple(items))
    if is_log:
        return Statements(open_items=found.open_items)
    return found


def _is_log_of_bank(document: Document) -> bool:
    return isinstance(document, MemoryBankFile) and document.role == "decisionLog"


def _is_description(document: Document) -> bool:
    """Return whether a document is a description, not a report of work."""
    return isinstance(document, MemoryBankFile) and document.role in _DESCRIBING


def _outside_turns(document: SessionTranscript) -> frozenset[int]:
    """Return the lines of a transcript that are code or have no speaker."""
    spoken = (range(t.lines.first, t.lines.last + 1) for t in document.turns)
    number = document.text.count("\n") + 1
    others = frozenset(range(1, number + 1)) - frozenset(chain.from_iterable(spoken))
    return others | fenced_lines(document.text)


def _pointer_lines(document: Document) -> frozenset[int]:
    """Return the lines of an index that name files: they state nothing."""
    pointers = document.pointers if isinstance(document, MemoryIndex) else ()
    named = (range(p.lines.first, p.lines.last + 1) for p in pointers)
    return frozenset(chain.from_iterable(named))


def _superseded_lines(document: Document) -> frozenset[int]:
    """Return the lines of superseded observations about a person."""
    observed = document.directives if isinstance(document, MemoryIndex) else ()
    past = (o.lines for o in observed if o.status.casefold() == _SUPERSEDED)
    return frozenset(chain.from_iterable(range(p.first, p.last + 1) for p in past))


def _is_prose(path: PurePosixPath, document: Document | None) -> bool:
    """Return whether a document is notes that somebody wrote."""
    if isinstance(document, Plain):
        return path.suffix.casefold() in (".md", ".markdown")
    return isinstance(document, MemoryBankFile | MemoryIndex | DecisionLog)


def _of_text(
    text: str,
    others: frozenset[int] = frozenset(),
    *,
    sentences: bool = True,
    loose: bool = False,
) -> Statements:
    """Read all lines but those of code, of front matter and some others.

    `sentences`: those that name open work are items, too.
    """
    head = frozenset(range(1, frontmatter.split(text).body_line))
    skipped = fenced_lines(text) | head | others
    sections = split_sections(text)
    return Statements(
        *stated_outside(text, sections, skipped, sentences=sentences, loose=loose)
    )


def _of_turns(document: SessionTranscript) -> Iterator[StatedDirective]:
    """Yield the directives in the user turns of a transcript."""
    for turn in document.turns:
        if turn.role == "user":
            yield from directives_of_person(turn.text, turn.lines.first)


def _decided_in_turns(document: SessionTranscript) -> Iterator[StatedDecision]:
    """Yield the decisions in a transcript's user turns, outside pasted code."""
    fenced = fenced_lines(document.text)
    for turn in document.turns:
        if turn.role == "user":
            stated = decisions_of_person(turn.text, turn.lines.first)
            yield from (one for one in stated if one.lines.first not in fenced)


def _of_user_file(document: Document) -> Statements:
    """Read a file about the person: its items are tastes and rules, or facts."""
    text, past = document.render(), _superseded_lines(document)
    stated = _of_text(text, past, sentences=False)
    by_line = {one.lines.first: one for one in stated.directives}
    for item in bullets_of(text):
        if not kind_of_label(item.section):
            for rule in rules_in([Listed(item.text, "", item.lines)]):
                by_line.setdefault(rule.lines.first, rule)
    for one in _directives_in_paragraphs(text):
        by_line.setdefault(one.lines.first, one)
    by_line = {line: one for line, one in by_line.items() if line not in past}
    decisions = tuple(o for o in stated.decisions if o.lines.first not in by_line)
    directives = tuple(by_line[line] for line in sorted(by_line))
    return Statements(decisions, directives, stated.open_items)


def _directives_in_paragraphs(text: str) -> Iterator[StatedDirective]:
    """Yield the sentences that direct outside of lists, the first of each line."""
    fenced = fenced_lines(text)
    for number, line in enumerate(split_lines(text), 1):
        if number not in fenced and not line.startswith(_NOT_TOLD):
            sentences = sentences_of(without_marks(line.strip(" \t—–")))
            for found in directing([s for s in sentences if not is_fact(s)]):
                yield StatedDirective(found, Lines(number, number))


def _of_fact(document: AutoMemory) -> Statements:
    """Return the statements of a fact, by its type.

    One of the type feedback is a directive; what applies a fact may forbid something,
    and a fact of a project with a reason was decided.
    """
    stated = _of_text(document.text, sentences=document.type == "project")
    by_line = {one.lines.first: one for one in _of_type(document)}
    for one in stated.directives:
        by_line.setdefault(one.lines.first, one)
    decisions = stated.decisions or tuple(_of_project(document))
    why = document.why if document.type == "project" else ""
    decisions = tuple(o if o.reason else o._replace(reason=why) for o in decisions)
    if document.type in _OF_A_PERSON:
        decisions = tuple(one for one in decisions if one.label)
    directives = tuple(by_line[line] for line in sorted(by_line))
    return Statements(decisions, directives, stated.open_items)


def _of_type(document: AutoMemory) -> Iterator[StatedDirective]:
    first = _first_paragraph(document)
    if document.type == "feedback" and first is not None:
        yield first
    for number, line in enumerate(split_lines(document.body), document.body_line):
        text = without_marks(line.strip())
        if document.type == "user" and text:
            wanted = (one for one in sentences_of(text) if WANTS.search(one.lower()))
            yield from (StatedDirective(o, Lines(number, number)) for o in wanted)
        applied = _APPLIED.match(text)
        if applied and document.type != "feedback":
            sentence = sentences_of(applied[1])[0]
            yield StatedDirective(sentence, Lines(number, number))


def _of_project(document: AutoMemory) -> Iterator[StatedDecision]:
    """Yield the first sentence of a project's fact whose reason is stated."""
    first = _first_paragraph(document)
    if document.type == "project" and document.why and first is not None:
        text = sentences_of(first.text)[0]
        if decides(text):
            yield StatedDecision(text, "", first.lines, document.why)


def _first_paragraph(document: AutoMemory) -> StatedDirective | None:
    """Return the first paragraph up to a change of subject."""
    for number, line in enumerate(split_lines(document.body), document.body_line):
        if line.strip() and not line.startswith(("#", "**", "---")):
            sentences = sentences_of(without_marks(line.strip()))
            ruling = takewhile(lambda one: NORM.search(one.lower()), sentences[1:3])
            text = " ".join((*sentences[:1], *ruling))
            return StatedDirective(text, Lines(number, number))
    return None
