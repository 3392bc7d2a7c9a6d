"""Decisions, directives and open items of one text, found together."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.statements.decisions import StatedDecision, find_decisions
from memoryhub.formats.statements.directives import StatedDirective, find_directives
from memoryhub.formats.statements.lists import labelled_lists
from memoryhub.formats.statements.open_items import OpenItem, find_open_items
from memoryhub.formats.statements.prose import Prose
from memoryhub.formats.text.source import Section, fenced_lines


class Stated(NamedTuple):
    """The statements of a text by kind, each in file order."""

    decisions: tuple[StatedDecision, ...] = ()
    directives: tuple[StatedDirective, ...] = ()
    open_items: tuple[OpenItem, ...] = ()


class Part(NamedTuple):
    """A piece of work that a note reports; `at` is its time or day, if known.

    One without a kind is no entry: it only gives its lines a time.
    """

    title: str
    text: str
    lines: Lines
    at: datetime.date | None = None
    session: str = ""
    agent: str = ""
    kind: Literal["session", "entry", ""] = "session"


@dataclass(frozen=True, slots=True)
class WorkNote:
    """A parsed note on a piece of work, with all that it states.

    `author` is the agent that it names as its writer, `at` when it was written.
    """

    text: str
    sections: tuple[Section, ...]
    stated: Stated
    parts: tuple[Part, ...] = field(default=(), kw_only=True)
    author: str = field(default="", kw_only=True)
    at: datetime.date | None = field(default=None, kw_only=True)

    def render(self) -> str:
        return self.text


def find_stated(
    text: str,
    sections: Sequence[Section],
    first_line: int = 1,
    others: frozenset[int] = frozenset(),
    *,
    sentences: bool = True,
) -> Stated:
    """Return the statements of a text from a line on, outside of fences and others.

    `sentences`: those that name open work are items, too.
    """
    skipped = fenced_lines(text) | frozenset(range(1, first_line)) | others
    return stated_outside(text, sections, skipped, sentences=sentences)


def stated_outside(
    text: str,
    sections: Sequence[Section],
    skipped: frozenset[int],
    *,
    sentences: bool = True,
    loose: bool = False,
) -> Stated:
    """Return the statements of a text outside the skipped lines.

    `sentences`: those that name open work are items, too; `loose`: and those that
    plan or oblige.
    """
    lists, prose = labelled_lists(text, sections, skipped), Prose(text, skipped)
    return Stated(
        find_decisions(prose, lists),
        find_directives(prose, lists),
        find_open_items(prose, lists, sentences=sentences, loose=loose),
    )
