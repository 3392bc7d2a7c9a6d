"""Decisions that a later one may replace: it says that it goes over from them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoryhub.journal.grades import Grade
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.prose.labels import left_by
from topics.models import Decision

_WORD = re.compile(r"[^\W_]{3,}")
#: Words that tell the subject of a decision are of so many letters.
_TELLING = 4


def perhaps_replaced(workspace: Workspace) -> dict[int, Decision]:
    """Return the decisions that later ones may replace, by the ids of the later.

    The later one names what it goes over from ("moved away from Postgres"), which the
    earlier one names too, and both share a topic or another telling word.
    """
    return cached(workspace, "perhaps_replaced", lambda: dict(_pairs(workspace)))


def maybe_chained(decision: Decision) -> list[tuple[Decision, bool]]:
    """Return what a decision may replace, and what may replace it with True."""
    pairs = perhaps_replaced(decision.workspace)
    newer = [new for new, old in pairs.items() if old.pk == decision.pk]
    found = [(row, True) for row in Decision.everything.filter(pk__in=newer)]
    old = pairs.get(decision.pk)
    return [(old, False), *found] if old else found


def _pairs(workspace: Workspace) -> Iterator[tuple[int, Decision]]:
    rows = Decision.everything.filter(
        workspace=workspace, last_seq=None, state__in=Decision.STANDING
    )
    rows = rows.exclude(grade=Grade.DISMISSED).order_by("-occurred_at", "-id")
    known = [*rows.select_related("workspace")]
    for new in known:
        left = left_by(new.text)
        if not left or new.supersedes_id:
            continue
        subject = {word for word in _words(new.text) if len(word) >= _TELLING} - {left}
        for old in filter(_is_sure, known):
            words = _words(old.text)
            is_before = old.occurred_at < new.occurred_at
            is_same = old.topic_id == new.topic_id is not None or words & subject
            if is_before and is_same and left in words and not left_by(old.text):
                yield new.pk, old
                break


def _is_sure(row: Decision) -> bool:
    return row.grade == Grade.DECLARED


def _words(text: str) -> set[str]:
    return {*_WORD.findall(text.casefold())}
