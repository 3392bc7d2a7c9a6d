"""Decisions and directives of any document, by what kind of text it is.

Topic files, decision logs and snapshots have grammars of their own, which their
formats read. Code, templates, skills and commands hold examples, and state nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import PurePosixPath
from typing import NamedTuple

from memoryhub.formats.base import Document, Lines
from memoryhub.formats.openclaw.daily_log import DailyLog
from memoryhub.formats.openclaw.session_transcript import SessionTranscript
from memoryhub.formats.optimizer.memory_index import MemoryIndex
from memoryhub.formats.others.agent_roles import AgentRoles
from memoryhub.formats.others.auto_memory import AutoMemory
from memoryhub.formats.others.memory_bank import MemoryBankFile
from memoryhub.formats.others.plain import Plain
from memoryhub.formats.statements.decisions import StatedDecision, find_decisions
from memoryhub.formats.statements.directives import (
    StatedDirective,
    directives_of_person,
    find_directives,
)
from memoryhub.formats.statements.lists import labelled_lists
from memoryhub.formats.statements.stated import WorkNote
from memoryhub.formats.text.sentences import sentences_of, without_marks
from memoryhub.formats.text.source import fenced_lines, split_lines, split_sections

_TEMPLATES = frozenset(
    {"skills", "commands", "templates", "prompts", "template", "examples", "rules"}
)
_GENERAL = re.compile(
    r"(?:readme|changelog|contributing|license|code_of_conduct|security|skill|soul"
    r"|bootstrap|heartbeat|tools|dreams|claude|gemini|.*template)[-\w.]*",
    re.IGNORECASE,
)
#: Who heads a section of rules in ``AGENTS.md``; the rest of it are instructions.
_BY_A_PERSON = re.compile(r"\b(?:house|by|von|de|by the)\b|里|家", re.IGNORECASE)
#: The file of a bank whose decisions its own format reads.
_DECISION_LOG = "decisionLog"
_FEEDBACK, _BODY_SENTENCES = "feedback", 3


class Statements(NamedTuple):
    """What a text states, each in file order."""

    decisions: tuple[StatedDecision, ...] = ()
    directives: tuple[StatedDirective, ...] = ()


def statements_of(path: PurePosixPath, document: Document | None) -> Statements:
    """Return the decisions and directives that a document states."""
    match document:
        case DailyLog():
            return Statements(document.decisions, document.directives)
        case WorkNote(stated=stated):
            return Statements(stated.decisions, stated.directives)
        case SessionTranscript() | AgentRoles():
            return Statements(directives=_directives_of(document))
        case AutoMemory():
            return _of_fact(document)
    if document is None or not _is_prose(path, document):
        return Statements()
    return _of_text(document.render(), _pointer_lines(document))


def _directives_of(
    document: SessionTranscript | AgentRoles,
) -> tuple[StatedDirective, ...]:
    if isinstance(document, AgentRoles):
        return _house_rules(document)
    return tuple(_of_turns(document))


def _pointer_lines(document: Document) -> frozenset[int]:
    """Return the lines of an index that name files: they state nothing."""
    pointers = document.pointers if isinstance(document, MemoryIndex) else ()
    named = (range(p.lines.first, p.lines.last + 1) for p in pointers)
    return frozenset(chain.from_iterable(named))


def _is_prose(path: PurePosixPath, document: Document | None) -> bool:
    """Return whether a document is notes that somebody wrote."""
    if isinstance(document, MemoryBankFile):
        return document.role != _DECISION_LOG
    if not isinstance(document, Plain):
        return isinstance(document, MemoryIndex)
    folders = {part.casefold() for part in path.parts[:-1]}
    return (
        path.suffix.casefold() in (".md", ".markdown")
        and _TEMPLATES.isdisjoint(folders)
        and not _GENERAL.fullmatch(path.stem)
    )


def _of_text(text: str, others: frozenset[int] = frozenset()) -> Statements:
    """Read all lines but those of code and some others."""
    skipped = fenced_lines(text) | others
    lists = labelled_lists(text, split_sections(text), skipped)
    return Statements(
        find_decisions(text, lists, skipped), find_directives(text, lists, skipped)
    )


def _of_turns(document: SessionTranscript) -> Iterator[StatedDirective]:
    """Yield the directives in what the person of a transcript wrote."""
    for turn in document.turns:
        if turn.role == "user":
            yield from directives_of_person(turn.text, turn.lines.first)


def _house_rules(document: AgentRoles) -> tuple[StatedDirective, ...]:
    text, skipped = document.text, fenced_lines(document.text)
    lists = [
        one
        for one in labelled_lists(text, document.sections, skipped)
        if _BY_A_PERSON.search(one.label)
    ]
    return find_directives("", lists, skipped)


def _of_fact(document: AutoMemory) -> Statements:
    """Return the decisions of a fact; one of the type feedback is a directive."""
    stated = _of_text(document.text, frozenset(range(1, document.body_line)))
    first = _first_paragraph(document)
    if document.type != _FEEDBACK or first is None:
        return stated
    others = (one for one in stated.directives if one.lines.first > first.lines.last)
    return Statements(stated.decisions, (first, *others))


def _first_paragraph(document: AutoMemory) -> StatedDirective | None:
    for number, line in enumerate(split_lines(document.body), document.body_line):
        if line.strip() and not line.startswith(("#", "**", "---")):
            text = without_marks(line.strip())
            first = " ".join(sentences_of(text)[:_BODY_SENTENCES])
            return StatedDirective(first, Lines(number, number))
    return None
