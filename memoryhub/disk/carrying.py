"""Drafts brought to their end: by whoever replaces a file, or by a run after its death.

An old version that has lost its place goes on being looked at while a program may
still write to it. What is added to it goes to the end of the file. Each step is one
change of a name or one addition, and the draft's name says which is next, so that a
kill between any two leaves neither a line out nor one twice (`memoryhub.disk.drafts`).
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

from memoryhub.disk.additions import Standing, standing
from memoryhub.disk.drafts import Beginning, Draft, State, beginning, draft_for
from memoryhub.disk.files import read_stable, write_all
from memoryhub.disk.places import Folder, add_to_end
from memoryhub.disk.swapping import Writers, is_unclaimed, wait_for_writers

#: Seconds after its last change in which an old version is kept where the system does
#: not say who has it open.
_UNKNOWN_SECONDS = 60.0


class Fate(Enum):
    """What became of a draft."""

    #: It is ours and was never in the place of the file, or has left it again.
    UNUSED = auto()
    #: It was the old version; all of it is accounted for.
    DONE = auto()
    #: It is the old version, and may be written to; what it has is accounted for.
    HELD = auto()
    #: What it holds is a version of another program's, which is nowhere else.
    DISPLACED = auto()


class Finished(NamedTuple):
    """What became of a draft; `data` is what it holds, where that is displaced."""

    fate: Fate
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class _Work:
    """A draft of a file with what it holds; `file` is the file, where it is open."""

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
    """Bring a draft of a file as far as can be; writers are waited for so long.

    `file` is the new version in the place of the file, where the caller has it open.
    One that another process is at work on counts as held.

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
    """Count what a draft holds as accounted for: the journal has it."""
    held = draft.moved_on(State.HELD, beginning(data))
    folder.rename(draft.name, held.name)
    return held


@contextmanager
def _opened(folder: Folder, draft: Draft) -> Iterator[int | None]:
    """Open a draft for one process alone; None while another one has it."""
    descriptor = folder.open_to_read(draft.name)
    try:
        yield descriptor if claim(descriptor) else None
    finally:
        os.close(descriptor)


def claim(descriptor: int) -> bool:
    """Keep a draft from other processes; False where one of them has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # A file system without locks: only two hubs on one folder would need them.
        return True
    return True


def _is_file(folder: Folder, name: str, descriptor: int) -> bool:
    """Tell whether an open draft is a second name of the file."""
    status = folder.status(name)
    return status is not None and os.path.samestat(status, os.fstat(descriptor))


def _has_rested(descriptor: int) -> bool:
    status = os.fstat(descriptor)
    return time.time() - max(status.st_mtime, status.st_ctime) > _UNKNOWN_SECONDS


def _finish_new(work: _Work) -> Finished:
    """End an exchange, whichever of the two the draft is; the longer match decides."""
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
    """Give a version of another program's its place again, which ours has taken.

    Should that have displaced a newer one, it is that one which has the place.
    """
    folder, draft = work.folder, work.draft
    folder.exchange(draft.name, work.name)
    if work.file is not None and _is_file(folder, draft.name, work.file):
        # Nobody else could open it: see `memoryhub.disk.swapping.hold`.
        folder.remove(draft.name)
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
    """Give a file that was being taken away its place again, if that is free."""
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
    """Add what is missing of an addition that a kill may have interrupted."""
    (old,), (end, at) = work.draft.beginnings, work.draft.numbers
    if not old.begins(work.data) or len(work.data) < end:
        return Finished(Fate.DISPLACED, work.data)
    addition = work.data[old.size : end]
    now = _read(work) or b""
    there = standing(now, addition, at) or Standing(len(now), 0)
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
    """Add what follows a beginning to the file; then drop the draft, or keep it."""
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
    """Tell whether nobody can write to a draft any more, and it is as it was read."""
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
    """Return what the file holds; None where there is none."""
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
    """Add bytes to the end of the file, which is made where it is gone."""
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
    """Make a file that is not there, complete from its first moment on.

    Raises:
        FileExistsError: it is there.
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
