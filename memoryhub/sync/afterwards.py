"""Follow-up work after a sync, and the problems it reports."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pkgutil import resolve_name

from memoryhub.journal.follow_ups import follow_ups
from memoryhub.journal.models import Workspace
from memoryhub.sync.scan.problems import note_problems
from memoryhub.sync.scan.walk import ScanProblem


def follow_up(workspace: Workspace, at: datetime) -> list[ScanProblem]:
    """Run the registered follow-ups of a sync; return the problems they report.

    The caller holds no lock of the workspace: follow-ups may write to it and to others.
    """
    met = []
    for known in follow_ups():
        work: Callable[[Workspace, datetime], list[ScanProblem]]
        work = resolve_name(known.work)
        problems = work(workspace, at)
        note_problems(workspace, problems, at, only=known.codes)
        met += problems
    return met
