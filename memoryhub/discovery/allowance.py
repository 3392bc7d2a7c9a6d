"""Limits of a look at folders: a number of entries and a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from memoryhub.values.budgets import Budget


@dataclass(slots=True)
class Allowance:
    """How many directory entries may still be listed, and until when.

    `was_cut`: a listing ended early because nothing was left.
    """

    entries: int
    budget: Budget
    was_cut: bool = False

    def part(self, most: int) -> Allowance:
        """Return an allowance of at most `most` entries, within the same time."""
        return Allowance(min(most, self.entries), self.budget)

    def listing(self, place: str) -> Iterator[os.DirEntry[str]]:
        """Yield a folder's entries, as many as are left.

        Raises:
            OSError: the folder cannot be listed.
        """
        if self._is_spent():
            return
        with os.scandir(place) as entries:
            for entry in entries:
                if self._is_spent():
                    return
                self.entries -= 1
                yield entry

    def _is_spent(self) -> bool:
        spent = self.entries <= 0 or self.budget.is_spent
        self.was_cut = self.was_cut or spent
        return spent
