"""Long lists of alternatives, compiled so that most places of a text are passed over.

Python's `re` tries each alternative at each place. Those that begin with a word
boundary, or at the start of the text, are put in a group behind that one condition.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property

_CONDITIONS = (r"\b", "^")


class Alternatives:
    """Regex alternatives, compiled on first use.

    Texts hold words of few languages, and a process that reads none needs no rules.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    @cached_property
    def search(self) -> Callable[[str], re.Match[str] | None]:
        """Return the first match in a text."""
        return compile_alternatives(self.pattern).search


def compile_alternatives(pattern: str) -> re.Pattern[str]:
    r"""Return a pattern without groups of its own, as quick to search for as it can be.

    It finds what ``re.compile`` would find. Only where several alternatives match at
    one place another one of them may come first: those behind ``\b`` do.
    """
    groups: dict[str, list[str]] = {condition: [] for condition in _CONDITIONS}
    others: list[str] = []
    for one in alternatives(pattern):
        condition = next((c for c in _CONDITIONS if one.startswith(c)), "")
        groups.get(condition, others).append(one.removeprefix(condition))
    grouped = [f"{c}(?:{'|'.join(ones)})" for c, ones in groups.items() if ones]
    return re.compile("|".join([*grouped, *others]))


def rank_of(alternative: str) -> int:
    """Return the place of an alternative among those that match at one place."""
    ranks = (n for n, c in enumerate(_CONDITIONS) if alternative.startswith(c))
    return next(ranks, len(_CONDITIONS))


def alternatives(pattern: str) -> Iterator[str]:
    """Split a pattern at its bars outside groups and sets."""
    depth, in_set, start, place = 0, False, 0, 0
    while place < len(pattern):
        sign = pattern[place]
        if sign == "\\":
            place += 1
        elif in_set:
            in_set = sign != "]"
        elif sign == "[":
            in_set = True
        elif sign in "()":
            depth += 1 if sign == "(" else -1
        elif sign == "|" and not depth:
            yield pattern[start:place]
            start = place + 1
        place += 1
    yield pattern[start:]
