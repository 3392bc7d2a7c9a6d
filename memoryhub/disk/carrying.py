"""Finishing of drafts: by the replacing process, or by a later run after its death.

An old version that was replaced is monitored while a program may still write to it;
additions to it are carried to the end of the file. Each step is one rename or one
addition, and the draft's name records the next step, so that a kill between any two
neither loses nor repeats a line (`memoryhub.disk.drafts`).
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

from memoryhub.disk.drafts import Beginning, Draft, State, beginning, draft_for
from memoryhub.disk.files import read_stable, write_all
from memoryhub.disk.landing import Addition, find_addition
from memoryhub.disk.places import Folder, add_to_end
from memoryhub.disk.swapping import Writers, is_unclaimed, wait_for_writers

#: Seconds since its last change after which an old version is dropped, if the system
#: cannot tell who has it open.
_UNKNOWN_SECONDS = 60.0


class Fate(Enum):
    """Outcome of finishing a draft."""

    #: Our own version, never in the file's place, or taken out of it again.
    UNUSED = auto()
    #: The old version; all of it is accounted for.
    DONE = auto()
    #: The old version, accounted for so far; it may still be written to.
    HELD = auto()
    #: Another program's version, which exists nowhere else.
    DISPLACED = auto()


class Finished(NamedTuple):
    """Outcome of finishing a draft; `data` is its content if displaced."""

    fate: Fate
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class _Work:
    """A draft with its content; `file` is the file's descriptor, if open."""

    folder: Folder
    name: str
    draft: Draft
    descriptor: int
    data: bytes
    writers: Writers
    file: int | None


def finish(
    folder: Folder,
    name: str,
    draft: Draft,
    file: int | None = None,
    seconds: float = 0.0,
) -> Finished:
    """Finish a draft of a file as far as possible; wait up to `seconds` for writers.

    `file` is the descriptor of the new version, if the caller has it open. A draft
    claimed by another process counts as held.

    Raises:
        OSError: the system refuses; the draft stays for another time.
        UnreadableFile: the draft is no regular file.
    """
    with _opened(folder, draft) as descriptor:
        if descriptor is None:
            return Finished(Fate.HELD)
        if draft.state is State.PART or _is_file(folder, name, descriptor):
            folder.remove(draft.name)
            return Finished(Fate.UNUSED)
        writers = wait_for_writers(descriptor, seconds)
        data = read_stable(descriptor, draft.name).data
        work = _Work(folder, name, draft, descriptor, data, writers, file)
        finished = _STEPS[draft.state](work)
        folder.sync()
        return finished


def accept(folder: Folder, draft: Draft, data: bytes) -> Draft:
    """Mark a draft's content as accounted for: the journal has it."""
    held = draft.moved_on(State.HELD, beginning(data))
    folder.rename(draft.name, held.name)
    return held


@contextmanager
def _opened(folder: Folder, draft: Draft) -> Iterator[int | None]:
    """Open and claim a draft; None while another process has it."""
    descriptor = folder.open_to_read(draft.name)
    try:
        yield descriptor if claim(descriptor) else None
    finally:
        os.close(descriptor)


def claim(descriptor: int) -> bool:
    """Lock a draft against other processes; False if one of them has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # A file system without locks: they matter only to two hubs on one folder.
        return True
    return True


def _is_file(folder: Folder, name: str, descriptor: int) -> bool:
    """Return whether an open draft is a hard link of the file."""
    status = folder.status(name)
    return status is not None and os.path.samestat(status, os.fstat(descriptor))


def _has_rested(descriptor: int) -> bool:
    status = os.fstat(descriptor)
    return time.time() - max(status.st_mtime, status.st_ctime) > _UNKNOWN_SECONDS


def _finish_new(work: _Work) -> Finished:
    """Finish an exchange; the longer matching beginning identifies the draft."""
    ours, old = work.draft.beginnings
    for found in sorted((ours, old), reverse=True):
        if found.begins(work.data):
            finished = _carry(work, found)
            return finished if found == old else Finished(Fate.UNUSED)
    now = _read(work)
    if now is None or not ours.begins(now):
        return Finished(Fate.DISPLACED, work.data)
    return _give_back(work, ours)


def _give_back(work: _Work, ours: Beginning) -> Finished:
    """Exchange another program's version back into the file's place.

    If that displaces a newer version of theirs, the exchange is reverted.
    """
    folder, draft = work.folder, work.draft
    folder.exchange(draft.name, work.name)
    if work.file is not None and _is_file(folder, draft.name, work.file):
        # No other program could open it: see `memoryhub.disk.swapping.hold`. One that
        # waits to do so will append to it when it is let go.
        if is_unclaimed(work.file):
            folder.remove(draft.name)
        else:
            _renamed(folder, draft, draft.moved_on(State.HELD, ours))
        return Finished(Fate.UNUSED)
    descriptor = folder.open_to_read(draft.name)
    try:
        writers = wait_for_writers(descriptor, 0)
        data = read_stable(descriptor, draft.name).data
        if not ours.begins(data):
            folder.exchange(draft.name, work.name)
            return Finished(Fate.DISPLACED, work.data)
        back = _Work(folder, work.name, draft, descriptor, data, writers, None)
        _carry(back, ours)
    finally:
        os.close(descriptor)
    return Finished(Fate.UNUSED)


def _finish_gone(work: _Work) -> Finished:
    """Restore a file being removed, if its name is still free."""
    try:
        work.folder.link(work.draft.name, work.name)
    except FileExistsError:
        return _finish_held(work)
    work.folder.remove(work.draft.name)
    return Finished(Fate.UNUSED)


def _finish_held(work: _Work) -> Finished:
    (old,) = work.draft.beginnings
    if not old.begins(work.data):
        return Finished(Fate.DISPLACED, work.data)
    return _carry(work, old)


def _finish_carry(work: _Work) -> Finished:
    """Complete an addition that a kill may have interrupted."""
    (old,), (end, at) = work.draft.beginnings, work.draft.numbers
    if not old.begins(work.data) or len(work.data) < end:
        return Finished(Fate.DISPLACED, work.data)
    addition = work.data[old.size : end]
    now = _read(work) or b""
    there = find_addition(now, addition, at) or Addition(len(now), 0)
    if there.size < len(addition):
        is_last = there.begin + there.size == len(now)
        _add(work, addition[there.size :] if is_last else addition)
    return _carry(work, beginning(work.data, end))


_STEPS = {
    State.NEW: _finish_new,
    State.GONE: _finish_gone,
    State.HELD: _finish_held,
    State.CARRY: _finish_carry,
}


def _carry(work: _Work, old: Beginning) -> Finished:
    """Append the draft's data after `old` to the file; drop the draft or hold it."""
    folder, draft = work.folder, work.draft
    if addition := work.data[old.size :]:
        numbers = (len(work.data), _size(work))
        adding = draft.moved_on(State.CARRY, old, numbers=numbers)
        draft = _renamed(folder, draft, adding)
        _add(work, addition)
    if _is_over(work):
        folder.remove(draft.name)
        return Finished(Fate.DONE)
    _renamed(folder, draft, draft.moved_on(State.HELD, beginning(work.data)))
    return Finished(Fate.HELD)


def _is_over(work: _Work) -> bool:
    """Return whether the draft has no more writers and is unchanged since read."""
    match work.writers:
        case Writers.SOME:
            return False
        case Writers.NONE:
            is_left = is_unclaimed(work.descriptor)
        case Writers.UNKNOWN:
            is_left = _has_rested(work.descriptor)
    return is_left and os.fstat(work.descriptor).st_size == len(work.data)


def _renamed(folder: Folder, draft: Draft, other: Draft) -> Draft:
    if draft.name != other.name:
        folder.rename(draft.name, other.name)
    return other


def _read(work: _Work) -> bytes | None:
    """Return the file's content; None if missing."""
    if work.file is not None:
        return read_stable(work.file, work.name).data
    with suppress(FileNotFoundError):
        descriptor = work.folder.open_to_read(work.name)
        try:
            return read_stable(descriptor, work.name).data
        finally:
            os.close(descriptor)
    return None


def _size(work: _Work) -> int:
    if work.file is not None:
        return os.fstat(work.file).st_size
    status = work.folder.status(work.name)
    return status.st_size if status else 0


def _add(work: _Work, addition: bytes) -> None:
    """Append bytes to the file; create it if missing."""
    if work.file is not None:
        add_to_end(work.file, addition, work.name)
        return
    try:
        descriptor = work.folder.open(work.name, os.O_RDWR | os.O_APPEND)
    except FileNotFoundError:
        make(work.folder, work.name, addition)
        return
    try:
        add_to_end(descriptor, addition, work.name)
    finally:
        os.close(descriptor)


def make(folder: Folder, name: str, data: bytes) -> None:
    """Create a missing file, complete from its first moment.

    Raises:
        FileExistsError: it exists.
        OSError: the system refuses.
    """
    part = draft_for(name, State.PART)
    try:
        os.close(written(folder, part, data))
        folder.link(part.name, name)
    finally:
        folder.remove(part.name)


def written(folder: Folder, part: Draft, data: bytes, mode: int | None = None) -> int:
    """Write a draft and sync it; return its descriptor, to append to."""
    flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_APPEND
    descriptor = folder.open(part.name, flags)
    try:
        claim(descriptor)
        write_all(descriptor, data)
        if mode is not None:
            os.fchmod(descriptor, mode)
        os.fsync(descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
