"""One measurement of the product, in a process of its own, printed as JSON.

``python -m bench.probes first_import ROOT`` with MEMORYHUB_DATA at an empty folder;
the other probes go on from the database that the first one leaves.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from time import perf_counter

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402

from bench.growth import append_entry  # noqa: E402
from bench.prose import Prose  # noqa: E402
from memoryhub.schema import ensure_schema  # noqa: E402
from memoryhub.sync.engine import sync_workspace  # noqa: E402
from memoryhub.sync.export import export_to  # noqa: E402
from memoryhub.sync.projection import rebuild as rebuild_workspace  # noqa: E402
from memoryhub.workspaces.models import Workspace  # noqa: E402
from memoryhub.workspaces.services import add_workspace  # noqa: E402

Figures = dict[str, float]


def first_import(root: str) -> Figures:
    """Import a folder into a new database."""
    ensure_schema()
    workspace = add_workspace(Path(root), slug="bench")
    seconds = _seconds(lambda: sync_workspace(workspace))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "peak": peak, "database": _database_megabytes()}


def no_change() -> Figures:
    """Sync what did not change, in a process that has done so before."""
    workspace = Workspace.objects.get()
    times = [_seconds(lambda: sync_workspace(workspace)) for _ in range(6)]
    return {"seconds": min(times)}


def changed_file(root: str) -> Figures:
    """Sync after an entry was appended to one file, more than without any change."""
    workspace = Workspace.objects.get()
    prose, now = Prose(Random(1)), datetime.now(UTC)
    logs = sorted(Path(root, "memory").glob("????-??-??.md"))
    quiet = min(_seconds(lambda: sync_workspace(workspace)) for _ in range(3))
    times = []
    for log in prose.rng.sample(logs, 5):
        append_entry(Path(root), log, prose, now)
        times.append(_seconds(lambda: sync_workspace(workspace)))
    return {"seconds": statistics.median(times) - quiet}


def rebuild() -> Figures:
    """Throw the projections away and replay the journal."""
    workspace = Workspace.objects.get()
    return {"seconds": _seconds(lambda: rebuild_workspace(workspace))}


def export(target: str) -> Figures:
    """Write every file to an empty folder."""
    workspace = Workspace.objects.get()
    return {"seconds": _seconds(lambda: export_to(workspace, Path(target)))}


def _seconds(action: Callable[[], object]) -> float:
    start = perf_counter()
    action()
    return perf_counter() - start


def _database_megabytes() -> float:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return Path(str(settings.DATABASES["default"]["NAME"])).stat().st_size / 1e6


PROBES: dict[str, Callable[..., Figures]] = {
    "first_import": first_import,
    "no_change": no_change,
    "changed_file": changed_file,
    "rebuild": rebuild,
    "export": export,
}

if __name__ == "__main__":
    print(json.dumps(PROBES[sys.argv[1]](*sys.argv[2:])))
