"""Paths and patterns of file claims: which names are valid, which two can meet. Pure.

A pattern is a relative path in which ``*`` and ``?`` match within a folder's name and
``**`` any folders; other characters are literal, brackets too. A folder stands for all
beneath it. Names are compared without case, as some file systems do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from memoryhub.formats.base import FormatError

#: Longest pattern, and most wildcards in one: bounds of the time to compare two.
LONGEST, WILDCARDS = 300, 16
_ANY, _FOLDERS = "*", "**"


class BadPath(FormatError):
    """A name that no claim can be for: ``claim-path`` with the name and the reason."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__("claim-path", path=path[:LONGEST], why=why)


def normal_path(path: str) -> str:
    """Return a path as claims store it: ``/`` between names, no ``.`` among them.

    Raises:
        BadPath: it is empty, absolute, leads out, or is too long or too wild.
    """
    whole = path.strip().replace("\\", "/")
    parts = [part for part in whole.split("/") if part not in ("", ".")]
    if not whole or not whole.isprintable():
        raise BadPath(path, "it is no name")
    if whole.startswith(("/", "~")) or ":" in whole.split("/")[0]:
        raise BadPath(path, "name it from the repository's or workspace's top folder")
    if ".." in parts:
        raise BadPath(path, "it leads out of its folder")
    if len(whole) > LONGEST:
        raise BadPath(path, f"it is longer than {LONGEST} characters")
    if sum(map(whole.count, "*?")) > WILDCARDS:
        raise BadPath(path, f"it has more than {WILDCARDS} wildcards")
    return "/".join(parts) or _FOLDERS


@lru_cache(maxsize=65536)
def can_meet(one: str, other: str) -> bool:
    """Return whether a file can be in both of two patterns."""
    names, others = _names(one), _names(other)
    return _reach(names, others, _FOLDERS, _name_meets, beneath=True)


@lru_cache(maxsize=65536)
def covers(pattern: str, file: str) -> bool:
    """Return whether a file is in a pattern; the file's name is literal."""
    names, parts = _names(pattern), tuple(file.casefold().split("/"))
    heads = (parts[:size] for size in range(1, len(parts) + 1))
    return any(_reach(names, head, _FOLDERS, _matches) for head in heads)


def _names(pattern: str) -> tuple[str, ...]:
    return tuple(pattern.casefold().split("/"))


def _name_meets(one: str, other: str) -> bool:
    return _reach(one, other, _ANY, lambda a, b: a == b or "?" in (a, b))


def _matches(pattern: str, name: str) -> bool:
    """Return whether a literal name matches; its own wildcards are letters."""
    letters = tuple(f"={letter}" for letter in name)
    return _reach(
        tuple(letter if letter in "*?" else f"={letter}" for letter in pattern),
        letters,
        _ANY,
        lambda a, b: a in ("?", b),
    )


def _reach(
    one: Sequence[str],
    other: Sequence[str],
    many: str,
    same: Callable[[str, str], bool],
    *,
    beneath: bool = False,
) -> bool:
    """Return whether two sequences with wildcards for `many` parts can be equal.

    With `beneath` it suffices that one is equal to the beginning of the other.
    """
    todo, seen = [(0, 0)], {(0, 0)}
    while todo:
        here, there = todo.pop()
        ends = here == len(one), there == len(other)
        if all(ends) or (beneath and any(ends)):
            return True
        found = []
        if not ends[0] and one[here] == many:
            found += [(here + 1, there)] + [(here, there + 1)] * (not ends[1])
        if not ends[1] and other[there] == many:
            found += [(here, there + 1)] + [(here + 1, there)] * (not ends[0])
        if not any(ends) and same(one[here], other[there]):
            found.append((here + 1, there + 1))
        todo += set(found) - seen
        seen |= set(found)
    return False
