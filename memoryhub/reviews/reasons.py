"""Reasons an agent gave for a change, quoted with their places.

Nothing is guessed: without a reason of its operations, an entry of its log at that time
or a summary of its session there is no reason.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from django.db.models import Q

from memoryhub.formats.openclaw.memory_annotations import find_promotions
from memoryhub.journal.authors import owners_of
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.models import Operation, Workspace
from memoryhub.reviews.models import ReviewCard
from snapshots.models import NEWEST_FIRST, LogEntry, SessionMemory

Source = Literal["operation", "log", "session", "promotion"]
#: An entry counts from so long before the first change until so long after the last.
_BEFORE, _AFTER = timedelta(minutes=30), timedelta(minutes=10)
#: Entries looked at, and quoted of each source.
_LOOKED_AT, _QUOTED = 50, 3
_TO_THE_MINUTE = (Precision.SECOND, Precision.MINUTE)


class Reason(NamedTuple):
    """A quotation: of an operation, or of a place in a file.

    `score` is that of a promotion.
    """

    source: Source
    text: str
    path: str = ""
    line: int = 0
    at: datetime | None = None
    score: float | None = None


def reasons_of(workspace: Workspace, card: ReviewCard) -> list[Reason]:
    """Return an agent's reasons for a change, its own words first.

    Three queries, of which two depend on its name or session.
    """
    return [
        *_of_operations(workspace, card),
        *_of_logs(workspace, card),
        *_of_session(workspace, card),
    ]


def promotions_of(before: str, after: str) -> list[Reason]:
    """Return the sources of the entries that dreaming promoted between two texts."""
    known = {p.key for p in find_promotions(before)}
    new = (p for p in find_promotions(after) if p.key not in known)
    found = (
        Reason("promotion", p.snippet, p.source_path, p.source_first, None, p.score)
        for p in new
    )
    return [reason for reason, _ in zip(found, range(_QUOTED), strict=False)]


def _of_operations(workspace: Workspace, card: ReviewCard) -> list[Reason]:
    rows = Operation.objects.filter(
        workspace=workspace,
        version_seq__gte=card.first_seq,
        version_seq__lte=card.last_seq,
        target=card.path,
    )
    said = rows.exclude(reason="").order_by("-seq").values_list("reason", "recorded_at")
    texts = dict(reversed(said[:_LOOKED_AT]))
    return [Reason("operation", text, at=at) for text, at in texts.items()][:_QUOTED]


def _of_logs(workspace: Workspace, card: ReviewCard) -> list[Reason]:
    """Return the entries nearest in time: of the session, else of the agent."""
    name = card.agent or owners_of(workspace)(card.path)
    own = Q(agent__name=name) if name else Q()
    if card.session:
        own |= Q(session_key=card.session)
    if not own:
        return []
    rows = LogEntry.objects.filter(
        own,
        workspace=workspace,
        last_seq__isnull=True,
        precision__in=_TO_THE_MINUTE,
        occurred_at__gte=card.first_at - _BEFORE,
        occurred_at__lte=card.last_at + _AFTER,
    ).exclude(kind=LogEntry.Kind.DREAM)
    found = list(rows.select_related("file").order_by("-occurred_at")[:_LOOKED_AT])
    found.sort(key=lambda row: abs(row.occurred_at - card.last_at))
    return [
        Reason(
            "session" if row.kind == LogEntry.Kind.SESSION else "log",
            ": ".join(filter(None, (row.title, row.excerpt))),
            row.file.path,
            row.first_line,
            row.occurred_at,
        )
        for row in found[:_QUOTED]
    ]


def _of_session(workspace: Workspace, card: ReviewCard) -> list[Reason]:
    if not card.session:
        return []
    rows = SessionMemory.objects.filter(
        workspace=workspace, session_ref=card.session, last_seq__isnull=True
    )
    row = rows.select_related("file").order_by(*NEWEST_FIRST).first()
    text = row and (row.summary or row.objective)
    if not row or not text:
        return []
    return [Reason("session", text, row.file.path, row.first_line, row.occurred_at)]
