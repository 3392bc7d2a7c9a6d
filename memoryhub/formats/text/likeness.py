"""Confusable names, by Unicode's list of look-alike characters.

Pure. Unicode Technical Standard #39, section 4, defines the skeleton.
"""

from __future__ import annotations

from functools import cache
from pkgutil import resolve_name
from unicodedata import normalize

_TABLE = "confusable_homoglyphs.confusables:confusables_data"
#: Digits that many fonts draw as letters.
_DIGITS = str.maketrans("01", "ol")
_BLANKS = str.maketrans("", "", " ._-@")


@cache
def skeleton(name: str) -> str:
    """Return the comparison key of a name's look: equal for names that look alike.

    Case, width, blanks and punctuation do not count; letters of other scripts that
    look like Latin ones count as these.
    """
    plain = normalize("NFKC", name).casefold().translate(_BLANKS)
    drawn = plain if plain.isascii() else "".join(map(_drawn, plain))
    return drawn.translate(_DIGITS)


def looks_like(name: str, other: str) -> bool:
    """Return whether two different names can be confused.

    A name that differs in case only is the same name.
    """
    if name.casefold() == other.casefold():
        return False
    return skeleton(name) == skeleton(other)


@cache
def _drawn(letter: str) -> str:
    """Return the Latin letter a character looks like, else its first look-alike."""
    if letter.isascii():
        return letter
    alike = [found["c"] for found in _table().get(letter, ())]
    latin = [c for c in alike if c.isascii() and c.isalnum()]
    return min(latin or [letter, *alike], key=lambda c: (len(c), c)).casefold()


@cache
def _table() -> dict[str, list[dict[str, str]]]:
    """Return Unicode's list. Loading it takes 50 ms, and most names never need it."""
    table: dict[str, list[dict[str, str]]] = resolve_name(_TABLE)
    return table
