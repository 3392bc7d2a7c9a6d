"""Jobs: asked for, taken, told of, ended. Each change of a job is one update."""

from __future__ import annotations

import threading
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from memoryhub.jobs.models import Job

#: How long a worker may be silent before another one takes its job.
LEASE = timedelta(seconds=15)

#: Set where this process asked for work, so that its worker need not wait.
work_asked_for = threading.Event()

_QUEUED, _RUNNING = Job.State.QUEUED, Job.State.RUNNING


def draft(kind: Job.Kind, payload: dict[str, Any]) -> Job:
    """Return a new job that waits until a person says to start it."""
    return Job.objects.create(
        kind=kind,
        payload=payload,
        state=Job.State.DRAFT,
        created_at=timezone.now(),
    )


def enqueue(kind: Job.Kind, workspace: int, payload: dict[str, Any]) -> Job:
    """Return a job for the worker; one that waits for the same is returned instead."""
    waiting = Job.objects.filter(
        kind=kind, workspace=workspace, payload=payload, state=_QUEUED
    ).first()
    job = waiting or Job.objects.create(
        kind=kind,
        workspace=workspace,
        payload=payload,
        state=_QUEUED,
        created_at=timezone.now(),
    )
    transaction.on_commit(work_asked_for.set)
    return job


def start(job: Job, workspace: int) -> bool:
    """Give a draft to the worker; tell whether it was one."""
    started = Job.objects.filter(pk=job.pk, state=Job.State.DRAFT).update(
        state=_QUEUED, workspace=workspace, payload=job.payload
    )
    transaction.on_commit(work_asked_for.set)
    return bool(started)


def take(kinds: Collection[str] = Job.Kind.values) -> Job | None:
    """Return the oldest job of some kinds that nobody does, leased to the caller."""
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


def tell(job: Job, done: int, total: int, message: str = "") -> None:
    """Say how far a job has come, which also renews its lease."""
    Job.objects.filter(pk=job.pk, state=_RUNNING).update(
        done=done,
        total=total,
        message=message[:400],
        lease_until=timezone.now() + LEASE,
    )


def finish(job: Job, result: dict[str, Any]) -> None:
    """Say that a job is done, and what came of it."""
    _end(job, Job.State.DONE, result=result)


def fail(job: Job, error: str) -> None:
    """Say that a job cannot be done, and why."""
    _end(job, Job.State.FAILED, error=error[:2000])


def put_back(job: Job) -> None:
    """Leave a job to the next worker, which need not wait for the lease."""
    Job.objects.filter(pk=job.pk, state=_RUNNING).update(
        state=_QUEUED, lease_until=None
    )


def put_off(job: Job, until: datetime) -> None:
    """Leave a job to whoever looks after that time."""
    Job.objects.filter(pk=job.pk, state=_RUNNING).update(
        state=_QUEUED, lease_until=None, not_before=until
    )


def _end(job: Job, state: Job.State, **values: Any) -> None:
    Job.objects.filter(pk=job.pk).update(
        state=state, lease_until=None, finished_at=timezone.now(), **values
    )
