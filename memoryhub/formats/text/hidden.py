"""Characters that hide text or turn its direction, shown as escapes.

Marks behind letters of scripts that need them, and joined emoji, are no such ones;
a second selector of variants in a row is.
"""

from __future__ import annotations

import re

from memoryhub.values.tokens import beyond_ascii

#: Letters of scripts that are written with joiners and marks of direction, and emoji.
_JOINED = (
    "\u0590-\u08ff\u0900-\u0fff\u1000-\u109f\u1780-\u18af\ufb1d-\ufdff\ufe0f"
    "\ufe70-\ufefc\u2600-\u27bf\U0001f000-\U0001faff"
)
_MARKS = "\u061c\u180e\u200b-\u200f\ufeff"
_VARIANTS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_OTHERS = "\u2060-\u2064\u202a-\u202e\u2066-\u2069\u3164\uffa0\U000e0000-\U000e007f"
HIDDEN = re.compile(
    # One class first: texts have hardly any of them.
    rf"[{_OTHERS}{_MARKS}{_VARIANTS}](?:(?<=[{_OTHERS}])"
    rf"|(?<=[{_MARKS}])(?<![{_JOINED}].)(?<!\A\ufeff)|(?<=[{_VARIANTS}][{_VARIANTS}]))"
)
#: Found among the characters beyond ASCII of each text that has a hidden one.
_SUSPECT = re.compile(f"[{_OTHERS}{_MARKS}]|[{_VARIANTS}][{_VARIANTS}]")


def hidden_in(text: str) -> list[int]:
    """Return the offsets of hidden characters."""
    if not _SUSPECT.search(beyond_ascii(text)):
        return []
    return [found.start() for found in HIDDEN.finditer(text)]


def with_escapes(text: str) -> str:
    """Return a text with its hidden characters as escapes: ``\\u{202e}``."""
    if text.isascii():
        return text
    return HIDDEN.sub(escape_of, text)


def escape_of(found: re.Match[str]) -> str:
    """Return the escape of a hidden character."""
    return f"\\u{{{ord(found[0]):x}}}"
