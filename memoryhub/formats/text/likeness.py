"""Pairing of texts that are alike: which missing file a new file continues.

A text is compared by its clauses. A clause that several old or several new texts have
is a template's: it counts for the likeness of two texts, but does not make them a pair.
Time grows with the length of the texts, not with the number of pairs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

#: Share of the longer text that both must have.
_ALIKE = 0.6
#: Characters that two texts of different names must share outside templates. A file of
#: the same name that has as many of its own, and shares less of them, is another one.
_OWN, _SHARED_OWN = 20, 60
#: Last components of a path that name a file: the more of them are equal, the better.
_COMPONENTS = 3
_BREAK = re.compile(r"[\n.!?;:,|。！？；：，、]+")
_DAY = re.compile(r"(?<!\d)(\d{4})[-_.]?(\d\d)[-_.]?(\d\d)(?!\d)")


@dataclass(frozen=True)
class _Text:
    """The clauses of a text, by number of occurrences."""

    clauses: Counter[str]

    @classmethod
    def of(cls, text: str) -> _Text:
        parts = (part.strip() for part in _BREAK.split(text))
        return cls(Counter(part for part in parts if part))

    @cached_property
    def size(self) -> int:
        return _size_of(self.clauses)

    def likeness(self, other: _Text) -> float:
        """Return the characters of common clauses as a share of the longer text."""
        longer = max(self.size, other.size)
        return _size_of(self.clauses & other.clauses) / longer if longer else 0.0


def _size_of(clauses: Counter[str]) -> int:
    return sum(len(clause) * count for clause, count in clauses.items())


def continued(
    old: Mapping[str, str], new: Mapping[str, str], others: Iterable[str] = ()
) -> dict[str, str]:
    """Return the path of the old text that a new one continues, by its path.

    Texts are given by path; `others` are texts that stay. Each old text is continued
    once at most. Texts whose names have different days never pair.
    """
    sides = [
        {path: _Text.of(text) for path, text in side.items()} for side in (old, new)
    ]
    rest = [set(_Text.of(text).clauses) for text in others]
    was, now = sides
    own_was, own_now = _own(was, rest), _own(now, rest)
    found = {
        after: before
        for before, after in _sharing(own_was, own_now)
        if _is_alike(was[before], now[after]) and not _on_other_days(before, after)
    }
    left, come = was.keys() - found.values(), now.keys() - found
    for before, after in _of_same_name(left, come):
        pair = own_was[before], own_now[after]
        if _is_alike(was[before], now[after]) and not _are_others(*pair):
            found[after] = before
    return found


def _own(texts: Mapping[str, _Text], others: Iterable[set[str]]) -> dict[str, _Text]:
    """Return the clauses of each text that no other text of its side has."""
    known = Counter(clause for text in texts.values() for clause in text.clauses)
    known.update(clause for clauses in others for clause in clauses)
    return {
        path: _Text(Counter({c: n for c, n in text.clauses.items() if known[c] == 1}))
        for path, text in texts.items()
    }


def _sharing(
    old: Mapping[str, _Text], new: Mapping[str, _Text]
) -> Iterator[tuple[str, str]]:
    """Yield the pairs that share most of their own clauses: one at most per text."""
    owner = {clause: path for path, text in old.items() for clause in text.clauses}
    for after, text in sorted(new.items()):
        shared: Counter[str] = Counter()
        for clause, count in text.clauses.items():
            if before := owner.get(clause):
                common = min(count, old[before].clauses[clause])
                shared[before] += len(clause) * common
        for before, size in shared.items():
            longer = max(old[before].size, text.size)
            if size >= max(_SHARED_OWN, longer * _ALIKE):
                yield before, after


def _is_alike(one: _Text, other: _Text) -> bool:
    return one.likeness(other) >= _ALIKE


def _are_others(before: _Text, after: _Text) -> bool:
    """Return whether two texts from one template differ in content."""
    has_own = min(before.size, after.size) >= _OWN
    return has_own and not _is_alike(before, after)


def _of_same_name(old: Iterable[str], new: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the pairs whose name is unique on both sides, those of longer names first.

    A path yielded once is not yielded again, whether or not its text is alike.
    """
    left, come = set(old), set(new)
    for length in range(_COMPONENTS, 0, -1):
        was, now = _by_name(left, length), _by_name(come, length)
        for name in sorted(was.keys() & now.keys()):
            if len(was[name]) == len(now[name]) == 1:
                yield was[name][0], now[name][0]
                left.discard(was[name][0])
                come.discard(now[name][0])


def _by_name(paths: Iterable[str], length: int) -> dict[tuple[str, ...], list[str]]:
    found: dict[tuple[str, ...], list[str]] = {}
    for path in sorted(paths):
        parts = PurePosixPath(path).parts
        if len(parts) >= length:
            found.setdefault(parts[-length:], []).append(path)
    return found


def _on_other_days(before: str, after: str) -> bool:
    days = [_DAY.search(path.rpartition("/")[2]) for path in (before, after)]
    return all(days) and len({day.groups() for day in days if day}) > 1
