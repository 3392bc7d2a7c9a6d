"""Decisions, directives and open items of one text, found together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memoryhub.formats.statements.decisions import StatedDecision, find_decisions
from memoryhub.formats.statements.directives import StatedDirective, find_directives
from memoryhub.formats.statements.lists import labelled_lists
from memoryhub.formats.statements.open_items import OpenItem, find_open_items
from memoryhub.formats.text.source import Section, fenced_lines


class Stated(NamedTuple):
    """What a text states, each in file order."""

    decisions: tuple[StatedDecision, ...] = ()
    directives: tuple[StatedDirective, ...] = ()
    open_items: tuple[OpenItem, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkNote:
    """A parsed note on a piece of work, with all that it states."""

    text: str
    sections: tuple[Section, ...]
    stated: Stated

    def render(self) -> str:
        return self.text


def find_stated(text: str, sections: Sequence[Section], first_line: int = 1) -> Stated:
    """Return what a text states from a line on, outside of code fences."""
    skipped = fenced_lines(text) | frozenset(range(1, first_line))
    lists = labelled_lists(text, sections, skipped)
    return Stated(
        find_decisions(text, lists, skipped),
        find_directives(text, lists, skipped),
        find_open_items(text, lists, skipped),
    )
