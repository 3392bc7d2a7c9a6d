"""Operations: what people and agents change through the hub, written to the files.

An operation is committed as pending, then written, then committed as applied; after a
crash the bytes on disk tell which of these happened. Nothing is written over a value
that is no longer the one the operation was made from.
"""

from __future__ import annotations

import hashlib
import uuid
from collections import defaultdict
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from memoryhub.files import (
    ExternallyChanged,
    FileBytes,
    append_bytes,
    inside,
    locked,
    read_file,
    replace_file,
)
from memoryhub.formats.base import FormatError
from memoryhub.formats.decoding import Decoded, decode, encode
from memoryhub.sync.recording import next_seq, record_version
from memoryhub.workspaces.models import Operation, Revision, Workspace
from topics.exporters import VERBS, Limits, Payload

Clock = Callable[[], datetime]

_ATTEMPTS = 5


class Conflict(Exception):
    """The value an edit was made from is no longer what the file says."""

    def __init__(self, path: str, base: Any, current: Any) -> None:
        super().__init__(path, base, current)
        self.path = path
        self.base = base
        self.current = current

    def __str__(self) -> str:
        return f"{self.path} has changed since this edit was begun"


@dataclass(frozen=True, slots=True)
class Edit:
    """An operation that someone asks for.

    `base` is the value it was made from; None where any value will do. The same
    `key` never applies twice.
    """

    path: str
    verb: str
    payload: Payload
    actor: str
    base: Any = None
    reason: str = ""
    key: str = field(default_factory=lambda: uuid.uuid4().hex)


@dataclass(frozen=True, slots=True)
class _Disk:
    """A file as an operation finds it; `bytes` is None where there is none."""

    place: Path
    bytes: FileBytes | None
    decoded: Decoded

    @property
    def sha256(self) -> str:
        return self.bytes.sha256 if self.bytes else ""


@dataclass(frozen=True, slots=True)
class _Step:
    """What an edit makes of a text; its value before and after, and the way back."""

    text: str
    before: Any
    after: Any
    inverse: tuple[str, Payload]


def apply_edit(
    workspace: Workspace, edit: Edit, *, clock: Clock = timezone.now
) -> Operation:
    """Do an operation now, or stage it where the workspace reviews before writing.

    Raises:
        Conflict: the file says something else than the edit was made from.
        FormatError: the file's dialect cannot hold it.
        FileError: the file cannot be read or written, or another program keeps
            writing it.
    """
    with _file_lock(workspace, edit.path):
        done = Operation.objects.filter(workspace=workspace, key=edit.key).first()
        if done is not None:
            return done
        if workspace.review_before_writing:
            return _stage(workspace, edit, clock)
        return _apply(workspace, edit, None, clock)


def write_staged(
    workspace: Workspace, *, clock: Clock = timezone.now
) -> tuple[list[Operation], list[Conflict]]:
    """Write all staged operations; return those done and the conflicts of the others.

    The unit of a conflict is the file: of a file in conflict nothing is written.
    """
    by_path = defaultdict(list)
    for operation in _staged(workspace):
        by_path[operation.target].append(operation)
    done: list[Operation] = []
    conflicts: list[Conflict] = []
    for path, operations in by_path.items():
        with _file_lock(workspace, path):
            try:
                _overlay(workspace, path, _read_newest(workspace, path, clock()))
            except Conflict as conflict:
                conflicts.append(conflict)
                continue
            done += [_apply(workspace, _edit_of(o), o, clock) for o in operations]
    return done, conflicts


def undo(
    workspace: Workspace,
    operation: Operation,
    actor: str,
    *,
    clock: Clock = timezone.now,
) -> Operation:
    """Take an operation back by its inverse, which is an operation too.

    Raises:
        Conflict: what it had set was changed since.
    """
    if operation.state == Operation.State.STAGED:
        _set_state(operation, Operation.State.WITHDRAWN)
        return operation
    verb, payload = operation.inverse
    edit = Edit(
        operation.target,
        verb,
        payload,
        actor,
        base=operation.after,
        key=f"undo-{operation.key}",
    )
    return apply_edit(workspace, edit, clock=clock)


def settle(workspace: Workspace, *, clock: Clock = timezone.now) -> None:
    """Finish the operations that a crash left pending.

    One whose bytes are on disk was written; any other is applied again, or withdrawn
    where the file says something else by now.
    """
    pending = Operation.objects.filter(
        workspace=workspace, state=Operation.State.PENDING
    )
    for operation in pending.order_by("seq"):
        with _file_lock(workspace, operation.target):
            _settle_one(workspace, operation, clock)


def staged_text(workspace: Workspace, path: str, text: str) -> str:
    """Return what a file's text will be when the operations staged for it are written.

    Raises:
        Conflict: one of them was made from a value that the text no longer has.
    """
    for operation in _staged(workspace).filter(target=path):
        text = _step(text, _edit_of(operation), workspace).text
    return text


def _file_lock(workspace: Workspace, path: str) -> AbstractContextManager[None]:
    """Return the lock that every writer of a workspace's file holds."""
    name = hashlib.sha256(path.encode()).hexdigest()[:24]
    folder = Path(settings.MEMORYHUB_DATA) / "locks" / str(workspace.uuid)
    return locked(folder / name)


def _staged(workspace: Workspace) -> QuerySet[Operation]:
    return Operation.objects.filter(
        workspace=workspace, state=Operation.State.STAGED
    ).order_by("seq")


def _overlay(workspace: Workspace, path: str, disk: _Disk) -> str:
    return staged_text(workspace, path, disk.decoded.text)


def _stage(workspace: Workspace, edit: Edit, clock: Clock) -> Operation:
    disk = _read_newest(workspace, edit.path, clock())
    step = _step(_overlay(workspace, edit.path, disk), edit, workspace)
    operation = _operation(workspace, edit, clock())
    _describe(operation, step, disk, b"")
    return _commit(operation, Operation.State.STAGED)


def _apply(
    workspace: Workspace, edit: Edit, operation: Operation | None, clock: Clock
) -> Operation:
    """Write an operation against the newest bytes, again if another write came in."""
    for attempt in range(_ATTEMPTS):
        disk = _read_newest(workspace, edit.path, clock())
        step = _step(disk.decoded.text, edit, workspace)
        data = encode(step.text, disk.decoded.carrier)
        operation = operation or _operation(workspace, edit, clock())
        _describe(operation, step, disk, data)
        _commit(operation, Operation.State.PENDING)
        try:
            _write(disk, data)
        except ExternallyChanged:
            if attempt == _ATTEMPTS - 1:
                _set_state(operation, Operation.State.WITHDRAWN)
                raise
            continue
        _finish(workspace, operation, read_file(disk.place), clock())
        break
    assert operation is not None
    return operation


def _settle_one(workspace: Workspace, operation: Operation, clock: Clock) -> None:
    place = inside(Path(workspace.root), operation.target)
    data = read_file(place) if place.exists() else None
    if data is not None and data.sha256 == operation.after_sha:
        _finish(workspace, operation, data, clock())
        return
    try:
        _apply(workspace, _edit_of(operation), operation, clock)
    except (Conflict, FormatError) as error:
        operation.reason = f"{operation.reason} ({error})".strip()
        _set_state(operation, Operation.State.WITHDRAWN)


def _read_newest(workspace: Workspace, path: str, at: datetime) -> _Disk:
    """Return the file as it is now; bytes the hub has not seen are recorded first."""
    place = inside(Path(workspace.root), path)
    if not place.exists():
        return _Disk(place, None, decode(b""))
    data = read_file(place)
    record_version(workspace, path, data, Revision.Kind.SEEN, at)
    return _Disk(place, data, decode(data.data))


def _step(text: str, edit: Edit, workspace: Workspace) -> _Step:
    verb = VERBS[edit.verb]
    current = verb.value(text, edit.payload)
    if edit.base is not None and current != edit.base:
        raise Conflict(edit.path, edit.base, current)
    limits = Limits(workspace.max_decisions, workspace.max_history)
    after = verb.apply(text, edit.payload, limits)
    return _Step(
        after,
        before=current,
        after=verb.value(after, edit.payload),
        inverse=verb.inverse(text, edit.payload),
    )


def _operation(workspace: Workspace, edit: Edit, at: datetime) -> Operation:
    return Operation(
        workspace=workspace,
        seq=0,
        key=edit.key,
        actor=edit.actor,
        verb=edit.verb,
        target=edit.path,
        payload=edit.payload,
        base=edit.base,
        reason=edit.reason,
        recorded_at=at,
    )


def _edit_of(operation: Operation) -> Edit:
    return Edit(
        operation.target,
        operation.verb,
        operation.payload,
        operation.actor,
        operation.base,
        operation.reason,
        operation.key,
    )


def _describe(operation: Operation, step: _Step, disk: _Disk, data: bytes) -> None:
    if operation.base is None:
        operation.base = step.before
    operation.after = step.after
    operation.inverse = step.inverse
    operation.before_sha = disk.sha256
    operation.after_sha = hashlib.sha256(data).hexdigest() if data else ""


def _commit(operation: Operation, state: Operation.State) -> Operation:
    operation.state = state
    if not operation.seq:
        with next_seq(operation.workspace) as operation.seq:
            operation.save()
    else:
        operation.save()
    return operation


def _set_state(operation: Operation, state: Operation.State) -> None:
    operation.state = state
    operation.save(update_fields=["state", "reason"])


def _write(disk: _Disk, data: bytes) -> None:
    """Put the new bytes on disk, by appending where they only add to the file."""
    if disk.bytes is None:
        disk.place.parent.mkdir(parents=True, exist_ok=True)
        replace_file(disk.place, data, expected=None)
    elif disk.bytes.data and data.startswith(disk.bytes.data):
        append_bytes(disk.place, data[len(disk.bytes.data) :], expected=disk.sha256)
    else:
        replace_file(disk.place, data, expected=disk.sha256)


def _finish(
    workspace: Workspace, operation: Operation, data: FileBytes, at: datetime
) -> None:
    record_version(
        workspace, operation.target, data, Revision.Kind.WRITTEN, at, operation
    )
