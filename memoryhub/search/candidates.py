"""First stage of a search: the blocks whose lines are scored."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from memoryhub.search.lookup import Limits, Lookup, once
from memoryhub.search.ranking import Candidate
from memoryhub.search.steps import Step
from memoryhub.search.terms import Plan
from memoryhub.values.budgets import Budget

#: Number of blocks, without and with filters.
BLOCKS, FILTERED_BLOCKS = 40, 500
#: Number of blocks of each query for a name.
_NAME_BLOCKS = 20


class Candidates(NamedTuple):
    """Blocks, best first; the first so many have a name or a day of the query.

    `is_cut`: more blocks match.
    """

    blocks: list[Candidate]
    first: int
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the blocks of a plan within limits, as far as there is time."""

    lookup: Lookup
    limits: Limits
    budget: Budget
    is_narrowed: bool

    def of(self, plan: Plan) -> Candidates:
        """Return the blocks of a plan; of one without words the newest."""
        limit = FILTERED_BLOCKS if self.is_narrowed else BLOCKS
        if plan.is_empty:
            newest = self.lookup.newest(limit, self.limits)
            return Candidates(newest, 0, len(newest) >= limit)
        most = limit if self.is_narrowed else _NAME_BLOCKS
        exact = once(self._run(plan.exact, most))
        on_days = self._first_of(plan.on_days, limit)
        ranked = self._ranked(plan, limit - min(len(exact), limit // 2))
        is_cut = len(ranked) + min(len(exact), limit // 2) >= limit
        return Candidates(
            once([*exact, *on_days, *ranked]),
            len(exact) + len(on_days),
            is_cut or len(on_days) >= limit,
        )

    def _run(self, steps: Iterable[Step], limit: int) -> Iterator[Candidate]:
        """Yield the best blocks of each query."""
        for match, share in chain.from_iterable(steps):
            try:
                yield from self.lookup.best(match, limit, self.limits, share=share)
            except sqlite3.OperationalError:
                if not self.budget.is_spent:
                    raise
                return

    def _first_of(self, steps: Iterable[Step], limit: int) -> list[Candidate]:
        """Return the best blocks of the first step that has any."""
        found = (list(self._run([step], limit)) for step in steps)
        return next(filter(None, found), [])

    def _ranked(self, plan: Plan, limit: int) -> list[Candidate]:
        """Return the best blocks of the first steps that yield enough."""
        found: list[Candidate] = []
        for step in plan.steps:
            found = once([*found, *self._run([step], limit)])
            if len(found) >= limit:
                break
        return sorted(found, key=lambda block: -block.score)[:limit]
