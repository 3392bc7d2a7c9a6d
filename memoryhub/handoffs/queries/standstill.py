"""Everything that stands still: alarms, deadlocks, failed work, breakers, claims."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from memoryhub.claims.queries import Overlap, overlaps_now
from memoryhub.compaction.breaker import Breaker
from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.queries.alarms import Alarm, alarms, listed
from memoryhub.handoffs.queries.resends import HANDED_OFF_AGAIN
from memoryhub.handoffs.queries.sides import handoffs_of
from memoryhub.handoffs.queries.waiting import deadlocked
from memoryhub.handoffs.rules.acting import FAILED
from memoryhub.journal.breakers import open_breakers
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached_by_handoffs

DEADLOCK, FAILURE, BREAKER, CLAIMS = "deadlock", "failed", "breaker", "claims"
#: How long failed work is named, and most of it.
FAILED_FOR, _MOST = timedelta(days=7), 200


class Standstill(NamedTuple):
    """All alarms of a workspace: those of agents, of handoffs, of claims of files."""

    breakers: tuple[Breaker, ...]
    alarms: tuple[Alarm, ...]
    claims: tuple[Overlap, ...]


def standstill(workspace: Workspace, now: datetime) -> Standstill:
    """Return every alarm, each kind with the most urgent first."""
    return Standstill(
        tuple(open_breakers(workspace)),
        (*alarms_and_deadlocks(workspace, now), *failures(workspace, now)),
        overlaps_now(workspace, now),
    )


def alarms_and_deadlocks(workspace: Workspace, now: datetime) -> tuple[Alarm, ...]:
    """Return the alarms, after one for each task that is in a deadlock."""
    found = cached_by_handoffs(workspace, "deadlocked", lambda: _deadlocks(workspace))
    return (*found, *alarms(workspace, now))


def failures(workspace: Workspace, now: datetime) -> tuple[Alarm, ...]:
    """Return this workspace's work that failed in the last week, the newest first."""
    own = failed_lately(workspace, now).filter(workspace=workspace, twin="")
    rows = listed(own)[:_MOST]
    return tuple(
        Alarm(FAILURE, row.since, row, (row.taken_by or row.recipient,)) for row in rows
    )


def failed_lately(workspace: Workspace, now: datetime) -> QuerySet[Handoff]:
    """Return work that failed in the last week and was not handed off again.

    Where no file says when it failed, the time at which the result was read counts.
    """
    results = HandoffStep.objects.filter(
        handoff=OuterRef("pk"), is_result=True, verb=FAILED, last_seq__isnull=True
    )
    read_at = results.order_by("-first_seq").values("recorded_at")[:1]
    rows = handoffs_of(workspace).filter(state=FAILED)
    rows = rows.annotate(
        failed_at=Coalesce("finished_at", Subquery(read_at), "last_at")
    )
    rows = rows.filter(failed_at__gte=now - FAILED_FOR)
    return rows.exclude(last_verb=HANDED_OFF_AGAIN).order_by("-failed_at")


def _deadlocks(workspace: Workspace) -> tuple[Alarm, ...]:
    found = deadlocked(workspace)
    rows = listed(Handoff.objects.all()).in_bulk([d.handoff.pk for d in found])
    return tuple(
        Alarm(DEADLOCK, d.since, row, d.deadlock.tasks)
        for d in found
        if (row := rows.get(d.handoff.pk))
    )
