"""Atomic replacement of a file, finished by its process or by a later run.

The replaced version is monitored while a program may still write to it: lines that
others append to it are carried to the end of the new version; after any other change it
gets its place back. Each step is one rename or one addition, and the name of the draft
beside the file records the next step, so that a kill between any two neither loses nor
repeats a line: the next run goes on (`memoryhub.sync.edit.leftovers`).

A draft's name holds all that a later run needs; RAND distinguishes drafts of one file.
A beginning, ``SIZE-HASH``, is the first SIZE bytes of a version.

    .NAME.memoryhub-part-RAND               a new version of ours, incomplete
    .NAME.memoryhub-new-NEW-OLD-RAND        the new version, or the old one after the
                                            exchange of names; both beginnings
    .NAME.memoryhub-gone-OLD-RAND           the file, while it is being removed
    .NAME.memoryhub-held-OLD-RAND           an old version: its beginning is accounted
                                            for, the rest is not
    .NAME.memoryhub-carry-OLD-END-AT-RAND   an old version: its bytes from the beginning
                                            to END are being added to the file, at AT
                                            or behind

Hubs before version 0.2 had ``.NAME.memoryhub-RAND`` for all of these.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from enum import Enum, StrEnum, auto
from hashlib import sha256
from typing import NamedTuple

from memoryhub.disk.files import (
    ExternallyChanged,
    FileBytes,
    as_file_error,
    read_stable,
    write_all,
)
from memoryhub.disk.landing import Addition, find_addition
from memoryhub.disk.places import Folder, Place, add_to_end
from memoryhub.disk.swapping import Writers, hold, is_unclaimed, wait_for_writers

#: Seconds to wait for a program that has the old version open; after that it is held as
#: a draft and checked again later.
WRITER_SECONDS = 0.5
#: Seconds since its last change after which an old version is dropped, if the system
#: cannot tell who has it open.
_UNKNOWN_SECONDS = 60.0

MARK = ".memoryhub-"
#: Bytes: a longer name is cut, with its hash, so that a draft's name is short enough
#: for any file system.
_STEM_BYTES, _CUT_BYTES = 50, 40
_NAME = re.compile(
    r"\.(?P<stem>.+)\.memoryhub-"
    r"((?P<state>part|new|gone|held|carry)(?P<numbers>(-[0-9a-f]+)*)-)?"
    r"(?P<random>[0-9a-f]{12})(?P<suffix>(-aside)?)",
    re.DOTALL,
)


class State(StrEnum):
    """Kind of a draft."""

    PART = "part"
    NEW = "new"
    GONE = "gone"
    HELD = "held"
    CARRY = "carry"
    UNKNOWN = ""


#: Numbers of beginnings and of further numbers in a name.
_FIELDS = {
    State.PART: (0, 0),
    State.NEW: (2, 0),
    State.GONE: (1, 0),
    State.HELD: (1, 0),
    State.CARRY: (1, 2),
}


class Beginning(NamedTuple):
    """First bytes of a version: their number, and the start of their sha256."""

    size: int
    digest: str

    def begins(self, data: bytes) -> bool:
        """Return whether data starts with this beginning."""
        return len(data) >= self.size and beginning(data, self.size) == self


def beginning(data: bytes, size: int | None = None) -> Beginning:
    """Return the beginning of a version: `size` bytes, all by default."""
    first = data[:size]
    return Beginning(len(first), sha256(first).hexdigest()[:16])


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft by the parts of its name; `suffix` marks a non-atomic exchange."""

    stem: str
    state: State
    beginnings: tuple[Beginning, ...] = ()
    numbers: tuple[int, ...] = ()
    random: str = ""
    suffix: str = ""

    @property
    def name(self) -> str:
        parts = [self.state.value] if self.state else []
        parts += [f"{size}-{digest}" for size, digest in self.beginnings]
        parts += [*map(str, self.numbers), self.random]
        return f".{self.stem}{MARK}{'-'.join(parts)}{self.suffix}"

    def moved_on(
        self, state: State, *beginnings: Beginning, numbers: tuple[int, ...] = ()
    ) -> Draft:
        """Return the same draft in another state."""
        return replace(
            self, state=state, beginnings=beginnings, numbers=numbers, suffix=""
        )


def draft_for(name: str, state: State, *beginnings: Beginning) -> Draft:
    """Create a new draft of a file, with a random name."""
    return Draft(stem_of(name), state, beginnings, random=os.urandom(6).hex())


def draft_named(name: str) -> Draft | None:
    """Parse a draft's name; None for other names."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    state = State(found["state"] or "")
    given = (found["numbers"] or "").split("-")[1:]
    pairs, numbers = _FIELDS.get(state, (0, 0))
    if len(given) != 2 * pairs + numbers:
        return None
    sizes = [*given[: 2 * pairs : 2], *given[2 * pairs :]]
    if not all(size.isdecimal() for size in sizes):
        return None
    return Draft(
        found["stem"],
        state,
        tuple(Beginning(int(given[i]), given[i + 1]) for i in range(0, 2 * pairs, 2)),
        tuple(map(int, given[2 * pairs :])),
        found["random"],
        found["suffix"],
    )


def is_draft(name: str) -> bool:
    """Return whether a name is a draft's, of this hub version or another."""
    return name.startswith(".") and MARK in name


def drafts_of(name: str, names: Iterable[str]) -> list[Draft]:
    """Return the drafts of a file among the names of its folder."""
    stems = {stem_of(name), name[:40]}
    found = (draft_named(each) for each in names if is_draft(each))
    return [draft for draft in found if draft is not None and draft.stem in stems]


def stem_of(name: str) -> str:
    """Return the stem of a file's name, as used in its drafts' names."""
    raw = os.fsencode(name)
    if len(raw) <= _STEM_BYTES:
        return name
    cut = raw[:_CUT_BYTES].decode("utf-8", "ignore")
    return f"{cut}~{sha256(raw).hexdigest()[:8]}"


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
) -> tuple[Fate, bytes]:
    """Finish a draft of a file as far as possible; wait up to `seconds` for writers.

    Return what came of it, and the content of a displaced draft.

    `file` is the descriptor of the new version, if the caller has it open. A draft
    claimed by another process counts as held.

    Raises:
        OSError: the system refuses; the draft stays for another time.
        UnreadableFile: the draft is no regular file.
    """
    with _opened(folder, draft) as descriptor:
        if descriptor is None:
            return Fate.HELD, b""
        if draft.state is State.PART or _is_file(folder, name, descriptor):
            folder.remove(draft.name)
            return Fate.UNUSED, b""
        writers = wait_for_writers(descriptor, seconds)
        data = read_stable(descriptor, draft.name).data
        work = _Work(folder, name, draft, descriptor, data, writers, file)
        fate = _STEPS[draft.state](work)
        folder.sync()
        return fate, data


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


def _finish_new(work: _Work) -> Fate:
    """Finish an exchange; the longer matching beginning identifies the draft."""
    ours, old = work.draft.beginnings
    for found in sorted((ours, old), reverse=True):
        if found.begins(work.data):
            fate = _carry(work, found)
            return fate if found == old else Fate.UNUSED
    now = _read(work)
    if now is None or not ours.begins(now):
        return Fate.DISPLACED
    return _give_back(work, ours)


def _give_back(work: _Work, ours: Beginning) -> Fate:
    """Exchange another program's version back into the file's place.

    If that displaces a newer version of theirs, the exchange is reverted.
    """
    folder, draft = work.folder, work.draft
    folder.exchange(draft.name, work.name)
    if work.file is not None and _is_file(folder, draft.name, work.file):
        # No other program could open it: see `hold`. One that
        # waits to do so will append to it when it is let go.
        if is_unclaimed(work.file):
            folder.remove(draft.name)
        else:
            _renamed(folder, draft, draft.moved_on(State.HELD, ours))
        return Fate.UNUSED
    descriptor = folder.open_to_read(draft.name)
    try:
        writers = wait_for_writers(descriptor, 0)
        data = read_stable(descriptor, draft.name).data
        if not ours.begins(data):
            folder.exchange(draft.name, work.name)
            return Fate.DISPLACED
        back = _Work(folder, work.name, draft, descriptor, data, writers, None)
        _carry(back, ours)
    finally:
        os.close(descriptor)
    return Fate.UNUSED


def _finish_gone(work: _Work) -> Fate:
    """Restore a file being removed, if its name is still free."""
    try:
        work.folder.link(work.draft.name, work.name)
    except FileExistsError:
        return _finish_held(work)
    work.folder.remove(work.draft.name)
    return Fate.UNUSED


def _finish_held(work: _Work) -> Fate:
    (old,) = work.draft.beginnings
    if not old.begins(work.data):
        return Fate.DISPLACED
    return _carry(work, old)


def _finish_carry(work: _Work) -> Fate:
    """Complete an addition that a kill may have interrupted."""
    (old,), (end, at) = work.draft.beginnings, work.draft.numbers
    if not old.begins(work.data) or len(work.data) < end:
        return Fate.DISPLACED
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


def _carry(work: _Work, old: Beginning) -> Fate:
    """Append the draft's data after `old` to the file; drop the draft or hold it."""
    folder, draft = work.folder, work.draft
    if addition := work.data[old.size :]:
        numbers = (len(work.data), _size(work))
        adding = draft.moved_on(State.CARRY, old, numbers=numbers)
        draft = _renamed(folder, draft, adding)
        _add(work, addition)
    if _is_over(work):
        folder.remove(draft.name)
        return Fate.DONE
    _renamed(folder, draft, draft.moved_on(State.HELD, beginning(work.data)))
    return Fate.HELD


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


def replace_file(place: Place, data: bytes, *, expected: str | None) -> None:
    """Replace a file atomically by a new version.

    The mode of the file is kept. `expected` is the hash that was read, or None for a
    new file, for which missing folders are created.

    Raises:
        ExternallyChanged: the file holds something else, or appeared meanwhile.
        UnreadableFile: it is missing, or the folder is not writable.
    """
    make_folders = expected is None
    with as_file_error(place.path), place.folder(make=make_folders) as folder:
        if expected is not None:
            _exchange(folder, place, data, expected)
            return
        try:
            make(folder, place.name, data)
        except FileExistsError as error:
            raise ExternallyChanged(place.path) from error
        folder.sync()


def remove_file(place: Place, *, expected: str) -> None:
    """Remove a file.

    Raises:
        ExternallyChanged: the file's hash is not `expected`.
        UnreadableFile: it is missing, or the folder is not writable.
    """
    with as_file_error(place.path), place.folder() as folder:
        found = _expected(folder, place, expected)
        gone = draft_for(place.name, State.GONE, beginning(found.data))
        folder.rename(place.name, gone.name)
        if _last_read(folder, gone.name) != found.data:
            finish(folder, place.name, gone)
            raise ExternallyChanged(place.path)
        held = gone.moved_on(State.HELD, *gone.beginnings)
        folder.rename(gone.name, held.name)
        finish(folder, place.name, held)


def _exchange(folder: Folder, place: Place, data: bytes, expected: str) -> None:
    """Exchange a draft and the file, then finish the draft.

    The new version cannot be opened before it has all lines appended meanwhile.
    """
    found = _expected(folder, place, expected)
    mode = os.stat(place.name, dir_fd=folder.descriptor, follow_symlinks=False).st_mode
    draft = draft_for(place.name, State.NEW, beginning(data), beginning(found.data))
    file = _drafted(folder, draft, data, stat.S_IMODE(mode))
    try:
        hold(file)
        is_there = False
        try:
            folder.exchange(draft.name, place.name)
            status = folder.status(draft.name)
            is_there = status is not None and stat.S_ISREG(status.st_mode)
            if not is_there:
                folder.exchange(draft.name, place.name)
        finally:
            if not is_there:
                folder.remove(draft.name)
        fate = Fate.DONE if is_there else Fate.UNUSED
        # On failure the draft remains and the next run finishes it.
        with suppress(OSError):
            if fate is Fate.DONE:
                fate, _ = finish(folder, place.name, draft, file, WRITER_SECONDS)
    finally:
        os.close(file)
    if fate in {Fate.UNUSED, Fate.DISPLACED}:
        raise ExternallyChanged(place.path)


def _drafted(folder: Folder, draft: Draft, data: bytes, mode: int) -> int:
    """Write a new version under a draft's name; return its descriptor."""
    part = draft.moved_on(State.PART)
    try:
        file = written(folder, part, data, mode)
        try:
            folder.rename(part.name, draft.name)
        except BaseException:
            os.close(file)
            raise
    except BaseException:
        folder.remove(part.name)
        raise
    return file


def _expected(folder: Folder, place: Place, expected: str) -> FileBytes:
    """Read a file and check its hash.

    Raises:
        ExternallyChanged: the hash differs.
    """
    descriptor = folder.open_to_read(place.name)
    try:
        found = read_stable(descriptor, place.path)
    finally:
        os.close(descriptor)
    if found.sha256 != expected:
        raise ExternallyChanged(place.path)
    return found


def _last_read(folder: Folder, name: str) -> bytes:
    """Read a renamed file after its writers are done, or half a second."""
    descriptor = folder.open_to_read(name)
    try:
        wait_for_writers(descriptor, WRITER_SECONDS)
        return read_stable(descriptor, name).data
    finally:
        os.close(descriptor)
