"""Metrics of this process and of the hub, in the text format of Prometheus.

Labels contain routes, statuses, states and slugs of workspaces: no text of memory.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import platform
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from shutil import disk_usage

from django.conf import settings
from django.db import connections
from django.db.models import Count
from django.utils import timezone
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from memoryhub import __version__
from memoryhub.hooks.spool import contents
from memoryhub.jobs.models import Job
from memoryhub.journal.models import Workspace
from memoryhub.people.roles import is_team
from memoryhub.people.services.local_token import is_local_token
from memoryhub.people.sites import why_not_local
from memoryhub.runtime.asgi_messages import Receive, Scope, Send
from memoryhub.runtime.live import live_stream

REGISTRY = CollectorRegistry()
#: Bounds of durations in seconds: a page takes 5 to 50 ms on a quiet machine.
_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0)
_REQUESTS = Histogram(
    "memoryhub_request_seconds",
    "Seconds until the first byte of an answer; without streams and long polls",
    ["route", "method", "status"],
    buckets=_BOUNDS,
    registry=REGISTRY,
)
_WAITS = Counter(
    "memoryhub_waiting_requests",
    "Streams and long polls that were answered",
    ["route", "status"],
    registry=REGISTRY,
)
_LOGGED = Counter(
    "memoryhub_logged_errors",
    "Entries of the log that are errors",
    ["logger"],
    registry=REGISTRY,
)
_BUILD = Gauge(
    "memoryhub_build_info",
    "The running version",
    ["version", "python"],
    registry=REGISTRY,
)
_STREAMS = Gauge(
    "memoryhub_open_streams", "Open live streams of pages", registry=REGISTRY
)


@cache
def _observed(route: str, method: str, status: int) -> Histogram:
    """Return the histogram of these labels; finding it costs as much as observing."""
    return _REQUESTS.labels(route, method, str(status))


def observe(route: str, method: str, status: int, seconds: float) -> None:
    """Count an answer and the seconds it took."""
    _observed(route, method, status).observe(seconds)


def observe_wait(route: str, status: int) -> None:
    """Count the answer of a request that is meant to last."""
    _WAITS.labels(route, str(status)).inc()


class CountingErrors(logging.Handler):
    """Log handler that counts errors by the module that logged them."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)

    def emit(self, record: logging.LogRecord) -> None:
        _LOGGED.labels(record.name).inc()


class HubState(Collector):
    """Collector of the hub's state: from database and files, at each scrape."""

    def collect(self) -> Iterable[GaugeMetricFamily]:
        workspaces = list(Workspace.objects.only("slug", "checked_at", "last_seq"))
        yield _by_workspace(
            "memoryhub_sync_age_seconds",
            "Seconds since a workspace's folder was compared with its journal",
            ((w.slug, _age(w)) for w in workspaces if w.checked_at),
        )
        yield _by_workspace(
            "memoryhub_journal_entries",
            "Entries of a workspace's journal",
            ((w.slug, w.last_seq) for w in workspaces),
        )
        yield from _jobs()
        yield from _files(Path(settings.MEMORYHUB_DATA))

    def describe(self) -> Iterable[GaugeMetricFamily]:
        # Else the registry would collect once, before there is a database.
        return ()


def _by_workspace(
    name: str, text: str, values: Iterable[tuple[str, float]]
) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, text, labels=["workspace"])
    for slug, value in values:
        family.add_metric([slug], value)
    return family


def _age(workspace: Workspace) -> float:
    assert workspace.checked_at is not None
    return max(0.0, (timezone.now() - workspace.checked_at).total_seconds())


def _jobs() -> Iterator[GaugeMetricFamily]:
    family = GaugeMetricFamily(
        "memoryhub_jobs", "Jobs by kind and state", labels=["kind", "state"]
    )
    counted = Job.objects.order_by().values("kind", "state").annotate(number=Count("*"))
    for row in counted:
        family.add_metric([row["kind"], row["state"]], row["number"])
    yield family


def _files(data: Path) -> Iterator[GaugeMetricFamily]:
    spool = contents(data)
    family = GaugeMetricFamily(
        "memoryhub_hook_events", "Events of hooks in the spool", labels=["state"]
    )
    family.add_metric(["waiting"], len(spool.waiting))
    family.add_metric(["refused"], len(spool.refused))
    yield family
    size = GaugeMetricFamily(
        "memoryhub_database_bytes", "Sizes of the databases", labels=["file"]
    )
    for path in sorted(data.glob("*.sqlite3*")):
        size.add_metric([path.name], path.stat().st_size)
    yield size
    free = "Bytes free on the disk of the data folder"
    yield GaugeMetricFamily("memoryhub_disk_free_bytes", free, disk_usage(data).free)


ProcessCollector(registry=REGISTRY)
REGISTRY.register(HubState())


def text() -> bytes:
    """Return all metrics; the calling thread's database connections are closed."""
    _BUILD.labels(__version__, platform.python_version()).set(1)
    _STREAMS.set(live_stream().clients)
    try:
        return generate_latest(REGISTRY)
    finally:
        connections.close_all()


async def metrics(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a scrape: with the token, or, without one set, from this computer only.

    In a team a program of this computer sends the local token then.
    """
    allowed = _is_allowed(scope)
    body = await asyncio.to_thread(text) if allowed else b"metrics need a token\n"
    kind = CONTENT_TYPE_LATEST if allowed else "text/plain; charset=utf-8"
    headers = [
        (b"content-type", kind.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
    ]
    if not allowed:
        headers.append((b"www-authenticate", b"Bearer"))
    status = 200 if allowed else 401
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _is_allowed(scope: Scope) -> bool:
    headers = {
        name.decode("latin1"): value.decode("latin1")
        for name, value in scope["headers"]
    }
    if scope["method"] not in {"GET", "HEAD"}:
        return False
    kind, _, secret = headers.get("authorization", "").partition(" ")
    secret = secret.strip() if kind.lower() == "bearer" else ""
    wanted: str = settings.MEMORYHUB_METRICS_TOKEN
    if wanted:
        return hmac.compare_digest(secret.encode(), wanted.encode())
    peer, _ = scope["client"] or ("", 0)
    # Other people use the computer of a team, or reach it by a proxy without headers.
    is_known = not is_team() or is_local_token(secret)
    return is_known and not why_not_local(peer, headers)
