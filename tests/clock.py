"""The one clock of tests: the rows they write are of this day, whatever day it is.

It ticks. Processes that tests start have the same one: the variable tells them how many
seconds it is ahead of the machine's clock, see `tests/pinned`. The kernel, browsers and
proxies keep the machine's clock: a file that is written now may be of another year.
"""

from __future__ import annotations

import os
import runpy
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import time_machine

#: The day after the rows that many tests write, a Saturday.
TODAY = datetime(2026, 11, 21, 12, tzinfo=UTC)
_PINNED = Path(__file__).parent / "pinned"
_VARIABLE = "MEMORYHUB_TEST_CLOCK"


def pin() -> None:
    """Pin the clock of this process and of all that it starts.

    The variable may hold another moment, in ISO format.
    """
    asked = os.environ.get(_VARIABLE) or TODAY.isoformat()
    if "T" in asked:
        ahead = datetime.fromisoformat(asked).timestamp() - time.time()
        os.environ[_VARIABLE] = str(ahead)
        paths = [str(_PINNED), os.environ.get("PYTHONPATH", "")]
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        follow()


def follow() -> None:
    """Set the clock of this process as the variable says now."""
    runpy.run_path(str(_PINNED / "sitecustomize.py"))


@contextmanager
def machine_clock() -> Iterator[None]:
    """Have the clock of the kernel, and thus of files, for as long as this runs."""
    ahead = os.environ[_VARIABLE]
    os.environ[_VARIABLE] = ""
    try:
        with time_machine.travel(time_machine.escape_hatch.time.time()):
            time.time()  # it ticks from the first time that it is asked
            yield
    finally:
        os.environ[_VARIABLE] = ahead
