"""A hub in another process, killed while it works: ``python -m tests.killing``.

Arguments: what to do (sync, rebuild or together), the workspace's folder, a seed. It is
done in children that kill themselves at some step, again and again, until one comes to
its end. Prints how many were killed.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import sys
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import django

#: What changes files, by Python's names for it; opening one to write is the other.
_CHANGES = {"os.rename", "os.link", "os.remove", "os.truncate"}
MOMENT = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def main(arguments: list[str]) -> int:
    what, root, seed = arguments
    django.setup()
    work = {"sync": _sync, "rebuild": _rebuild, "together": _sync}[what]
    if what == "together":
        children = [started(lambda: work(Path(root)), 0) for _ in range(3)]
        return max(ended(child) for child in children)
    chance, killed, reach = random.Random(seed), 0, 150.0
    while seed != "0":
        at = chance.randint(1, int(reach))
        if not ended(started(lambda: work(Path(root)), at)):
            break
        killed, reach = killed + 1, reach * 1.05
    else:
        ended(started(lambda: work(Path(root)), 0))
    sys.stdout.write(f"{killed}\n")
    return 0


def started(work: Callable[[], None], kill_at: int = 0) -> int:
    """Begin work in a child, which kills itself at a step; return its number."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        if kill_at:
            _kill_at_step(kill_at)
        work()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def ended(child: int) -> int:
    """Wait for a child; return 1 where it was killed, and fail where it failed."""
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return 1
    if os.waitstatus_to_exitcode(status):
        raise SystemExit("a child failed")
    return 0


def _kill_at_step(number: int) -> None:
    """Kill this process before a step: a statement, or a change of a file."""
    from django.db import connection

    left = number

    def count(*_: object) -> None:
        nonlocal left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    def count_changes(event: str, arguments: tuple[object, ...]) -> None:
        if event in _CHANGES or (event == "open" and _is_written(arguments[2])):
            count()

    connection.ensure_connection()
    held: sqlite3.Connection = connection.connection
    held.set_trace_callback(count)
    sys.addaudithook(count_changes)


def _is_written(flags: object) -> bool:
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR))


def _sync(root: Path) -> None:
    from memoryhub.sync.engine import sync_workspace
    from memoryhub.sync.read import reader
    from memoryhub.workspaces.services.adding import add_workspace

    reader._BATCH_FILES = reader.FIRST_FILES = 3
    sync_workspace(add_workspace(root), clock=lambda: MOMENT)


def _rebuild(root: Path) -> None:
    from memoryhub.sync.record import projection
    from memoryhub.workspaces.services.adding import add_workspace

    projection._REPLAY_BATCH = 5
    workspace = add_workspace(root)
    if workspace.projected_seq == workspace.last_seq:
        projection.rebuild(workspace)
    else:
        projection.catch_up(workspace)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
