"""What the system offers so that a file is replaced without losing what others write.

Two files change names in one step; a program that still writes is waited for, and one
that comes too early waits. Where a system has none of this, the plain way is taken.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import signal
import time
from enum import Enum, auto


class Writers(Enum):
    """Whether programs have a file open for writing."""

    NONE = auto()
    SOME = auto()
    UNKNOWN = auto()


_EXCHANGE = 2
_WAIT_SECONDS = 0.002
_renameat2 = getattr(ctypes.CDLL(None), "renameat2", None)
_lease = getattr(fcntl, "F_SETLEASE", None)
_signal_of_lease = getattr(fcntl, "F_SETSIG", None)


def exchange(folder: int, name: str, other: str) -> None:
    """Give each of two files of an open folder the other's name.

    `other` is never without a file.

    Raises:
        OSError: one of them is not there, or the folder takes no changes.
    """
    names = os.fsencode(name), os.fsencode(other)
    if _renameat2 and not _renameat2(folder, names[0], folder, names[1], _EXCHANGE):
        return
    aside = f"{name}-aside"
    os.link(other, aside, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    os.rename(name, other, src_dir_fd=folder, dst_dir_fd=folder)
    os.rename(aside, name, src_dir_fd=folder, dst_dir_fd=folder)


def hold(descriptor: int) -> None:
    """Let nobody else open our file until its descriptor is closed: they wait."""
    _leased(descriptor, fcntl.F_WRLCK)


def wait_for_writers(descriptor: int, seconds: float) -> Writers:
    """Wait until no program has a file open for writing, or for so long.

    A program that has opened a file and not yet written to it does so in a moment.
    Until its descriptor is closed, `is_unclaimed` tells whether that still holds.
    """
    end = time.monotonic() + seconds
    while (found := _leased(descriptor, fcntl.F_RDLCK)) is Writers.SOME:
        if time.monotonic() >= end:
            break
        time.sleep(_WAIT_SECONDS)
    return found


def is_unclaimed(descriptor: int) -> bool:
    """Tell whether no program tries to open a file that was found without writers."""
    if _lease is None:
        return False
    return fcntl.fcntl(descriptor, fcntl.F_GETLEASE) == fcntl.F_RDLCK


def _leased(descriptor: int, kind: int) -> Writers:
    """Ask for a lease, which tells who else has a file open.

    Nobody gets one to read while others may write, nor to write while others may read.
    """
    if _lease is None or _signal_of_lease is None:
        return Writers.UNKNOWN
    try:
        # Whoever waits for us has us sent a signal, which by default would end us.
        fcntl.fcntl(descriptor, _signal_of_lease, signal.SIGURG)
        fcntl.fcntl(descriptor, _lease, kind)
    except OSError as error:
        return Writers.SOME if error.errno == errno.EAGAIN else Writers.UNKNOWN
    return Writers.NONE
