"""Strict JSON: size limits before a parser builds objects, text that can be stored."""

from __future__ import annotations

import json
import re
from typing import Any

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


def strict_json(data: bytes) -> Any:
    """Parse a JSON text; accept only characters that can be stored.

    Raises:
        ValueError: not JSON, nested too deep, or text that no file could hold.
        JsonTooLarge: more values than any request needs.
    """
    check_size(data)
    try:
        found = json.loads(data, parse_float=_number)
        # An escaped lone surrogate is valid JSON, but not a character.
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode()
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    return found


def _number(text: str) -> float:
    """Return a number; an int for 1.0, as in JSON Schema."""
    number = float(text)
    return int(number) if number.is_integer() else number
