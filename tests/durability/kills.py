"""A hub killed at random moments: ``python -m tests.durability.kills``.

Arguments: an act, the workspace's folder, how many kills, a seed. Each round is a
process that gets SIGKILL after a random part of the time that a round takes; then
another one does what the next run does. Prints how many were killed of how many.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import django

#: Checked after so many kills, and at the end.
_CHECK_EVERY = 10
_WRITER = """
import os, signal, sys, time
ended = []
signal.signal(signal.SIGTERM, lambda *_: ended.append(1))
number = 0
while not ended:
    file = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
    for _ in range(20):
        os.write(file, b"- other %06d\\n" % number)
        number += 1
        time.sleep(0.01)
    os.close(file)
open(sys.argv[2], "w").write(str(number))
"""


def main(arguments: list[str]) -> int:
    what, root, kills, seed = arguments
    django.setup()
    from django.conf import settings

    from tests.durability.acts import ACTS, Field, holds, settled

    act = ACTS[what]
    chance = random.Random(seed)
    field = Field(Path(root), Path(settings.MEMORYHUB_DATA), chance)
    _done(partial(act.prepare, field))
    rounds, killed, reach = 0, 0, 1.0
    with _other_program(field.root / act.writer if act.writer else None, field.data):
        while killed < int(kills):
            rounds += 1
            act.before(field, rounds)
            other = (
                _begun(partial(act.meanwhile, field, rounds)) if act.meanwhile else 0
            )
            began = time.monotonic()
            if _killed(partial(act.work, field, rounds), chance.uniform(0, reach)):
                killed, reach = killed + 1, reach * 1.05
            else:
                reach = max(0.02, time.monotonic() - began)
            if other:
                _ended(other, 0)
            _done(partial(settled, field, act, rounds))
            if not act.writer and rounds % _CHECK_EVERY == 0:
                _done(partial(holds, field, act))
    _done(partial(holds, field, act))
    sys.stdout.write(f"{killed} {rounds}\n")
    return 0


@contextmanager
def _other_program(place: Path | None, data: Path) -> Iterator[None]:
    """Have another program append to a file, which it keeps open for a while."""
    if place is None:
        yield
        return
    written = data.parent / "written"
    command = [sys.executable, "-S", "-c", _WRITER, str(place), str(written)]
    writer = subprocess.Popen(command)
    try:
        yield
    finally:
        writer.terminate()
        writer.wait(60)


def _killed(work: Callable[[], None], seconds: float) -> bool:
    """Do work in a child for so long; tell whether it was killed before its end."""
    child = _begun(work)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if _ended(child, os.WNOHANG):
            return False
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    return not _ended(child, 0)


def _done(work: Callable[[], None]) -> None:
    """Do work in a child to its end."""
    _ended(_begun(work), 0)


def _begun(work: Callable[[], None]) -> int:
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _ended(child: int, options: int) -> bool:
    """Tell whether a child came to its end; fail where it failed."""
    found, status = os.waitpid(child, options)
    if not found or os.WIFSIGNALED(status):
        return False
    if os.waitstatus_to_exitcode(status):
        raise SystemExit("a child failed")
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
