"""Equivalents of Rust's string functions that differ from Python's.

Python also takes U+001C to U+001F for blanks, and ends lines at a dozen characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

#: Unicode's White_Space.
BLANKS = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_TOKEN = re.compile(f"[^{BLANKS}]+")


def trim(text: str) -> str:
    """Return a text without blanks around it: `str::trim`."""
    return text.strip(BLANKS)


def trim_end(text: str) -> str:
    """Return a text without blanks at its end: `str::trim_end`."""
    return text.rstrip(BLANKS)


def lines(text: str) -> list[str]:
    r"""Return the lines of a text without their ``\n`` or ``\r\n``: `str::lines`."""
    found = text.split("\n")
    last = found.pop()
    ended = [line.removesuffix("\r") for line in found]
    return [*ended, last] if last else ended


def tokens(text: str) -> Iterator[str]:
    """Yield the parts of a text between blanks: `str::split_whitespace`."""
    return (found[0] for found in _TOKEN.finditer(text))


def extension(path: str) -> str:
    """Return the extension of a path's name, after its last dot: `Path::extension`.

    Empty for a name whose only dot is the first character.
    """
    parts = (part for part in reversed(path.split("/")) if part not in ("", "."))
    name = next(parts, "")
    stem, _, found = name.rpartition(".")
    return found if stem else ""
