"""Pin the clock of every Python process that tests start.

Python imports this module at its start, because the folder is in ``PYTHONPATH``.
"""

from __future__ import annotations

import os

if seconds := os.environ.get("MEMORYHUB_TEST_CLOCK"):
    import time

    import time_machine

    if not time_machine.traveller_stack:
        time_machine.travel(time.time() + float(seconds)).start()
        # It ticks from the first time that it is asked.
        time.time()
