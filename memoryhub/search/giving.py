"""Options of a search, and the matches returned within them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memoryhub.search.parser import Note
from memoryhub.search.results import Hit, Match
from memoryhub.values import tokens
from memoryhub.values.budgets import Budget

#: Time limit of a search in seconds; then it returns its results so far.
SECONDS = 2
#: The search took too long: there may be more.
STOPPED = Note("stopped", str(SECONDS))
#: Tokens that a result takes on average, and the least results looked up together.
_RESULT_TOKENS, _LEAST_AT_ONCE = 40, 8
#: Results without room in the budget, after which no other is tried.
_MISSES = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """Options of a search.

    With a token budget: as many of the best as fit. `collapsing`, and always with a
    budget: lines that say the same are one result.
    `recent`: newer lines score higher. `typing`: the last word may be a prefix.
    `jumps`: a row that the query names exactly is looked up too. `readable` says of a
    path whether the caller may read the file.
    """

    limit: int = 50
    token_budget: int | None = None
    recent: bool = False
    typing: bool = False
    jumps: bool = True
    min_score: float = 0.0
    readable: Callable[[str], bool] | None = None
    collapsing: bool = False

    @property
    def at_once(self) -> int:
        """Number of results whose things are looked up together."""
        if self.token_budget is None:
            return self.limit
        return max(_LEAST_AT_ONCE, min(self.limit, self.token_budget // _RESULT_TOKENS))


def in_time(matches: Iterator[Match], budget: Budget, at_once: int) -> Iterator[Match]:
    """Yield matches until the budget is spent.

    So many are looked up together, so the first of them take no further time.
    """
    try:
        for number, match in enumerate(matches, 1):
            yield match
            if number >= at_once and budget.is_spent:
                return
    except sqlite3.OperationalError:
        if not budget.is_spent:
            raise


def fitting(matches: Iterator[Match], asked: Asked) -> tuple[Hit, ...]:
    """Return the best hits within the limit and the token budget."""
    left, fitting, missed = asked.token_budget, list[Hit](), 0
    for match in matches:
        if not match.exact and match.score < asked.min_score:
            continue
        if left is None:
            fitting.append(match.hit())
        elif hit := match.hit_within(left, whole=asked.token_budget):
            fitting.append(hit)
            left -= tokens.shown(hit.text)
        else:
            missed += 1
        if len(fitting) == asked.limit or missed == _MISSES:
            break
    return tuple(fitting)
