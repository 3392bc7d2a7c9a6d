"""Set the clock of a Python process that tests start, as their variable says.

Python imports this module at its start, because the folder is in ``PYTHONPATH``; tests
run it again in a process that they fork.
"""

from __future__ import annotations

import os
import sys

ahead = os.environ.get("MEMORYHUB_TEST_CLOCK", "")
if ahead or "time_machine" in sys.modules:
    import time

    import time_machine

    hatch = time_machine.escape_hatch
    machine = hatch.time.time() if hatch.is_travelling() else time.time()
    time_machine.travel(machine + float(ahead or 0)).start()
    # It ticks from the first time that it is asked.
    time.time()
