"""Measure an agent's writes: ``python -m bench.writes FOLDER``, printed as JSON.

A workspace with thousands of handoffs and with logs of three sizes is made below
FOLDER and imported; then agents call tools that write. MEMORYHUB_DATA is at an empty
folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import statistics
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, date, datetime
from itertools import count
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
django.setup()

from django.db import connection  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from bench import board, dialects  # noqa: E402
from bench.prose import Prose  # noqa: E402
from memoryhub.database.schema import ensure_schema  # noqa: E402
from memoryhub.handoffs.models import Handoff  # noqa: E402
from memoryhub.journal.models import Workspace  # noqa: E402
from memoryhub.people.callers import Caller  # noqa: E402
from memoryhub.sync.engine import sync_workspace  # noqa: E402
from memoryhub.tools.calling import call, request_of  # noqa: E402
from memoryhub.tools.errors import LOG  # noqa: E402
from memoryhub.tools.registry import tool_named  # noqa: E402
from memoryhub.workspaces.services.adding import add_workspace  # noqa: E402

Figures = dict[str, float]
#: A tool, what it is asked, and who asks.
Asked = tuple[str, dict[str, Any], str]

_HANDOFFS, _TURNS = 2_000, 12
#: The logs that are appended to, by their size in bytes.
_LOGS = {
    "3 KB": (date(2026, 3, 1), 3_000),
    "300 KB": (date(2026, 3, 2), 300_000),
    "3 MB": (date(2026, 3, 3), 3_000_000),
}
_WRITTEN_AT = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)
_ERROR_LOG_SIZE = 3_000_000
_TOPIC = "memory/context-bench.md"


def generate(root: Path) -> None:
    """Write a workspace of handoffs, logs of three sizes, an error log and a topic."""
    board.generate(root, handoffs=_HANDOFFS)
    prose = Prose(Random(2))
    for day, size in _LOGS.values():
        log = _as_long(size, lambda: f"{dialects.entry(prose, _WRITTEN_AT)}\n\n")
        (root / f"memory/{day}.md").write_text(f"# {day}\n\n{log}")
    errors = _as_long(
        _ERROR_LOG_SIZE, lambda: f"- 2026-03-01 10:00 main: {prose.sentence()}\n"
    )
    (root / LOG).parent.mkdir()
    (root / LOG).write_text(f"# Memory Errors\n\n{errors}")


def _as_long(size: int, part: Callable[[], str]) -> str:
    parts, length = [], 0
    while length < size:
        parts.append(part())
        length += len(parts[-1])
    return "".join(parts)


def measure(folder: Path) -> Figures:
    """Return CPU milliseconds, their floor and the statements of each kind of write."""
    root = folder / "workspace"
    generate(root)
    ensure_schema()
    workspace = add_workspace(root, slug="bench")
    sync_workspace(workspace)
    figures: Figures = {}
    for name, asked, path in _kinds(workspace):
        figures |= _measured(name, workspace, asked)
        figures[f"{name}, floor"] = floor_of((root / path).read_bytes(), folder)
    return figures


def _kinds(workspace: Workspace) -> Iterator[tuple[str, Iterator[Asked], str]]:
    """Yield each kind of write: its name, its calls, and a file of typical size."""
    some = Handoff.objects.filter(workspace=workspace, type="read_only")
    reads = list(some.filter(state="open").values_list("task_id", "recipient"))
    path = f"memory/handoffs/{reads[0][0]}.md"
    yield "take", _takes(reads), path
    yield "report", _reports(reads), path
    for size, (day, _) in _LOGS.items():
        yield f"note in a log of {size}", _notes(day), f"memory/{day}.md"
    yield "line in an error log of 3 MB", _errors(), LOG
    yield "status of a topic", _checkpoints(), _TOPIC


def _takes(reads: list[tuple[str, str]]) -> Iterator[Asked]:
    return (("handoff_take", {"task_id": name}, to) for name, to in reads)


def _reports(reads: list[tuple[str, str]]) -> Iterator[Asked]:
    done = {"status": "done", "output": "All of it, and the tests are green."}
    return (("handoff_report", {"task_id": name, **done}, to) for name, to in reads)


def _notes(day: date) -> Iterator[Asked]:
    for number in count():
        text = f"\n## Note {number}\n\nThe tests are green.\n"
        yield "memory_append", {"content": text, "day": str(day)}, "main"


def _errors() -> Iterator[Asked]:
    return (("error_append", {"text": f"Error {n}"}, "main") for n in count())


def _checkpoints() -> Iterator[Asked]:
    fields = {"action": "checkpoint", "topic": "bench"}
    return (("context_snap", {**fields, "status": f"At {n}."}, "main") for n in count())


def _measured(name: str, workspace: Workspace, asked: Iterator[Asked]) -> Figures:
    _ask(workspace, next(asked))
    with CaptureQueriesContext(connection) as captured:
        _ask(workspace, next(asked))
    times = [milliseconds(lambda: _ask(workspace, next(asked))) for _ in range(_TURNS)]
    return {
        name: statistics.quantiles(times, n=4)[0],
        f"{name}, statements": len(captured),
    }


def _ask(workspace: Workspace, asked: Asked) -> None:
    name, fields, agent = asked
    workspace = Workspace.objects.get(pk=workspace.pk)
    caller = Caller(workspace, agent, agent=agent, key=os.urandom(8).hex())
    tool = tool_named(name)
    answer = call(tool, caller, request_of(tool, fields))
    if getattr(answer, "failed", False):
        raise RuntimeError(answer.as_text())


def floor_of(data: bytes, folder: Path) -> float:
    """Return the milliseconds of the plainest addition to a file with these bytes.

    Read and hash it, append a line to it, sync it to disk, and keep line and hash in
    one transaction.
    """
    file, line = folder / "floor.md", b"- one line more, as long as most of them are\n"
    file.write_bytes(data)
    with closing(sqlite3.connect(folder / "floor.sqlite3")) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE IF NOT EXISTS addition (sha BLOB, line BLOB)")

        def add() -> None:
            digest = hashlib.sha256(file.read_bytes()).digest()
            with file.open("ab") as log:
                log.write(line)
                log.flush()
                os.fsync(log.fileno())
            with database:
                database.execute("INSERT INTO addition VALUES (?, ?)", (digest, line))

        times = [milliseconds(add) for _ in range(_TURNS)]
    return statistics.quantiles(times, n=4)[0]


def milliseconds(action: Callable[[], object]) -> float:
    start = process_time()
    action()
    return (process_time() - start) * 1_000


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]))))
