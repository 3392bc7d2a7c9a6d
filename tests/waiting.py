"""Waiting for what another process or thread does, however busy the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_for(happened: Callable[[], object], seconds: float = 60) -> None:
    """Return as soon as something has happened; fail where it has not in time."""
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)
