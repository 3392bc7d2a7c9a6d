"""Application of operations to their file.

An operation is committed as pending, then written, then committed as applied; after a
crash the bytes on disk show which of these happened. Nothing is written over a value
that is no longer the one the operation was made from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple, TypeAlias, TypeGuard

from django.db import transaction

from memoryhub.database.durability import sync_commits
from memoryhub.disk.files import ExternallyChanged, FileError
from memoryhub.formats.base import FormatError
from memoryhub.journal.blobs import NoBytes
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.verbs import Limits, verb_of
from memoryhub.sync.edit.edits import Conflict, Edit
from memoryhub.sync.edit.gate import check_masks
from memoryhub.sync.edit.operations import (
    commit,
    note_hashes,
    note_unwritten,
    set_state,
)
from memoryhub.sync.edit.writing import (
    Disk,
    found_now,
    read_newest,
    record_seen,
    record_written,
    write,
)

Clock = Callable[[], datetime]
#: An edit with its operation.
Pair: TypeAlias = tuple[Edit, Operation]

_ATTEMPTS = 12
#: Attempts at an addition while other programs append to the file.
_ADDITIONS = 100
#: One addition is written like any other edit.
_LEAST_TOGETHER = 2
_PENDING, _WITHDRAWN = Operation.State.PENDING, Operation.State.WITHDRAWN


def apply_all(
    workspace: Workspace, todo: Sequence[tuple[Edit, Operation]], clock: Clock
) -> None:
    """Apply edits of one file to its newest bytes; retry if another program writes.

    On failure operations return to their previous state (staged, pending), else
    withdrawn.

    Raises:
        Conflict: the file's value is not the one an edit was made from.
        FormatError: the file's dialect cannot hold an edit.
        FileError: the file cannot be read or written.
    """
    operations = [operation for _, operation in todo]
    fallback = Operation.State(operations[0].state or _WITHDRAWN)
    try:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                _write_once(workspace, todo, clock)
                return
            except FileError:
                if attempt == _ATTEMPTS:
                    raise
    except (Conflict, FormatError, FileError):
        recorded = [operation for operation in operations if operation.seq]
        if fallback == _WITHDRAWN:
            note_unwritten(recorded)
        set_state(recorded, fallback)
        raise


def _write_once(
    workspace: Workspace, todo: Sequence[tuple[Edit, Operation]], clock: Clock
) -> None:
    path = todo[0][0].path
    disk = read_newest(workspace, path, clock())
    data = _described(workspace, todo, disk)
    operations = [operation for _, operation in todo]
    with transaction.atomic():
        commit(operations, _PENDING)
    # Sync the journal first: if a power cut lost the pending operation but not the
    # file's bytes, a retry would write the addition twice.
    sync_commits()
    try:
        data = landed(workspace, path, disk, data, clock)
    except ExternallyChanged:
        data = _landed_behind(workspace, todo, disk, data, clock)
    record_written(workspace, [(operations, data)], clock())


def write_each(
    workspace: Workspace, todo: Sequence[tuple[Edit, Operation]], clock: Clock
) -> list[Edit]:
    """Write one new operation to each of several files, whose locks the caller holds.

    All are committed, synced and recorded together. Return the edits that could not
    be written; their operations are withdrawn, and can be applied again.
    """
    ready: list[tuple[Edit, Operation, Disk, bytes | None]] = []
    left: list[Edit] = []
    for edit, operation in todo:
        try:
            disk = read_newest(workspace, edit.path, clock())
            data = _described(workspace, [(edit, operation)], disk)
            ready.append((edit, operation, disk, data))
        except (Conflict, FormatError, FileError, NoBytes):
            left.append(edit)
    with transaction.atomic():
        commit([operation for _, operation, _, _ in ready], _PENDING)
    sync_commits()
    written: list[tuple[list[Operation], bytes | None]] = []
    for edit, operation, disk, data in ready:
        try:
            data = landed(workspace, edit.path, disk, data, clock)
            written.append(([operation], data))
        except FileError:
            note_unwritten([operation])
            set_state([operation], _WITHDRAWN)
            left.append(edit)
    record_written(workspace, written, clock())
    return left


class _Added(NamedTuple):
    """An addition with its operation, and the bytes of its file after it."""

    edit: Edit
    operation: Operation
    data: bytes


def add_together(
    workspace: Workspace, todo: Sequence[Pair], clock: Clock
) -> list[Operation]:
    """Write new additions to a file whose lock is held; each makes its own version.

    All are committed, appended, synced and recorded together. Return the operations
    that were written; the others can be applied one by one.
    """
    disk = read_newest(workspace, todo[0][0].path, clock())
    added = _added(workspace, todo, disk)
    operations = [one.operation for one in added]
    if len(added) < _LEAST_TOGETHER:
        return []
    # Of one write: settled together after a crash.
    for operation in operations:
        note_hashes(operation, disk, added[-1].data)
    with transaction.atomic():
        commit(operations, _PENDING)
    sync_commits()
    try:
        before, added = _appended(workspace, added, disk)
    except FileError:
        note_unwritten(operations)
        set_state(operations, _WITHDRAWN)
        return []
    digest = sha256(before).hexdigest()
    for one in added:
        one.operation.before_sha = digest
        digest = sha256(one.data).hexdigest()
    written = [([one.operation], one.data) for one in added]
    if before != disk.data:
        record_seen(workspace, disk.place.path, before, clock())
    record_written(workspace, written, clock())
    return operations


def _added(workspace: Workspace, todo: Iterable[Pair], disk: Disk) -> list[_Added]:
    """Make additions one after the other, as long as each only appends to the file."""
    found: list[_Added] = []
    now = disk
    for edit, operation in todo:
        try:
            data = now.encoded(text_after(workspace, now.text, edit, operation))
        except (Conflict, FormatError):
            continue
        if not _continues(data, now):
            continue
        note_hashes(operation, now, data)
        found.append(_Added(edit, operation, data))
        now = now.with_data(data)
    return found


def _appended(
    workspace: Workspace, added: list[_Added], disk: Disk
) -> tuple[bytes, list[_Added]]:
    """Append additions to their file; return the bytes before them, and as written.

    Raises:
        FileError: another program changed the file in another way than by appending,
            so that they have to be made anew, or the disk refuses.
    """
    now = disk
    for _ in range(_ADDITIONS):
        with suppress(ExternallyChanged):
            before = write(now, added[-1].data)
            size = len(now.data)
            return before, [
                one._replace(data=before + one.data[size:]) for one in added
            ]
        now = found_now(workspace, added[0].edit.path)
        pairs = [(one.edit, one.operation) for one in added]
        again = _added(workspace, pairs, now)
        if not _continues(now.data, disk) or len(again) < len(added):
            break
        added = again
    raise ExternallyChanged(disk.place.path)


def _landed_behind(
    workspace: Workspace,
    todo: Sequence[tuple[Edit, Operation]],
    disk: Disk,
    data: bytes | None,
    clock: Clock,
) -> bytes:
    """Append after lines that other programs appended since the file was read.

    Nothing is recorded before the write: recording takes time, in which they may append
    again.

    Raises:
        ExternallyChanged: the edit or their change is not an addition.
        Conflict: what they appended changes the value that an edit was made from.
    """
    path = todo[0][0].path
    for _ in range(_ADDITIONS):
        now = found_now(workspace, path)
        if not _continues(data, disk) or not _continues(now.data, disk):
            break
        data = _described(workspace, todo, now)
        if not _continues(data, now):
            break
        with suppress(ExternallyChanged):
            before = write(now, data)
            record_seen(workspace, path, before, clock())
            return before + data[len(now.data) :]
    raise ExternallyChanged(path)


def _continues(data: bytes | None, disk: Disk) -> TypeGuard[bytes]:
    """Return whether the new bytes only append to an existing file."""
    if disk.file is None or data is None:
        return False
    return data.startswith(disk.data)


def _described(
    workspace: Workspace, todo: Sequence[tuple[Edit, Operation]], disk: Disk
) -> bytes | None:
    """Fill in operations from their file; return its new bytes, None for a removal."""
    text = disk.text
    for edit, operation in todo:
        text = text_after(workspace, text, edit, operation)
    data = None if verb_of(todo[-1][0].verb).removes else disk.encoded(text)
    for _, operation in todo:
        note_hashes(operation, disk, data)
    return data


def landed(
    workspace: Workspace, path: str, disk: Disk, data: bytes | None, clock: Clock
) -> bytes | None:
    """Write a file's new bytes; return the resulting content.

    Bytes that other programs appended in that moment come first and are recorded first.
    """
    before = write(disk, data)
    if data is None or disk.file is None or before == disk.file.data:
        return data
    record_seen(workspace, path, before, clock())
    return before + data[disk.file.size :]


def withdraw(operation: Operation, why: str) -> None:
    """Withdraw an operation; append the cause to its reason."""
    operation.reason = f"{operation.reason} ({why})".strip()
    set_state([operation], _WITHDRAWN)


def text_after(
    workspace: Workspace, text: str, edit: Edit, operation: Operation | None = None
) -> str:
    """Return a text after an edit; fill in the values and the inverse of its operation.

    Raises:
        Conflict: the edit was made from another value.
        FormatError: the dialect cannot hold the edit; ``addition-lost``, an addition
            would not be found in the text; ``mask-for-secret``, see `check_masks`.
    """
    limits = Limits(workspace.max_decisions, workspace.max_history)
    verb = verb_of(edit.verb)
    current = verb.value(text, edit.payload)
    if edit.base is not None and current != edit.base:
        raise Conflict(edit.path, edit.base, current)
    inverse = verb.inverse(text, edit.payload, limits)
    new = verb.apply(text, edit.payload, limits)
    check_masks(edit.path, text, new)
    after = verb.value(new, edit.payload)
    verb.check_added(current, after)
    if operation is not None:
        operation.base = current if edit.base is None else edit.base
        operation.after, operation.inverse = after, list(inverse)
    return new
