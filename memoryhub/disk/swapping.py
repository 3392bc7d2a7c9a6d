"""System calls for replacing a file without losing other programs' writes.

An atomic exchange of names, and leases: a writing program is waited for, a later one
waits. Systems without these use plain renames.
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
    """Exchange the names of two files of an open folder.

    `other` exists at every moment.

    Raises:
        OSError: a file is missing, or the folder is not writable.
    """
    names = os.fsencode(name), os.fsencode(other)
    if _renameat2 and not _renameat2(folder, names[0], folder, names[1], _EXCHANGE):
        return
    aside = f"{name}-aside"
    os.link(other, aside, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    os.rename(name, other, src_dir_fd=folder, dst_dir_fd=folder)
    os.rename(aside, name, src_dir_fd=folder, dst_dir_fd=folder)


def hold(descriptor: int) -> None:
    """Block other programs from opening our file until its descriptor is closed."""
    _leased(descriptor, fcntl.F_WRLCK)


def wait_for_writers(descriptor: int, seconds: float) -> Writers:
    """Wait until no program has a file open for writing, at most `seconds`.

    A program that has opened a file is about to write to it. Until the descriptor is
    closed, `is_unclaimed` checks for new writers.
    """
    end = time.monotonic() + seconds
    while (found := _leased(descriptor, fcntl.F_RDLCK)) is Writers.SOME:
        if time.monotonic() >= end:
            break
        time.sleep(_WAIT_SECONDS)
    return found


def is_unclaimed(descriptor: int) -> bool:
    """Return whether no program waits to write to a file that is leased to us.

    False without a lease.
    """
    if _lease is None:
        return False
    return fcntl.fcntl(descriptor, fcntl.F_GETLEASE) != fcntl.F_UNLCK


def _leased(descriptor: int, kind: int) -> Writers:
    """Request a lease, which shows who else has a file open.

    A read lease needs no writers; a write lease needs no other opener.
    """
    if _lease is None or _signal_of_lease is None:
        return Writers.UNKNOWN
    try:
        # A waiting program causes a signal to us, which by default would end the
        # process.
        fcntl.fcntl(descriptor, _signal_of_lease, signal.SIGURG)
        fcntl.fcntl(descriptor, _lease, kind)
    except OSError as error:
        return Writers.SOME if error.errno == errno.EAGAIN else Writers.UNKNOWN
    return Writers.NONE
