"""Deadlocked tasks and failed work, in the form of alarms."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import QuerySet

from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.alarms import Alarm, alarms, listed
from memoryhub.handoffs.queries.resends import HANDED_OFF_AGAIN
from memoryhub.handoffs.queries.sides import handoffs_of
from memoryhub.handoffs.queries.waiting import deadlocked
from memoryhub.handoffs.rules.acting import FAILED
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached_by_handoffs

DEADLOCK, FAILURE = "deadlock", "failed"
#: How long failed work is named, and most of it.
FAILED_FOR, _MOST = timedelta(days=7), 200


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
    """Return work that failed in the last week and was not handed off again."""
    rows = handoffs_of(workspace).filter(state=FAILED, last_at__gte=now - FAILED_FOR)
    return rows.exclude(last_verb=HANDED_OFF_AGAIN).order_by("-last_at")


def _deadlocks(workspace: Workspace) -> tuple[Alarm, ...]:
    found = deadlocked(workspace)
    rows = listed(Handoff.objects.all()).in_bulk([d.handoff.pk for d in found])
    return tuple(
        Alarm(DEADLOCK, d.since, row, d.deadlock.tasks)
        for d in found
        if (row := rows.get(d.handoff.pk))
    )
