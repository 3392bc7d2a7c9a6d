"""Answer to the question of a recall: ranked lines, valid and newer ones first."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from memoryhub.journal.models import Workspace
from memoryhub.recall.texts import Passage
from memoryhub.search.queries import search
from memoryhub.search.results import Hit
from memoryhub.values import tokens
from topics.models import Decision

#: Results looked at, in budgets and in number.
_LOOKED_AT, _MOST = 3, 40
#: Parts of the best score: for decisions in force and open items; for what is new,
#: halved every 30 days; for a decision that no longer holds and an item done.
_HOLDS, _NEW, _PAST = 0.15, 0.1, -0.3
_HALF_LIFE_DAYS = 30


def found_passage(
    workspace: Workspace,
    question: str,
    budget: int,
    now: datetime,
    readable: Callable[[str], bool],
) -> Passage | None:
    """Return lines that answer a question, within a budget in tokens; None without any.

    Ranked as a search is, then by importance and age; repeats are left out.
    """
    hits = search(
        workspace,
        question,
        limit=_MOST,
        token_budget=_LOOKED_AT * budget,
        readable=readable,
        unread=False,
        jumps=False,
    ).hits
    best = max((hit.score for hit in hits), default=0.0)
    ranked = sorted(hits, key=lambda hit: (not hit.exact, -_worth(hit, best, now)))
    lines: list[str] = []
    for hit in ranked:
        line = f"[{hit.place}:{hit.first_line}] {hit.text}"
        if (cost := tokens.shown(line) + 1) <= budget:
            lines.append(line)
            budget -= cost
    return Passage("Found for the question", "\n".join(lines)) if lines else None


def _worth(hit: Hit, best: float, now: datetime) -> float:
    """Return the score of a hit, from 0 to about 1, with its importance and age."""
    thing, worth = hit.thing, hit.score / (best or 1.0)
    if thing.kind == "decision":
        worth += _HOLDS if thing.state in Decision.STANDING else _PAST
    elif thing.kind == "item":
        worth += _HOLDS if thing.state == "open" else _PAST
    if thing.occurred_at is not None:
        days = max(0, (now - thing.occurred_at).days)
        worth += _NEW * 0.5 ** (days / _HALF_LIFE_DAYS)
    return worth
