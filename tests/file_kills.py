"""A hub that is killed amid a write, while another program appends to the file.

``python -m tests.file_kills WHAT ROOT STEP...``: for each step a file is edited (WHAT
is replace or append) by a child that kills itself at so many calls to the system, or,
with ``half-`` before WHAT, amid so many writes; until one comes to its end. The other
program keeps the files open and appends lines. Then come two syncs, the end of that
program, and a last sync.

Prints JSON: ``killed``; by path ``lines`` (of that program), ``edits`` (the state of
the operation) and ``hashes`` (as the hub knows the file); ``problems``.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import django

from tests.killing import ended, started

MOMENT = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
STATUS = "Changed by the hub."
#: Longer than a page of memory, so that it can be cut.
NOTE = "\nOURS " + "and more words of ours " * 400 + "END\n"
TOPIC = "# {name}\n\n## Current Status\nBegun.\n\n## History\n- 2026-11-01: Begun\n"
#: What a write is made of; others are calls of SQLite's own.
_BLOCK = 4096
_CALLS = ("open", "write", "fsync", "rename", "link", "unlink", "mkdir", "ftruncate")
#: Keeps all files open that it is told of, and appends lines to the newest of them all
#: the time; at ``all`` one line to each. At its end it says how many each has.
_WRITER = """
import json, os, sys, threading, time
files, counts, lock, ended = [], [], threading.Lock(), threading.Event()
def append(number):
    with lock:
        os.write(files[number], b"- line %d\\n" % counts[number])
        counts[number] += 1
def go_on():
    while not ended.wait(0.15):
        append(-1)
for order in map(str.strip, sys.stdin):
    if order == "all":
        for number in range(len(files)):
            append(number)
    else:
        files.append(os.open(order, os.O_WRONLY | os.O_APPEND))
        counts.append(0)
        append(-1)
    print("done", flush=True)
    if len(files) == 1 and order != "all":
        threading.Thread(target=go_on).start()
ended.set()
time.sleep(0.1)
print(json.dumps(counts))
"""


class _Writer:
    """Another program, which appends to files that it never closes."""

    def __init__(self) -> None:
        command = [sys.executable, "-S", "-c", _WRITER]
        pipe = subprocess.PIPE
        self._run = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)

    def told(self, order: str) -> None:
        assert self._run.stdin and self._run.stdout
        self._run.stdin.write(f"{order}\n")
        self._run.stdin.flush()
        assert self._run.stdout.readline() == "done\n"

    def ended(self) -> list[int]:
        """End it; return how many lines each file was given."""
        out, _ = self._run.communicate()
        counts: list[int] = json.loads(out)
        return counts


def main(arguments: list[str]) -> int:
    what, root, steps = arguments[0], Path(arguments[1]), list(map(int, arguments[2:]))
    django.setup()
    files = _made(what, root, len(steps))
    _done(partial(_sync, root))
    writer = _Writer()
    killed = _killed(what, root, zip(files, steps, strict=True), writer)
    for _ in range(2):
        writer.told("all")
        _done(partial(_sync, root))
    writer.told("all")
    counts = writer.ended()
    _done(partial(_sync, root))
    paths = (f"memory/{file.name}" for file in files)
    _done(partial(_tell, killed, dict(zip(paths, counts, strict=False))))
    return 0


def _done(work: Callable[[], None]) -> None:
    ended(started(work, 0))


def _made(what: str, root: Path, count: int) -> list[Path]:
    (root / "memory").mkdir(parents=True)
    is_topic = what.endswith("replace")
    names = [f"context-k{n}.md" if is_topic else f"k{n}.md" for n in range(count)]
    for name in names:
        (root / "memory" / name).write_text(TOPIC.format(name=name))
    return [root / "memory" / name for name in names]


def _killed(
    what: str, root: Path, steps: Iterable[tuple[Path, int]], writer: _Writer
) -> int:
    """Edit one file after the other, and kill that; return how often it was killed."""
    killed = 0
    for file, step in steps:
        writer.told(str(file))
        child = started(partial(_edit, what, root, file.name, step), 0)
        if not ended(child):
            break
        killed += 1
    return killed


def _edit(what: str, root: Path, name: str, step: int) -> None:
    from memoryhub.disk import replacing
    from memoryhub.sync.edit.editing import apply_edit
    from memoryhub.sync.edit.edits import Edit
    from memoryhub.workspaces.services.adding import add_workspace

    workspace = add_workspace(root)
    path = f"memory/{name}"
    edit = Edit(path, "append_text", {"text": NOTE, "label": "x"}, "scout", key=name)
    if what.endswith("replace"):
        edit = Edit(path, "set_status", {"text": STATUS}, "scout", key=name)
    replacing.WRITER_SECONDS = 0.02
    _kill_at(step, amid_writes=what.startswith("half-"))
    apply_edit(workspace, edit, clock=lambda: MOMENT)


def _kill_at(step: int, *, amid_writes: bool) -> None:
    """Kill this process at so many calls from now on, or amid so many writes."""
    from memoryhub.disk import swapping

    left = step

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*arguments: Any, **options: Any) -> Any:
            nonlocal left
            left -= 1
            if not left:
                if amid_writes:
                    descriptor, data = arguments
                    # The system stops a write where a block of the disk ends.
                    size = os.fstat(descriptor).st_size
                    call(descriptor, data[: _BLOCK - size % _BLOCK])
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*arguments, **options)

        return wrapper

    for name in ("write",) if amid_writes else _CALLS:
        setattr(os, name, counted(getattr(os, name)))
    if not amid_writes:
        swapping.exchange = counted(swapping.exchange)


def _sync(root: Path) -> None:
    from memoryhub.sync.engine import sync_workspace
    from memoryhub.workspaces.services.adding import add_workspace

    sync_workspace(add_workspace(root), clock=lambda: MOMENT)


def _tell(killed: int, lines: dict[str, int]) -> None:
    from memoryhub.journal.models import FileStat, Operation, Problem

    edits = Operation.objects.values_list("target", "state")
    told = {
        "killed": killed,
        "lines": lines,
        "edits": dict(edits),
        "hashes": dict(FileStat.objects.values_list("path", "sha256")),
        "problems": list(Problem.objects.values_list("path", "code_name")),
    }
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
