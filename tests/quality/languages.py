"""The language of a workspace, by the phrases of `phrases.toml` in its files."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from memoryhub.prose.labels import tables

_UNSPACED = ("zh", "ja", "ko")


def language_of(folder: Path) -> str:
    """Return the language whose phrases and labels are most often in its notes."""
    texts = (path.read_bytes() for path in sorted(folder.rglob("*.md")))
    text = "\n".join(one.decode("utf-8", "replace") for one in texts).casefold()
    shares = {
        name: len(pattern.findall(text)) / math.sqrt(number)
        for name, (pattern, number) in _words().items()
    }
    return max(shares, key=lambda name: shares[name])


@cache
def _words() -> dict[str, tuple[re.Pattern[str], int]]:
    words: dict[str, set[str]] = {}
    for table in (*tables("phrases.toml").values(), *tables().values()):
        for language, some in table.items():
            if len(language) == len("en"):
                words.setdefault(language, set()).update(w.strip("…") for w in some)
    return {name: (_pattern(name, some), len(some)) for name, some in words.items()}


def _pattern(language: str, words: Iterable[str]) -> re.Pattern[str]:
    longest = sorted(filter(None, words), key=len, reverse=True)
    told = "|".join(map(re.escape, longest))
    return re.compile(told if language in _UNSPACED else rf"(?<!\w)(?:{told})(?!\w)")
