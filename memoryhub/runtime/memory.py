"""Memory of the server's process: what requests no longer use goes back to the system.

The figures are in docs/deploy.md. Without glibc's allocator nothing is done.
"""

from __future__ import annotations

import ctypes
import threading
from contextlib import suppress

#: Numbers of glibc's parameters (malloc.h): arenas at most, bytes free at the top of
#: one before it shrinks. A set threshold also stops glibc from raising it by itself.
_ARENA_MAX, _TRIM_THRESHOLD = -8, -1
_ARENAS, _FREE_BYTES = 2, 128 * 1024
#: Seconds between two times that free pages are given back.
_PERIOD = 15.0


def bound_memory() -> None:
    """Have threads share few heaps; call it before they start."""
    with suppress(AttributeError, OSError, TypeError):
        libc = ctypes.CDLL(None)
        libc.mallopt(_ARENA_MAX, _ARENAS)
        libc.mallopt(_TRIM_THRESHOLD, _FREE_BYTES)


def give_back(stop: threading.Event) -> None:
    """Give free pages back to the system now and then, until `stop`."""
    with suppress(AttributeError, OSError, TypeError):
        libc = ctypes.CDLL(None)
        while not stop.wait(_PERIOD):
            libc.malloc_trim(0)
