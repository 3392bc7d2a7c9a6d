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
    return _can_be_equal(
        _names(one), _names(other), _FOLDERS, _places_of_name, beneath=True
    )


@lru_cache(maxsize=65536)
def covers(pattern: str, file: str) -> bool:
    """Return whether a file is in a pattern; the file's name is literal."""
    names, parts = _names(pattern), tuple(f"={name}" for name in _names(file))
    heads = (parts[:size] for size in range(1, len(parts) + 1))
    return any(_can_be_equal(names, head, _FOLDERS, _places_of_file) for head in heads)


def _names(pattern: str) -> tuple[str, ...]:
    return tuple(pattern.casefold().split("/"))


#: Bits of the places in a sequence whose part a part of the other can be equal to.
Places = Callable[[str, Sequence[str]], int]


def _can_be_equal(
    one: Sequence[str],
    other: Sequence[str],
    many: str,
    places: Places,
    *,
    beneath: bool = False,
) -> bool:
    """Return whether two sequences with wildcards for `many` parts can be equal.

    With `beneath` it suffices that one is equal to the beginning of the other. Walks
    through `one` with the set of places in `other` that it can be at, as bits: linear,
    because others wait while claims are compared.
    """
    end, wild = 1 << len(other), _bits(other, lambda part: part == many)
    found: dict[str, int] = {}
    at = _skipped(1, wild)
    for part in one:
        if not at or (beneath and at & end):
            break
        if part == many:
            at = _skipped((end << 1) - (at & -at), wild)
            continue
        if part not in found:
            found[part] = places(part, other) & ~wild
        at = _skipped(at & wild | (at & found[part]) << 1, wild)
    return bool(at) if beneath else bool(at & end)


def _skipped(at: int, wild: int) -> int:
    """Return these places and those after wildcards, which can stand for nothing."""
    while (after := at | (at & wild) << 1) != at:
        at = after
    return at


def _bits(parts: Sequence[str], holds: Callable[[str], bool]) -> int:
    return sum(1 << place for place, part in enumerate(parts) if holds(part))


def _places_of_name(name: str, others: Sequence[str]) -> int:
    return _bits(others, lambda other: _name_meets(name, other))


def _places_of_file(pattern: str, files: Sequence[str]) -> int:
    return _bits(files, lambda file: _matches(pattern, file[1:]))


@lru_cache(maxsize=65536)
def _name_meets(one: str, other: str) -> bool:
    if not (_is_wild(one) or _is_wild(other)):
        return one == other
    return _can_be_equal(one, other, _ANY, _places_of_letter)


def _places_of_letter(letter: str, others: Sequence[str]) -> int:
    return _bits(others, lambda other: letter == other or "?" in (letter, other))


@lru_cache(maxsize=65536)
def _matches(pattern: str, name: str) -> bool:
    """Return whether a literal name matches; its own wildcards are letters."""
    if not _is_wild(pattern):
        return pattern == name
    letters = tuple(f"={letter}" for letter in name)
    return _can_be_equal(pattern, letters, _ANY, _places_of_literal)


def _places_of_literal(letter: str, letters: Sequence[str]) -> int:
    return _bits(letters, lambda other: letter in ("?", other[1:]))


def _is_wild(name: str) -> bool:
    return "*" in name or "?" in name
