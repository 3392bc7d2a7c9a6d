"""Commands of a hub in processes of their own, and work that is killed on its way."""

from __future__ import annotations

import importlib
import os
import resource
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.warm import python

ROOT = Path(__file__).parents[1]
Done = subprocess.CompletedProcess[str]


def run(
    data: Path, *command: object, stdin: str = "", env: dict[str, str] | None = None
) -> Done:
    """Run a command of the hub in a data folder, as a person or a cron job does."""
    return subprocess.run(
        python(ROOT / "manage.py", *command),
        env={**os.environ, "MEMORYHUB_DATA": str(data), **(env or {})},
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def done(data: Path, *command: object, env: dict[str, str] | None = None) -> str:
    """Run a command that must end with 0; return what it prints."""
    ended = run(data, *command, env=env)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def refused(data: Path, *command: object, env: dict[str, str] | None = None) -> str:
    """Run a command that must end with 1 and one line; return the line."""
    ended = run(data, *command, env=env)
    lines = ended.stderr.splitlines()
    assert (ended.returncode, len(lines)) == (1, 1), ended.stderr
    return lines[0]


def killed_at(call: str, number: int, work: Callable[[], object]) -> bool:
    """Do work in a child that kills itself at the n-th call of a function.

    `call` is its place, such as ``os.rename``. Return whether it was killed: work that
    calls it less often comes to its end.
    """

    def dying() -> None:
        place, _, name = call.rpartition(".")
        module = importlib.import_module(place)
        real, left = getattr(module, name), number

        def counted(*args: Any, **kwargs: Any) -> Any:
            nonlocal left
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **kwargs)

        setattr(module, name, counted)
        work()

    status = _in_child(dying)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.waitstatus_to_exitcode(status) == 0, "the child failed"
    return False


def on_full_disk(size: int, work: Callable[[], object]) -> str:
    """Do work in a child where no file can grow beyond a size; return what it raised.

    The system answers as it does where a disk is full, but for the number of the error.
    """
    reader, writer = os.pipe()

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        try:
            work()
        except Exception as error:
            os.write(writer, f"{type(error).__name__}: {error}".encode())

    _in_child(limited)
    os.close(writer)
    with os.fdopen(reader) as told:
        return told.read()


def _in_child(work: Callable[[], object]) -> int:
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    code = 1
    try:
        work()
        code = 0
    finally:
        os._exit(code)
