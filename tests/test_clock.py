"""The clock of tests is that of the processes they start, too."""

from __future__ import annotations

import subprocess
import sys
import time

from tests.clock import machine_clock
from tests.warm import python

_TOLD = "import time; print(time.time())"


def test_processes_that_are_started_have_the_same_clock() -> None:
    for command in ([sys.executable, "-c", _TOLD], python("-c", _TOLD)):
        told = float(subprocess.check_output(command))
        # It starts when a process does: later on a busy machine.
        assert abs(time.time() - told) < 3_600
        with machine_clock():
            told = float(subprocess.check_output(command))
            assert abs(time.time() - told) < 3_600
