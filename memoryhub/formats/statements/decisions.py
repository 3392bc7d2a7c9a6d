"""Decisions that a text states: lists under labels of decisions, labelled lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.statements.lists import LabelledList
from memoryhub.formats.text.labels import says_nothing


class StatedDecision(NamedTuple):
    """A decision, and the label it was filed under."""

    text: str
    label: str
    lines: Lines


def find_decisions(
    lists: Iterable[LabelledList], skipped: frozenset[int]
) -> tuple[StatedDecision, ...]:
    """Return the decisions of a text in file order, each line once.

    `lists` are those of `memoryhub.formats.statements.lists`.
    """
    found: dict[int, StatedDecision] = {}
    for one in lists:
        label = one.label.strip("*_# \t")
        for item in one.items if one.kind == "decision" else ():
            first = item.lines.first
            if first not in skipped and not says_nothing(item.text):
                known = StatedDecision(item.text, label, item.lines)
                found.setdefault(first, known)
    return tuple(decision for _, decision in sorted(found.items()))
