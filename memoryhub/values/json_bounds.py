"""How much a JSON text may hold, looked at before any parser makes objects of it."""

from __future__ import annotations

import re

#: A text may hold this many values, an object this many keys, in this many levels.
MAX_VALUES, MAX_KEYS, MAX_DEPTH = 50_000, 1_000, 64
#: Strings are passed over whole, also one without an end: what is in them is text.
_PART = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{},]', re.DOTALL)
_OPENS, _CLOSES, _COMMA = b"[{", b"]}", b","


class JsonTooLarge(ValueError):
    """A JSON text that holds more than anybody asks for."""


def check_size(data: bytes) -> None:
    """Look at the structure of a JSON text; whether it is one is for its parser.

    Takes time in proportion to the text, and ends where there is too much.

    Raises:
        JsonTooLarge: it holds too many values or keys.
        ValueError: it is nested too deep.
    """
    values = 1
    places: list[int] = []
    for part in _PART.finditer(data):
        sign = data[part.start()]
        if sign in _OPENS:
            # Keys are counted by the commas between them, and those of arrays are not.
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
