"""Matching of a revision's entries with those of the next revision of the file.

Rows of entries without a natural key keep their identity through this:
pure, deterministic, and fast enough for the longest log.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple

from memoryhub.formats.text.diffing import rising_run


class Key(NamedTuple):
    """Identity of an entry: 63-bit hashes of its text and of its heading."""

    text: int
    heading: int


#: Unmatched stretches of both sides between two entries that go on in order.
_Gap = tuple[range, range]


def key_of(text: str, heading: str) -> Key:
    """Return the key of an entry; equal texts give equal numbers on every machine."""
    return Key(_hash(text), _hash(heading) if heading else _OF_NOTHING)


def _hash(text: str) -> int:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


#: Most entries have no heading.
_OF_NOTHING = _hash("")


def align(old: Sequence[Key], new: Sequence[Key]) -> list[int | None]:
    """Return, for each new entry, the index of the old entry it continues, or None.

    Equal texts are paired first: the common ends, then texts that occur once
    (wherever they moved) and their neighbours, then repeated texts in order.
    The rest is paired by equal heading, in order, between the entries paired so far.
    Each old entry is continued once at most.
    """
    matching = _Matching(old, new)
    matching.pair_ends()
    if matching.is_open():
        matching.pair_unique(lambda key: key)
        matching.pair_unique(lambda key: key.text)
        matching.pair_in_gaps(lambda key: key.text)
        whole = range(len(old)), range(len(new))
        matching.pair_in_order(whole, lambda key: key.text)
        matching.pair_in_gaps(lambda key: key.heading)
    return matching.continues


class _Matching:
    """The pairs found so far, indexed from both sides."""

    def __init__(self, old: Sequence[Key], new: Sequence[Key]) -> None:
        self.old = old
        self.new = new
        self.continues: list[int | None] = [None] * len(new)
        self.continued: list[int | None] = [None] * len(old)

    def is_open(self) -> bool:
        return None in self.continues and None in self.continued

    def pair(self, old: int, new: int) -> None:
        self.continues[new] = old
        self.continued[old] = new

    def pair_ends(self) -> None:
        """Pair the common start and the common end of both sides.

        A file that got shorter was pruned at its head, so its end goes first.
        """
        if len(self.new) < len(self.old):
            self._spread(len(self.old), len(self.new), -1)
            self._spread(-1, -1, 1)
        else:
            self._spread(-1, -1, 1)
            self._spread(len(self.old), len(self.new), -1)

    def pair_unique(self, by: Callable[[Key], object]) -> None:
        """Pair keys that occur once on both sides, then equal neighbours of pairs."""
        old, new = self._once(self.old, by), self._once(self.new, by)
        pairs = [(old[what], new[what]) for what in old.keys() & new.keys()]
        free = [(i, j) for i, j in sorted(pairs) if self._is_free(i, j)]
        for i, j in free:
            self.pair(i, j)
        for i, j in free:
            self._spread(i, j, 1)
            self._spread(i, j, -1)

    def pair_in_gaps(self, by: Callable[[Key], object]) -> None:
        """Pair equal keys within each gap.

        At the head, the entries left after pruning adjoin the first paired entry, so
        pairing goes backwards there.
        """
        for old, new in list(self._gaps()):
            at_head = old.start == 0 and old.stop < len(self.old)
            step = -1 if at_head else 1
            self.pair_in_order((old[::step], new[::step]), by)

    def pair_in_order(self, gap: _Gap, by: Callable[[Key], object]) -> None:
        waiting: defaultdict[object, list[int]] = defaultdict(list)
        old, new = gap
        for i in reversed(old):
            if self.continued[i] is None:
                waiting[by(self.old[i])].append(i)
        for j in new:
            if self.continues[j] is None and (found := waiting.get(by(self.new[j]))):
                self.pair(found.pop(), j)

    def _is_free(self, i: int, j: int) -> bool:
        return self.continued[i] is None and self.continues[j] is None

    def _spread(self, i: int, j: int, step: int) -> None:
        i, j = i + step, j + step
        while 0 <= i < len(self.old) and 0 <= j < len(self.new):
            if self.old[i] != self.new[j] or not self._is_free(i, j):
                return
            self.pair(i, j)
            i, j = i + step, j + step

    @staticmethod
    def _once(keys: Sequence[Key], by: Callable[[Key], object]) -> dict[object, int]:
        count = Counter(map(by, keys))
        return {by(key): i for i, key in enumerate(keys) if count[by(key)] == 1}

    def _gaps(self) -> Iterator[_Gap]:
        pairs = [(j, i) for j, i in enumerate(self.continues) if i is not None]
        last_old, last_new = -1, -1
        for j, i in [*rising_run(pairs), (len(self.new), len(self.old))]:
            if i - last_old > 1 and j - last_new > 1:
                yield range(last_old + 1, i), range(last_new + 1, j)
            last_old, last_new = i, j
