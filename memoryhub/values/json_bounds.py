"""Size limits of a JSON text, checked before any parser builds objects."""

from __future__ import annotations

import re

#: Limits: values of a text, keys of an object, levels.
MAX_VALUES, MAX_KEYS, MAX_DEPTH = 50_000, 1_000, 64
#: Matches whole strings, even unterminated ones: their content is skipped.
_PART = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{},]', re.DOTALL)
_OPENS, _CLOSES, _COMMA = b"[{", b"]}", b","


class JsonTooLarge(ValueError):
    """A JSON text with too many values or keys."""


def check_size(data: bytes) -> None:
    """Check the structure of a JSON text against the limits; it is not validated.

    Linear in the text's size; stops at the first excess.

    Raises:
        JsonTooLarge: it has too many values or keys.
        ValueError: it is nested too deeply.
    """
    values = 1
    places: list[int] = []
    for part in _PART.finditer(data):
        sign = data[part.start()]
        if sign in _OPENS:
            # Keys are counted by commas; an array starts so low that it never exceeds.
            places.append(1 if sign == _OPENS[1] else -MAX_VALUES)
            values += 1
        elif sign in _CLOSES and places:
            places.pop()
        elif sign in _COMMA:
            values += 1
            if places:
                places[-1] += 1
        if len(places) > MAX_DEPTH:
            raise ValueError("nested too deep")
        if values > MAX_VALUES or (places and places[-1] > MAX_KEYS):
            raise JsonTooLarge
