"""OpenClaw's marks on bullets of curated memory: annotations and promotions."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAMES = ("trigger", "importance", "project")
_PROMOTION_MARK = "<!-- openclaw-memory-promotion:"
_SCORE = re.compile(
    r"\[score=([0-9.]{1,20})(?: signals=([0-9]{1,9}))? recalls=([0-9]{1,9})"
    r" avg=([0-9.]{1,20}) source=([^\n]+):([0-9]{1,9})-([0-9]{1,9})\][ \t]*"
)


@dataclass(frozen=True, slots=True)
class Annotations:
    """The values of the comments at the end of a bullet."""

    triggers: tuple[str, ...] = ()
    importance: int | None = None
    projects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Promotion:
    """Reason and source of a bullet's promotion out of the short-term memory.

    Unknown numbers are None; older editions write no signals.
    """

    key: str
    snippet: str
    score: float | None = None
    signals: int | None = None
    recalls: int | None = None
    average: float | None = None
    source_path: str = ""
    source_first: int | None = None
    source_last: int | None = None


def split_annotations(text: str) -> tuple[str, Annotations]:
    """Cut a bullet's text from the annotations at its end.

    OpenClaw reads them only on a line that ends with ``-->``; of several
    importances the highest counts, triggers and projects add up.
    """
    if not text.endswith("-->"):
        return text, Annotations()
    head, *comments = text.split("<!--")
    found: dict[str, list[str]] = {name: [] for name in _NAMES}
    for comment in comments:
        name, _, value = comment.partition("-->")[0].strip().partition(":")
        found.get(name, []).append(value.strip())
    if not any(found.values()):
        return text, Annotations()
    return head.rstrip(), _annotations(found)


def _annotations(found: dict[str, list[str]]) -> Annotations:
    importances = [int(v) for v in found["importance"] if re.fullmatch("[1-9]|10", v)]
    return Annotations(
        triggers=_listed(re.split("[,;]", ";".join(found["trigger"]))),
        importance=max(importances, default=None),
        projects=_listed(";".join(found["project"]).split(";")),
    )


def _listed(parts: list[str]) -> tuple[str, ...]:
    return tuple(part.strip() for part in parts if part.strip())


def promotion_key(line: str) -> str:
    """Return the key of a promotion's comment line; empty for any other line."""
    line = line.strip()
    if not line.startswith(_PROMOTION_MARK) or not line.endswith("-->"):
        return ""
    return line.removeprefix(_PROMOTION_MARK).removesuffix("-->").strip()


def parse_promotion(key: str, text: str) -> Promotion:
    """Return the promotion in the bullet under a promotion's comment.

    Its form is ``snippet [score=0.8 signals=3 recalls=0 avg=0.6
    source=memory/F.md:27-30]``; without the bracket the snippet is the whole text.
    """
    start = text.rfind("[score=")
    found = _SCORE.fullmatch(text, start) if start >= 0 else None
    if not found:
        return Promotion(key, text)
    return Promotion(
        key=key,
        snippet=text[:start].rstrip(),
        score=_number(found[1]),
        signals=int(found[2]) if found[2] else None,
        recalls=int(found[3]),
        average=_number(found[4]),
        source_path=found[5],
        source_first=int(found[6]),
        source_last=int(found[7]),
    )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
