"""Everything that stands still: alarms, deadlocks, failed work, breakers, claims."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from memoryhub.claims.queries import Overlap, overlaps_now
from memoryhub.compaction.breaker import Breaker
from memoryhub.handoffs.models import NOT_LISTED, Handoff, HandoffStep
from memoryhub.handoffs.queries.alarms import Alarm, alarms
from memoryhub.handoffs.queries.resends import HANDED_OFF_AGAIN
from memoryhub.handoffs.queries.sides import handoffs_of
from memoryhub.handoffs.queries.waiting import deadlocked
from memoryhub.handoffs.rules.acting import FAILED
from memoryhub.journal.breakers import open_breakers
from memoryhub.journal.models import SourceFile, Workspace
from memoryhub.journal.page_cache import cached_by_handoffs
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.row_memo import relate

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
    unfinished = with_files(alarms_and_deadlocks(workspace, now))
    return Standstill(
        tuple(open_breakers(workspace)),
        (*unfinished, *failures(workspace, now)),
        overlaps_now(workspace, now),
    )


def alarms_and_deadlocks(workspace: Workspace, now: datetime) -> tuple[Alarm, ...]:
    """Return the alarms, after one for each task that is in a deadlock."""
    found = cached_by_handoffs(workspace, "deadlocked", lambda: _deadlocks(workspace))
    return (*found, *alarms(workspace, now))


def with_files(found: tuple[Alarm, ...]) -> tuple[Alarm, ...]:
    """Read the paths of the files of alarms' handoffs, in one query."""
    rows = [a.handoff for a in found if not Handoff.file.is_cached(a.handoff)]
    files = SourceFile.objects.only("path").in_bulk({row.file_id for row in rows})
    relate(rows, "file", files)
    return found


def failures(workspace: Workspace, now: datetime) -> tuple[Alarm, ...]:
    """Return this workspace's work that failed in the last week, the newest first."""
    if not has_failed(workspace):
        return ()
    own = failed_lately(workspace, now).filter(workspace=workspace, twin="")
    rows = own.select_related("workspace", "file", "topic").defer(*NOT_LISTED)
    return tuple(
        Alarm(FAILURE, row.since, row, (row.taken_by or row.recipient,))
        for row in rows[:_MOST]
    )


#: One failed handoff of a workspace, or sent from it.
_ANY_FAILED: Prepared[int] = Prepared(
    lambda workspace_id, slug: (
        Handoff.objects.filter(
            Q(workspace_id=workspace_id) | Q(origin=slug),
            state=FAILED,
            last_seq__isnull=True,
        )
        .order_by()
        .values_list("pk", flat=True)[:1]
    ),
    int,
    str,
)


def has_failed(workspace: Workspace) -> bool:
    """Return whether any handoff has failed, however long ago: most have none."""
    return bool(_ANY_FAILED(workspace.pk, workspace.slug))


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
    return tuple(Alarm(DEADLOCK, d.since, d.handoff, d.deadlock.tasks) for d in found)
