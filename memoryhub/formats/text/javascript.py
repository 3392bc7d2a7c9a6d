"""Equivalents of JavaScript functions that differ from Python's.

The programs that write these files use them; equal bytes need equal rules.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from memoryhub.formats.base import FormatError

#: What `String.prototype.trim` and ``\\s`` take off: unlike Python's `str.strip`
#: the BOM is among them, the information separators and U+0085 are not.
BLANKS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
    "\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
)

#: The characters that ``.`` in a regular expression does not match.
LINE_TERMINATOR = re.compile("[\n\r\u2028\u2029]")

_SURROGATE = re.compile("[\ud800-\udfff]")
_INTEGER_KEY = re.compile(r"0|[1-9][0-9]{0,9}")
_LARGEST_INTEGER_KEY = 2**32 - 2


def trim(text: str) -> str:
    return text.strip(BLANKS)


def length(text: str) -> int:
    """Return a text's length in UTF-16 units, as JavaScript counts."""
    return len(text) if text.isascii() else len(_units(text)) // 2


def head(text: str, size: int) -> str:
    """Return the first units of a text; a character is left out rather than cut."""
    return _units(text)[: size * 2].decode("utf-16-le", "ignore")


def tail(text: str, size: int) -> str:
    """Return the last units of a text; a character is left out rather than cut."""
    return _units(text)[-size * 2 :].decode("utf-16-le", "ignore")


def _units(text: str) -> bytes:
    return text.encode("utf-16-le", "replace")


def key_order(keys: Iterable[str]) -> list[str]:
    """Return keys in the order of a JavaScript object: integers first, ascending."""
    listed = list(keys)
    integers = sorted((key for key in listed if _is_integer(key)), key=int)
    return integers + [key for key in listed if not _is_integer(key)]


def _is_integer(key: str) -> bool:
    return bool(_INTEGER_KEY.fullmatch(key)) and int(key) <= _LARGEST_INTEGER_KEY


def stringify(mapping: Mapping[str, object]) -> str:
    """Return ``JSON.stringify(mapping, null, 2)``, top level keys in its order."""
    ordered = {key: mapping[key] for key in key_order(mapping)}
    text = json.dumps(ordered, ensure_ascii=False, indent=2)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def parse_json(text: str) -> object:
    """Return the value of a JSON text; of equal keys the last one counts.

    Raises `FormatError` ``json-invalid`` with the line, also for nesting too deep and
    numbers too long.
    """
    try:
        held: object = json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise FormatError("json-invalid", error.lineno, reason=error.msg) from error
    except (ValueError, RecursionError) as error:
        raise FormatError("json-invalid", 1, reason=str(error)) from error
    return held


def text_of(held: Mapping[str, object], key: str, longest: int = 2_000) -> str:
    """Return a text of a JSON object in one line; empty for any other value."""
    said = held.get(key)
    return " ".join(said[:longest].split()) if isinstance(said, str) else ""
