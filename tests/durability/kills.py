"""A hub killed while it works: ``python -m tests.durability.kills``.

Arguments: an act, the workspace's folder, how many kills, a seed. Each round is a
process that gets SIGKILL after a random part of the time that a round takes; then
another one does what the next run does. Prints how many were killed of how many.

With ``--every STEPS`` after them, round *n* is killed before its step *n* times STEPS,
a statement or a change of a file, until one comes to its end; then the next run is
killed at a random step, and the one after it does the rest. So many kills at most.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import django

from tests.killing import ended, started

if TYPE_CHECKING:
    from tests.durability.field import Act, Field

#: Checked after so many kills, and at the end.
_CHECK_EVERY = 10
#: The run after a kill takes about so many steps.
_STEPS_OF_A_RUN = 150
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
        time.sleep(0.2 if number % 5 == 0 else 0.01)
    os.close(file)
open(sys.argv[2], "w").write(str(number))
"""


def main(arguments: list[str]) -> int:
    what, root, kills, seed, *steps = arguments
    django.setup()
    from django.conf import settings

    from tests.durability.acts import ACTS
    from tests.durability.field import Field

    act = ACTS[what]
    field = Field(Path(root), Path(settings.MEMORYHUB_DATA), random.Random(seed))
    _done(partial(act.prepare, field))
    if steps:
        killed, rounds = _killed_by_steps(act, field, int(kills), int(steps[1]))
    else:
        killed, rounds = _killed_by_chance(act, field, int(kills))
    sys.stdout.write(f"{killed} {rounds}\n")
    return 0


def _killed_by_chance(act: Act, field: Field, kills: int) -> tuple[int, int]:
    """Kill rounds at random moments; return how many of how many were."""
    from tests.durability.field import holds, settled

    rounds, killed, reach = 0, 0, 1.0
    with _other_program(field.root / act.writer if act.writer else None, field.data):
        while killed < kills:
            rounds += 1
            _done(partial(act.before, field, rounds))
            other = (
                started(partial(act.meanwhile, field, rounds)) if act.meanwhile else 0
            )
            began = time.monotonic()
            if _killed(
                partial(act.work, field, rounds), field.chance.uniform(0, reach)
            ):
                killed, reach = killed + 1, reach * 1.05
            else:
                reach = max(0.02, time.monotonic() - began)
            field.over.touch()
            if other:
                ended(other)
            _done(partial(settled, field, act, rounds))
            if not act.writer and rounds % _CHECK_EVERY == 0:
                _done(partial(holds, field, act))
    _done(partial(holds, field, act))
    return killed, rounds


def _killed_by_steps(act: Act, field: Field, kills: int, every: int) -> tuple[int, int]:
    """Kill rounds at one step after the other; return how many of how many were."""
    from tests.durability.field import holds, settled

    for number in range(1, kills + 1):
        _done(partial(act.before, field, number))
        if not ended(started(partial(act.work, field, number), number * every)):
            return number - 1, number
        again = partial(settled, field, act, number)
        ended(started(again, field.chance.randint(1, _STEPS_OF_A_RUN)))
        _done(again)
        _done(partial(holds, field, act))
    return kills, kills


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
    child = started(work)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            break
        time.sleep(0.001)
    else:
        os.kill(child, signal.SIGKILL)
    return bool(ended(child))


def _done(work: Callable[[], None]) -> None:
    """Do work in a child to its end."""
    ended(started(work))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
