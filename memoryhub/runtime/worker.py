"""Background threads of a server; the worker does jobs one after another in one."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Protocol

from django.db import connection

from memoryhub.database.schema import OtherVersion, ensure_current
from memoryhub.disk.files import FileError
from memoryhub.jobs import services
from memoryhub.jobs.models import Job

#: Seconds between polls for jobs of other processes, and between progress reports.
_LOOK_SECONDS = 0.5
_REPORT_SECONDS = 0.2
_TIDY_SECONDS = 86_400

_log = logging.getLogger(__name__)


class Progress(Protocol):
    """Callback for progress: steps done, total, and the next step's name."""

    def __call__(self, done: int, total: int, following: str = "") -> None: ...


class Stopped(Exception):
    """The server is shutting down; the job goes back to the queue."""


class Later(Exception):
    """The job has to be retried at a later time."""

    def __init__(self, at: datetime) -> None:
        super().__init__(at)
        self.at = at


class NotPossible(Exception):
    """The job cannot be done; the text is the reason for a person."""


#: Function that does a job and returns its result; may raise the exceptions above.
Work = Callable[[Job, Progress], dict[str, Any]]


class Worker:
    """Worker for some kinds of jobs, until `stop` is set.

    Guarantee: at least once. A job is leased: if its worker dies it is done again after
    the lease, so jobs must be idempotent. Between two batches of a job the worker
    checks `stop` and leaves the rest to the next start. It tidies at its start and once
    a day.
    """

    def __init__(
        self,
        stop: threading.Event,
        work: Mapping[str, Work],
        tidy: Callable[[], None] | None = None,
    ) -> None:
        self._stop = stop
        self._work = work
        self._tidy = tidy
        self._tidy_at = 0.0

    def run(self) -> None:
        """Do jobs until `stop` is set.

        Raises:
            OtherVersion: another program has migrated the database.
        """
        try:
            while not self._stop.is_set():
                services.job_enqueued.clear()
                if not self._try_next():
                    services.job_enqueued.wait(_LOOK_SECONDS)
        finally:
            connection.close()

    def run_all(self) -> int:
        """Do all queued jobs, unless stopped; return how many."""
        count = 0
        while not self._stop.is_set() and self.run_next():
            count += 1
        return count

    def run_next(self) -> bool:
        """Do the oldest job; return whether there was one."""
        job = services.take(self._work.keys())
        if job is None:
            return False
        try:
            services.finish(job, self._work[job.kind](job, self._reporter(job)))
        except Stopped:
            services.requeue(job)
        except Later as later:
            services.retry_at(job, later.at)
        except (NotPossible, FileError, OSError) as error:
            services.fail(job, str(error))
        except Exception as error:  # one job must not end the worker
            _log.exception("job %s failed", job.pk)
            services.fail(job, f"{type(error).__name__}: {error}")
        return True

    def tidy(self) -> None:
        """Tidy, if the last time was more than a day ago."""
        if self._tidy and time.monotonic() >= self._tidy_at:
            self._tidy()
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

    def _reporter(self, job: Job) -> Progress:
        """Return a job's throttled progress callback; raises `Stopped` when stopped."""
        reported = 0.0

        def report(done: int, total: int, following: str = "") -> None:
            nonlocal reported
            if self._stop.is_set():
                raise Stopped
            if done >= total or time.monotonic() - reported >= _REPORT_SECONDS:
                reported = time.monotonic()
                services.report(job, done, total, following)

        return report


def background_thread(name: str, work: Callable[[], object]) -> threading.Thread:
    """Return a daemon thread for work; ends with one log line on `OtherVersion`."""

    def run() -> None:
        try:
            work()
        except OtherVersion as error:
            _log.error("the %s has ended: %s", name, error)

    return threading.Thread(target=run, name=name, daemon=True)
