"""Detection of the system's limit of watches, which is exceeded silently."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path

from watchfiles import watch

from memoryhub.journal.models import Workspace
from memoryhub.journal.problems import NOT_WATCHED
from memoryhub.sync.scan.problems import note_problems
from memoryhub.sync.scan.walk import ScanProblem

#: Word by which watchfiles reports the limit; it has no exception class for it.
_LIMIT = "limit"
_AT_ONCE = 1


def is_limit_reached(roots: Iterable[Path]) -> bool:
    """Return whether the system cannot watch all folders below these roots.

    Opens a second, short watch: one that ignores denied permissions ignores the limit
    silently, too.
    """
    tried = watch(
        *roots,
        debounce=_AT_ONCE,
        step=_AT_ONCE,
        rust_timeout=_AT_ONCE,
        yield_on_timeout=True,
        raise_interrupt=False,
    )
    try:
        with closing(tried), suppress(StopIteration):
            next(tried)
    except OSError as error:
        return _LIMIT in str(error)
    return False


def note_limit(
    workspaces: Iterable[Workspace], at: datetime, *, is_reached: bool
) -> None:
    """Set or clear the problem of late changes (limit of watches) in workspaces."""
    problems = [ScanProblem(".", NOT_WATCHED)] if is_reached else []
    for workspace in workspaces:
        note_problems(workspace, problems, at, only=(NOT_WATCHED,))
