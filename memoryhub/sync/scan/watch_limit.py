"""Whether the system watches all folders: it has a limit, and keeps quiet about it."""

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

#: How watchfiles words the limit; it has no class of its own.
_LIMIT = "limit"
_AT_ONCE = 1


def is_limit_reached(roots: Iterable[Path]) -> bool:
    """Tell whether the system cannot watch all folders below these roots.

    They are watched once more for a moment: a watch that may leave out folders that
    nobody may read leaves out in silence what is beyond the limit, too.
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
    """Have workspaces show that changes in them are seen late, or no longer show it."""
    problems = [ScanProblem(".", NOT_WATCHED)] if is_reached else []
    for workspace in workspaces:
        note_problems(workspace, problems, at, only=(NOT_WATCHED,))
