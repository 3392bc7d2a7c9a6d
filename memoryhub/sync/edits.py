"""Operations: what people and agents change through the hub, written to the files.

An operation is committed as pending, then written, then committed as applied; after a
crash the bytes on disk tell which of these happened. Nothing is written over a value
that is no longer the one the operation was made from.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from memoryhub.files import ExternallyChanged, FileError
from memoryhub.formats.base import FormatError
from memoryhub.search.index import bring_up_to_date
from memoryhub.sync.asked import Conflict, Edit
from memoryhub.sync.assigning import assign
from memoryhub.sync.clearing import clear
from memoryhub.sync.operations import (
    Step,
    commit,
    describe,
    edit_of,
    in_state,
    made_alone,
    note_hashes,
    operation_of,
    set_state,
    targets_in,
    undo_key,
)
from memoryhub.sync.writing import (
    Disk,
    file_lock,
    read_again,
    read_newest,
    record_seen,
    record_written,
    told_as,
    write,
)
from memoryhub.workspaces.models import Operation, Workspace
from memoryhub.workspaces.problems import BRING_BACK, CLEAR
from memoryhub.workspaces.verbs import Limits, verb_of, within
from snapshots.importers.assignments import VERB as ASSIGN

__all__ = [
    "Conflict",
    "Edit",
    "Unwritten",
    "Written",
    "apply_edit",
    "removes_staged",
    "restage",
    "settle",
    "staged_paths",
    "staged_text",
    "undo",
    "write_staged",
]

Clock = Callable[[], datetime]

#: What takes a file away.
_REMOVE = "remove_file"
#: What is done to rows alone: there is nothing to write, so nothing is staged.
_WITHOUT_FILE = {ASSIGN: assign, CLEAR: clear, BRING_BACK: clear}
_ATTEMPTS = 12
_STAGED, _PENDING = Operation.State.STAGED, Operation.State.PENDING
_APPLIED, _WITHDRAWN = Operation.State.APPLIED, Operation.State.WITHDRAWN


@dataclass(frozen=True, slots=True)
class Unwritten:
    """A file whose staged operations could not be written, and why."""

    path: str
    error: Conflict | FormatError | FileError


@dataclass(frozen=True, slots=True)
class Written:
    """What became of staged operations: those done, and the files left alone."""

    done: tuple[Operation, ...]
    left: tuple[Unwritten, ...]


def apply_edit(
    workspace: Workspace, edit: Edit, *, clock: Clock = timezone.now
) -> Operation:
    """Do an operation now, or stage it where the workspace reviews before writing.

    What others wait for, such as a handoff, is done now in any case. An operation
    whose key is known already is returned as it is, whatever became of it.

    Raises:
        Conflict: the file says something else than the edit was made from.
        FormatError: the file's dialect cannot hold it.
        FileError: the file cannot be read or written, or another program keeps
            writing it.
    """
    with within(edit.verb, workspace, edit), file_lock(workspace, edit.path):
        done = Operation.objects.filter(workspace=workspace, key=edit.key).first()
        if done is not None:
            return _settled(workspace, done, clock)
        if without_file := _WITHOUT_FILE.get(edit.verb):
            return without_file(workspace, edit, clock())
        if workspace.review_before_writing and not verb_of(edit.verb).at_once:
            return _stage(workspace, edit, clock)
        operation = operation_of(workspace, edit, clock())
        _apply(workspace, [(edit, operation)], clock)
    bring_up_to_date(workspace)
    return operation


def write_staged(
    workspace: Workspace,
    *,
    only: Collection[str] | None = None,
    clock: Clock = timezone.now,
) -> Written:
    """Write all staged operations, or those of some files; those of one file at once.

    The unit of a conflict is the file: of a file in conflict nothing is written, and
    its operations stay staged.
    """
    done: list[Operation] = []
    left: list[Unwritten] = []
    for path in targets_in(workspace, _STAGED):
        if only is not None and path not in only:
            continue
        with file_lock(workspace, path):
            operations = list(in_state(workspace, _STAGED).filter(target=path))
            try:
                _apply(workspace, [(edit_of(o), o) for o in operations], clock)
            except (Conflict, FormatError, FileError) as error:
                left.append(Unwritten(path, error))
            else:
                done += operations
    bring_up_to_date(workspace)
    return Written(tuple(done), tuple(left))


def restage(
    workspace: Workspace,
    path: str,
    edits: Sequence[Edit],
    *,
    expected: str,
    clock: Clock = timezone.now,
) -> None:
    """Stage other operations in the place of those that wait for a file.

    Raises:
        ExternallyChanged: the file does not hold what has the hash `expected`.
        FormatError: the file's dialect cannot hold one of them.
    """
    with file_lock(workspace, path):
        if read_newest(workspace, path, clock()).sha256 != expected:
            raise ExternallyChanged(path)
        with transaction.atomic():
            for operation in in_state(workspace, _STAGED).filter(target=path):
                _withdraw(operation, "resolved")
            for edit in edits:
                _stage(workspace, edit, clock)


def undo(
    workspace: Workspace,
    operation: Operation,
    actor: str,
    *,
    clock: Clock = timezone.now,
) -> Operation:
    """Take an operation back by its inverse, which is an operation too.

    A staged one is withdrawn; one that was withdrawn stays so.

    Raises:
        Conflict: what it had set was changed since.
    """
    with file_lock(workspace, operation.target):
        operation.refresh_from_db()
        _settled(workspace, operation, clock)
        if operation.state == _STAGED:
            set_state([operation], _WITHDRAWN)
        if operation.state == _WITHDRAWN:
            return operation
        edit = _way_back(workspace, operation, actor, clock)
    return apply_edit(workspace, edit, clock=clock)


def _way_back(
    workspace: Workspace, operation: Operation, actor: str, clock: Clock
) -> Edit:
    """Return the edit that takes an operation back.

    A file that it alone made, and that nobody changed since, is not left behind. What
    is done within rules of its own is taken back within them.
    """
    verb, payload = operation.inverse or ("", {})
    base = operation.after
    if made_alone(operation) and not verb_of(operation.verb).within:
        disk = read_newest(workspace, operation.target, clock())
        if disk.sha256 == operation.after_sha:
            verb, payload = _REMOVE, {}
            base = verb_of(verb).value(disk.text, payload)
    key = undo_key(operation.seq)
    return Edit(operation.target, verb, payload, actor, base=base, key=key)


def settle(workspace: Workspace, *, clock: Clock = timezone.now) -> list[str]:
    """Finish the operations that a crash left pending.

    One whose bytes are on disk was written; any other is applied again, or withdrawn
    where the file says something else by now. Return the files of those that cannot
    be finished now.
    """
    left = []
    for path in targets_in(workspace, _PENDING):
        with file_lock(workspace, path):
            # Others may have settled them while we waited for the lock.
            pending = in_state(workspace, _PENDING).filter(target=path)
            met = [_settled(workspace, operation, clock) for operation in pending]
            left += [path for operation in met if operation.state == _PENDING]
    return left


def staged_text(workspace: Workspace, path: str, text: str) -> str:
    """Return what a file's text will be when the operations staged for it are written.

    Raises:
        Conflict: one of them was made from a value that the text no longer has.
        FormatError: the file's dialect cannot hold one of them.
    """
    staged = in_state(workspace, _STAGED).filter(target=path)
    for step in _steps(workspace, text, map(edit_of, staged)):
        text = step.text
    return text


def removes_staged(workspace: Workspace, path: str) -> bool:
    """Tell whether the operations staged for a file leave none."""
    last = in_state(workspace, _STAGED).filter(target=path).last()
    return last is not None and verb_of(last.verb).removes


def staged_paths(workspace: Workspace) -> list[str]:
    """Return the files that operations are staged for."""
    return targets_in(workspace, _STAGED)


def _stage(workspace: Workspace, edit: Edit, clock: Clock) -> Operation:
    disk = read_newest(workspace, edit.path, clock())
    text = staged_text(workspace, edit.path, disk.text)
    (step,) = _steps(workspace, text, [edit])
    disk.encoded(step.text)
    operation = operation_of(workspace, edit, clock())
    describe(operation, edit, step)
    operation.before_sha = disk.sha256
    commit([operation], _STAGED)
    return operation


def _apply(
    workspace: Workspace, todo: Sequence[tuple[Edit, Operation]], clock: Clock
) -> None:
    """Write edits of one file against its newest bytes, again if others write too.

    Where that fails, operations are what they were: staged, or else withdrawn.
    """
    operations = [operation for _, operation in todo]
    fallback = _STAGED if operations[0].state == _STAGED else _WITHDRAWN
    try:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                _write_once(workspace, todo, clock)
                return
            except FileError:
                if attempt == _ATTEMPTS:
                    raise
    except (Conflict, FormatError, FileError):
        set_state([o for o in operations if o.seq], fallback)
        raise


def _write_once(
    workspace: Workspace, todo: Sequence[tuple[Edit, Operation]], clock: Clock
) -> None:
    path = todo[0][0].path
    disk = read_newest(workspace, path, clock())
    # Whoever waits for the database would find the file changed once more: what was
    # read is written as soon as can be.
    with transaction.atomic():
        disk = read_again(workspace, path, disk, clock())
        data = _described(workspace, todo, disk)
        operations = [operation for _, operation in todo]
        commit(operations, _PENDING)
    data = _landed(workspace, path, disk, data, clock)
    record_written(workspace, operations, data, clock())


def _described(
    workspace: Workspace, todo: Sequence[tuple[Edit, Operation]], disk: Disk
) -> bytes | None:
    """Note what operations make of a file; return its new bytes, None for no file."""
    steps = list(_steps(workspace, disk.text, (edit for edit, _ in todo)))
    is_removed = verb_of(todo[-1][0].verb).removes
    data = None if is_removed else disk.encoded(steps[-1].text)
    for (edit, operation), step in zip(todo, steps, strict=True):
        describe(operation, edit, step)
        note_hashes(operation, disk, data)
    return data


def _landed(
    workspace: Workspace, path: str, disk: Disk, data: bytes | None, clock: Clock
) -> bytes | None:
    """Write a file's new bytes; return what it holds with them.

    What other programs wrote in that moment is recorded before.
    """
    try:
        with told_as(path):
            before = write(disk, data)
    except ExternallyChanged as changed:
        if changed.displaced is not None:
            record_seen(workspace, path, changed.displaced, clock())
        raise
    if data is None or disk.file is None or before == disk.file.data:
        return data
    record_seen(workspace, path, before, clock())
    return before + data[disk.file.size :]


def _settled(workspace: Workspace, operation: Operation, clock: Clock) -> Operation:
    """Return an operation that is not pending; the caller holds the file's lock."""
    if operation.state != _PENDING:
        return operation
    try:
        disk = read_newest(workspace, operation.target, clock())
        if disk.sha256 == operation.after_sha:
            data = disk.file.data if disk.file else None
            record_written(workspace, [operation], data, clock())
        else:
            _apply(workspace, [(edit_of(operation), operation)], clock)
    except Conflict as conflict:
        _resolve(workspace, operation, conflict, clock)
    except FormatError as error:
        _withdraw(operation, str(error))
    except FileError:
        # The file cannot be read or written now; the next sync tries again.
        set_state([operation], _PENDING)
    return operation


def _resolve(
    workspace: Workspace, operation: Operation, conflict: Conflict, clock: Clock
) -> None:
    """Take an operation as written where the file says what it led to."""
    if conflict.current != operation.after:
        _withdraw(operation, str(conflict))
        return
    disk = read_newest(workspace, operation.target, clock())
    if disk.file:
        record_written(workspace, [operation], disk.file.data, clock())


def _withdraw(operation: Operation, why: str) -> None:
    operation.reason = f"{operation.reason} ({why})".strip()
    set_state([operation], _WITHDRAWN)


def _steps(workspace: Workspace, text: str, edits: Iterable[Edit]) -> Iterator[Step]:
    """Do edits of one text one after the other.

    Raises:
        Conflict: one of them was made from another value.
        FormatError: the dialect cannot hold one of them.
    """
    limits = Limits(workspace.max_decisions, workspace.max_history)
    for edit in edits:
        verb = verb_of(edit.verb)
        current = verb.value(text, edit.payload)
        if edit.base is not None and current != edit.base:
            raise Conflict(edit.path, edit.base, current)
        inverse = verb.inverse(text, edit.payload, limits)
        text = verb.apply(text, edit.payload, limits)
        yield Step(text, current, verb.value(text, edit.payload), inverse)
