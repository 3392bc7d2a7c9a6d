"""State changes of jobs, each in one update: draft, enqueue, take, finish."""

from __future__ import annotations

import threading
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from memoryhub.jobs.models import Job

#: Lease: after this silence of its worker, another one may take the job.
LEASE = timedelta(seconds=15)

#: Wakes this process's worker when it has enqueued a job.
job_enqueued = threading.Event()

_QUEUED, _RUNNING = Job.State.QUEUED, Job.State.RUNNING


def draft(kind: Job.Kind, payload: dict[str, Any]) -> Job:
    """Create a job that waits for a person to start it."""
    return Job.objects.create(
        kind=kind,
        payload=payload,
        state=Job.State.DRAFT,
        created_at=timezone.now(),
    )


def enqueue(kind: Job.Kind, workspace: int, payload: dict[str, Any]) -> Job:
    """Enqueue a job for now; an equal queued one instead waits no more."""
    equal = Job.objects.filter(
        kind=kind, workspace=workspace, payload=payload, state=_QUEUED
    )
    equal.update(not_before=None)
    job = equal.first() or Job.objects.create(
        kind=kind,
        workspace=workspace,
        payload=payload,
        state=_QUEUED,
        created_at=timezone.now(),
    )
    transaction.on_commit(job_enqueued.set)
    return job


def start(job: Job, workspace: int) -> bool:
    """Queue a draft; return whether it still was one."""
    started = Job.objects.filter(pk=job.pk, state=Job.State.DRAFT).update(
        state=_QUEUED, workspace=workspace, payload=job.payload
    )
    transaction.on_commit(job_enqueued.set)
    return bool(started)


def take(kinds: Collection[str] = Job.Kind.values) -> Job | None:
    """Lease the oldest free job of some kinds to the caller; None if none is."""
    now = timezone.now()
    due = Q(not_before__isnull=True) | Q(not_before__lte=now)
    free = (Q(state=_QUEUED) & due) | Q(state=_RUNNING, lease_until__lt=now)
    for job in Job.objects.filter(free, kind__in=kinds).order_by("id")[:8]:
        taken = Job.objects.filter(free, pk=job.pk).update(
            state=_RUNNING,
            started_at=job.started_at or now,
            lease_until=now + LEASE,
        )
        if taken:
            job.refresh_from_db()
            return job
    return None


def report(job: Job, done: int, total: int, message: str = "") -> None:
    """Update a job's progress, which renews its lease."""
    Job.objects.filter(pk=job.pk, state=_RUNNING).update(
        done=done,
        total=total,
        message=message[:400],
        lease_until=timezone.now() + LEASE,
    )


def finish(job: Job, result: dict[str, Any]) -> None:
    """Mark a job as done, with its result."""
    _end(job, Job.State.DONE, result=result)


def fail(job: Job, error: str) -> None:
    """Mark a job as failed, with its error (cut at 2,000 characters)."""
    _end(job, Job.State.FAILED, error=error[:2000])


def requeue(job: Job) -> None:
    """Requeue a job immediately, without waiting for the lease to end."""
    Job.objects.filter(pk=job.pk, state=_RUNNING).update(
        state=_QUEUED, lease_until=None
    )


def retry_at(job: Job, until: datetime) -> None:
    """Requeue a job, to be taken after a time."""
    Job.objects.filter(pk=job.pk, state=_RUNNING).update(
        state=_QUEUED, lease_until=None, not_before=until
    )


def _end(job: Job, state: Job.State, **values: Any) -> None:
    Job.objects.filter(pk=job.pk).update(
        state=state, lease_until=None, finished_at=timezone.now(), **values
    )
