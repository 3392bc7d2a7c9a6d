"""Promotions out of the short-term memory: OpenClaw's marks on bullets of memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memoryhub.formats.text.list_items import bullets_of
from memoryhub.formats.text.source import split_lines

_PROMOTION_MARK = "<!-- openclaw-memory-promotion:"
#: What stands behind a promoted text, ``[score=0.8 signals=3 recalls=0 avg=0.6
#: source=memory/F.md:27-30]``; older editions write no signals.
_SCORE = re.compile(
    r"\[score=([0-9.]{1,20})(?: signals=[0-9]{1,9})? recalls=[0-9]{1,9}"
    r" avg=[0-9.]{1,20} source=([^\n]+):([0-9]{1,9})-[0-9]{1,9}\][ \t]*"
)


@dataclass(frozen=True, slots=True)
class Promotion:
    """A promoted bullet and its source, as far as it is known."""

    key: str
    snippet: str
    score: float | None = None
    source_path: str = ""
    source_first: int = 0


def promotion_key(line: str) -> str:
    """Return the key of a promotion's comment line; empty for any other line."""
    line = line.strip()
    if not line.startswith(_PROMOTION_MARK) or not line.endswith("-->"):
        return ""
    return line.removeprefix(_PROMOTION_MARK).removesuffix("-->").strip()


def find_promotions(text: str) -> Iterator[Promotion]:
    """Yield the bullets right below a promotion's comment."""
    if _PROMOTION_MARK not in text:
        return
    lines = ["", *split_lines(text)]
    for item in bullets_of(text):
        if key := promotion_key(lines[item.lines.first - 1]):
            yield _promotion(key, item.text)


def _promotion(key: str, text: str) -> Promotion:
    if text.endswith("-->"):
        # Triggers and the like, which OpenClaw reads at the end of a line.
        text = text.partition("<!--")[0].rstrip()
    start = text.rfind("[score=")
    found = _SCORE.fullmatch(text, start) if start >= 0 else None
    if not found:
        return Promotion(key, text)
    score = float(found[1]) if found[1].count(".") < 2 and found[1] != "." else None
    return Promotion(key, text[:start].rstrip(), score, found[2], int(found[3]))
