"""The worker: does jobs one after the other, in a thread beside the server."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from django.db import connection
from django.utils import timezone

from memoryhub.files import FileError, locked
from memoryhub.jobs import services
from memoryhub.jobs.models import Job
from memoryhub.notices.services import GivenUp, deliver
from memoryhub.schema import OtherVersion, ensure_current
from memoryhub.sync.engine import WorkspaceGone, sync_workspace, workspace_lock
from memoryhub.sync.projection import rebuild
from memoryhub.sync.uploads import merge_upload
from memoryhub.timeline.models import Event
from memoryhub.tools.calling import forget_calls
from memoryhub.workspaces.changes import position_at
from memoryhub.workspaces.models import Workspace
from memoryhub.workspaces.services_removal import remove_workspace, resume_removals

#: How often to look for jobs that another process asked for, and to tell of progress.
_LOOK_SECONDS = 0.5
_TELL_SECONDS = 0.2
_TIDY_SECONDS = 86_400

#: What is done on this computer alone.
LOCAL = (Job.Kind.IMPORT, Job.Kind.REBUILD, Job.Kind.REMOVAL)

_log = logging.getLogger(__name__)


class Progress(Protocol):
    """Is told how much is done, how much there is, and what is next."""

    def __call__(self, done: int, total: int, following: str = "") -> None: ...


class Stopped(Exception):
    """The server ends; the job is for the next worker."""


class Later(Exception):
    """The job has to be tried again, after a time."""

    def __init__(self, at: datetime) -> None:
        super().__init__(at)
        self.at = at


class Worker:
    """Does jobs of some kinds until `stop` is set.

    Guarantee: at least once. A job is leased, not taken away: one whose worker died is
    done again when its lease has run out, so jobs are such that doing them twice gives
    what doing them once gives. Between two batches of a job the worker looks at `stop`,
    and leaves the rest of it to the next start.
    """

    def __init__(self, stop: threading.Event, kinds: Collection[str] = LOCAL) -> None:
        self._stop = stop
        self._kinds = kinds
        self._tidy_at = 0.0

    def run(self) -> None:
        """Do whatever is asked for, until the end.

        Raises:
            OtherVersion: another program has migrated the database.
        """
        try:
            while not self._stop.is_set():
                services.work_asked_for.clear()
                if not self._try_next():
                    services.work_asked_for.wait(_LOOK_SECONDS)
        finally:
            connection.close()

    def run_all(self) -> int:
        """Do the jobs there are now; return how many."""
        count = 0
        while self.run_next():
            count += 1
        return count

    def run_next(self) -> bool:
        """Do the oldest job; tell whether there was one."""
        job = services.take(self._kinds)
        if job is None:
            return False
        try:
            services.finish(job, _WORK[job.kind](job, self._telling(job)))
        except Stopped:
            services.put_back(job)
        except Later as later:
            services.put_off(job, later.at)
        except (WorkspaceGone, FileError, OSError, GivenUp) as error:
            services.fail(job, str(error))
        except Workspace.DoesNotExist:
            services.fail(job, "the workspace is no longer there")
        except Exception as error:  # one job must not end the worker
            _log.exception("job %s failed", job.pk)
            services.fail(job, f"{type(error).__name__}: {error}")
        return True

    def tidy(self) -> None:
        """At the start and once a day, forget what is kept for a while only."""
        if time.monotonic() >= self._tidy_at:
            forget_calls(timezone.now())
            resume_removals()
            self._tidy_at = time.monotonic() + _TIDY_SECONDS

    def _try_next(self) -> bool:
        try:
            ensure_current()
            self.tidy()
            return self.run_next()
        except OtherVersion:
            raise
        except Exception:  # the database may be busy or being replaced
            _log.exception("cannot take a job")
            self._stop.wait(_LOOK_SECONDS)
            return False

    def _telling(self, job: Job) -> Progress:
        """Return what a job tells its progress to, not oftener than people can see."""
        told = 0.0

        def tell(done: int, total: int, following: str = "") -> None:
            nonlocal told
            if self._stop.is_set():
                raise Stopped
            if done >= total or time.monotonic() - told >= _TELL_SECONDS:
                told = time.monotonic()
                services.tell(job, done, total, following)

        return tell


def _import(job: Job, progress: Progress) -> dict[str, Any]:
    workspace = Workspace.objects.get(pk=job.workspace or 0)
    if incoming := job.payload.get("incoming"):
        merge_upload(Path(incoming), Path(workspace.root))
    report = sync_workspace(
        workspace,
        accept_deletions=job.payload.get("accept_deletions", False),
        progress=progress,
    )
    new = Event.objects.filter(
        workspace=workspace,
        position__gte=position_at(job.payload.get("seq", 0) + 1, 0),
    )
    return {
        "number": report.number,
        "files": report.files,
        "events": new.exclude(kind=Event.Kind.IMPORT).count(),
    }


def _rebuild(job: Job, progress: Progress) -> dict[str, Any]:
    workspace = Workspace.objects.get(pk=job.workspace or 0)
    with locked(workspace_lock(workspace)):
        rebuild(workspace, progress=progress)
    return {"entries": workspace.last_seq}


def _removal(job: Job, progress: Progress) -> dict[str, Any]:
    workspace = Workspace.everything.filter(pk=job.workspace or 0).first()
    if workspace is not None:
        remove_workspace(workspace, progress=progress)
    return {}


def _notice(job: Job, progress: Progress) -> dict[str, Any]:
    if again := deliver(job.payload["notice"]):
        raise Later(again)
    return {}


_WORK: dict[str, Callable[[Job, Progress], dict[str, Any]]] = {
    Job.Kind.IMPORT: _import,
    Job.Kind.REBUILD: _rebuild,
    Job.Kind.REMOVAL: _removal,
    Job.Kind.NOTICE: _notice,
}
