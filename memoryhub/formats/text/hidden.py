"""Characters that hide text or turn its direction, shown as escapes.

Marks between letters of scripts that need them, and joined emoji, are no such ones.
"""

from __future__ import annotations

import re

HIDDEN = re.compile(
    "[\u200b\u2060\u202a-\u202e\u2066-\u2069\U000e0001\U000e0020-\U000e007f]"
    "|(?<=[\x00-\x7f])[\u061c\u200c-\u200f\ufeff]"
)


def with_escapes(text: str) -> str:
    """Return a text with its hidden characters as escapes: ``\\u{202e}``."""
    if text.isascii():
        return text
    return HIDDEN.sub(escape_of, text)


def escape_of(found: re.Match[str]) -> str:
    """Return the escape of a hidden character."""
    return f"\\u{{{ord(found[0]):x}}}"
