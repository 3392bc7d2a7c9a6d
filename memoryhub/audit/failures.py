"""Refusals of strangers: recorded up to a rate, so that they cannot fill the log."""

from __future__ import annotations

import time
from threading import Lock
from typing import Unpack

from memoryhub.audit.recording import REFUSED, Details, record_after

#: Recorded refusals of strangers in a process, per minute.
MOST = 60
_MINUTE = 60.0


class _Minute:
    """The refusals of the running minute: how many were recorded, and left out."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._begun = 0.0
        self._count = self._left_out = 0

    def admits(self) -> int | None:
        """Return how many were left out before this one; None if this one is too."""
        with self._lock:
            now = time.monotonic()
            if now - self._begun >= _MINUTE:
                self._begun, self._count = now, 0
            self._count += 1
            if self._count > MOST:
                self._left_out += 1
                return None
            left_out, self._left_out = self._left_out, 0
            return left_out


_MINUTE_NOW = _Minute()


def record_stranger(action: str, why: str, **fields: Unpack[Details]) -> None:
    """Record a refused attempt without a credential.

    Beyond the rate it is only counted; the next entry's detail says how many.
    """
    left_out = _MINUTE_NOW.admits()
    if left_out is None:
        return
    text = f"{why} (+{left_out})" if left_out else why
    fields |= {"outcome": REFUSED, "detail": text}
    record_after(action, **fields)
