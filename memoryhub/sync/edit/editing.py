"""Edits by people and agents as operations: apply, stage, undo, settle.

An operation is committed as pending, then written, then committed as applied; after a
crash the file shows which of these happened: its content is compared with the version
the operation was made from, taken from the journal. Nothing is written over a value
that is no longer the one the operation was made from.

Additions to one file by several callers at once are written and recorded together. All
wait for the file's lock; whoever gets it writes what the others wait with too: one read
of the file, one sync to disk, one import. Operations and versions are those of one
addition after the other. What cannot be written so is left to its own caller.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from itertools import groupby, islice
from threading import Lock
from typing import Any, NamedTuple, TypeAlias, TypeGuard

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from memoryhub.database.durability import sync_commits
from memoryhub.disk.files import ExternallyChanged, FileError
from memoryhub.disk.landing import Landing, landing_of
from memoryhub.formats.base import FormatError
from memoryhub.formats.text.decoding import decode
from memoryhub.journal.blobs import NoBytes, stored_bytes
from memoryhub.journal.follow_ups import journal_grew, undone
from memoryhub.journal.models import Operation, Revision, Workspace
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.verbs import Limits, on_rows, verb_of, within
from memoryhub.sync.edit.edits import (
    PENDING_OR_OF_KEY,
    Conflict,
    Edit,
    commit,
    edit_of,
    give_up,
    in_state,
    is_unwritten,
    made_alone,
    operation_of,
    set_state,
    targets_in,
    undo_key,
)
from memoryhub.sync.edit.gate import check_masks, check_write, is_reviewed
from memoryhub.sync.edit.holding import check_there
from memoryhub.sync.edit.leftovers import finish_drafts
from memoryhub.sync.edit.writing import (
    Disk,
    file_lock,
    found_now,
    place_of,
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
#: Verb that removes a file.
_REMOVE = "remove_file"
#: Files per commit; an edit of one of them waits for all.
_TOGETHER = 64
#: Additions written together; the others wait for the next turn.
_IN_A_GROUP = 32
_STAGED, _PENDING = Operation.State.STAGED, Operation.State.PENDING
_WITHDRAWN = Operation.State.WITHDRAWN
#: Reasons for which an edit is not written.
_FAILURES = (Conflict, FormatError, FileError, NoBytes)


def apply_edit(
    workspace: Workspace, edit: Edit, *, clock: Clock = timezone.now
) -> Operation:
    """Apply an edit now, or stage it in a workspace that reviews before writing.

    Verbs that others wait for, such as a handoff's, are never staged. An operation with
    a known key is returned in its present state; if its file could not be written then,
    the write is retried.

    Raises:
        Conflict: the file's value is not the one the edit was made from.
        FormatError: the file's dialect cannot hold it; or see `check_write`.
        WorkspaceAway: the workspace's folder is missing, or many files are missing at
            once.
        FileError: the file cannot be read or written, or another program keeps
            writing it.
    """
    with (
        within(edit.verb, workspace, edit),
        _in_turn(workspace, edit, clock) as operation,
    ):
        if operation is None:
            change_rows = on_rows(edit.verb)
            if change_rows is None:
                check_there(workspace, edit.path)
            done = _done_before(workspace, edit, clock)
            if done is not None and not is_unwritten(done):
                return done
            if change_rows is not None:
                changed: Operation = change_rows(workspace, edit, clock())
                return changed
            verb = verb_of(edit.verb)
            check_write(workspace, edit.path, also=verb.also)
            if done is None and not verb.at_once and is_reviewed(workspace, edit.path):
                return _stage(workspace, edit, clock)
            operation = done or operation_of(workspace, edit, clock())
            operation.reason = edit.reason
            apply_all(workspace, [(edit, operation)], clock)
    journal_grew.send(Workspace, workspace=workspace)
    return operation


def _done_before(workspace: Workspace, edit: Edit, clock: Clock) -> Operation | None:
    """Return the operation with an edit's key, after settling the file's pending ones.

    Raises:
        FileError: the file cannot be read or written.
    """
    known = (workspace.pk, edit.path, edit.key)
    found = PENDING_OR_OF_KEY(*known)
    if any(operation.state == _PENDING for operation in found):
        settle_file(workspace, edit.path, clock)
        journal_grew.send(Workspace, workspace=workspace)
        found = PENDING_OR_OF_KEY(*known)
    return next((o for o in found if o.key == edit.key), None)


def apply_all(workspace: Workspace, todo: Sequence[Pair], clock: Clock) -> None:
    """Apply edits of one file to its newest bytes; retry if another program writes.

    On failure operations return to their previous state (staged, pending), else
    withdrawn.

    Raises:
        Conflict: the file's value is not the one an edit was made from.
        FormatError: the file's dialect cannot hold an edit.
        FileError: the file cannot be read or written.
    """
    fallback = Operation.State(todo[0][1].state or _WITHDRAWN)
    for _ in range(_ATTEMPTS):
        failed = _write(workspace, [todo], clock)
        if not failed:
            return
        ((_, error),) = failed
        if not isinstance(error, FileError):
            break
    give_up([operation for _, operation in todo], fallback)
    raise error


class _Made(NamedTuple):
    """An edit with its operation, and the bytes of the file after it."""

    edit: Edit
    operation: Operation
    data: bytes | None


def _write(
    workspace: Workspace,
    files: Iterable[Sequence[Pair]],
    clock: Clock,
    *,
    apart: bool = False,
) -> list[tuple[Sequence[Pair], Exception]]:
    """Write the edits of each file; the caller holds the files' locks.

    All are committed, synced and recorded together. The edits of a file make one
    version; `apart` each makes its own, and those that are no additions are left out.
    Return the edits that could not be written, each file's with the error.
    """
    failed: list[tuple[Sequence[Pair], Exception]] = []
    ready: list[tuple[Disk, list[_Made]]] = []
    for todo in files:
        try:
            disk = read_newest(workspace, todo[0][0].path, clock())
            if made := _made(workspace, todo, disk, apart=apart):
                ready.append((disk, made))
        except _FAILURES as error:
            failed.append((todo, error))
    if not ready:
        return failed
    with transaction.atomic():
        commit([one.operation for _, made in ready for one in made], _PENDING)
    # Sync the journal first: if a power cut lost the pending operation but not the
    # file's bytes, a retry would write the addition twice.
    sync_commits()
    written: list[tuple[list[Operation], bytes | None]] = []
    for disk, made in ready:
        try:
            made = _landed(workspace, made, disk, clock, apart=apart)
        except _FAILURES as error:
            failed.append(([(one.edit, one.operation) for one in made], error))
        else:
            versions = [[one] for one in made] if apart else [made]
            written += [
                ([one.operation for one in some], some[-1].data) for some in versions
            ]
    if written:
        record_written(workspace, written, clock())
    return failed


def _made(
    workspace: Workspace, todo: Iterable[Pair], disk: Disk, *, apart: bool
) -> list[_Made]:
    """Make edits one after the other; fill in their operations."""
    text, data, made = disk.text, disk.file and disk.data, list[_Made]()
    now = disk
    for edit, operation in todo:
        try:
            after = _text_after(workspace, text, edit, operation)
            new = None if verb_of(edit.verb).removes else now.encoded(after)
        except (Conflict, FormatError):
            if apart:
                continue
            raise
        if not apart or _continues(new, data):
            text, data = after, new
            made.append(_Made(edit, operation, new))
            if apart and new is not None:
                # An addition may have given the file another encoding.
                now = Disk(disk.place, disk.file, decode(new))
                text = now.text
    # Of one write: settled together after a crash.
    for one in made:
        one.operation.before_sha = disk.sha256
        one.operation.after_sha = "" if data is None else sha256(data).hexdigest()
    return made


def _landed(
    workspace: Workspace, made: list[_Made], disk: Disk, clock: Clock, *, apart: bool
) -> list[_Made]:
    """Write a file's new bytes; return its versions as they are then.

    Raises:
        ExternallyChanged: another program changed the file in another way than by
            appending, so that the edits have to be made anew.
        Conflict: what it appended changes the value that an edit was made from.
    """
    now = disk
    try:
        before = write(now, made[-1].data)
    except ExternallyChanged:
        before, now, made = _landed_behind(workspace, made, disk, apart=apart)
    if disk.file is not None and made[-1].data is not None and before != disk.data:
        # Bytes that others appended in that moment come first.
        record_seen(workspace, disk.place.path, before, clock())
        made = [
            one._replace(data=before + (one.data or b"")[len(now.data) :])
            for one in made
        ]
    if apart:
        digest = sha256(before).hexdigest()
        for one in made:
            one.operation.before_sha = digest
            digest = sha256(one.data or b"").hexdigest()
    return made


def _landed_behind(
    workspace: Workspace, made: list[_Made], disk: Disk, *, apart: bool
) -> tuple[bytes, Disk, list[_Made]]:
    """Append after lines that other programs appended since the file was read.

    Nothing is recorded before the write: recording takes time, in which they may append
    again.
    """
    todo = [(one.edit, one.operation) for one in made]
    for _ in range(_ADDITIONS):
        now = found_now(workspace, disk.place.path)
        known = disk.file and disk.data
        if not (_continues(made[-1].data, known) and _continues(now.data, known)):
            break
        again = _made(workspace, todo, now, apart=apart)
        here = now.file and now.data
        if len(again) < len(made) or not _continues(again[-1].data, here):
            break
        with suppress(ExternallyChanged):
            return write(now, again[-1].data), now, again
    raise ExternallyChanged(disk.place.path)


def _continues(data: bytes | None, before: bytes | None) -> TypeGuard[bytes]:
    """Return whether the new bytes only append to an existing file."""
    return data is not None and before is not None and data.startswith(before)


def _text_after(
    workspace: Workspace, text: str, edit: Edit, operation: Operation | None = None
) -> str:
    """Return a text after an edit; fill in values and inverse of its operation.

    Raises:
        Conflict: the edit was made from another value.
        FormatError: the dialect cannot hold the edit; ``addition-lost``, an addition
            would not be found in the text; ``mask-for-secret``, see `check_masks`.
    """
    limits = Limits(workspace.max_decisions, workspace.max_history)
    verb, payload = verb_of(edit.verb), edit.payload
    current = verb.value(text, payload)
    if edit.base is not None and _unix(current) != _unix(edit.base):
        raise Conflict(edit.path, edit.base, current)
    inverse = verb.inverse(text, payload, limits)
    new = verb.apply(text, payload, limits)
    check_masks(edit.path, text, new)
    after = verb.value(new, payload)
    verb.check_added(current, after)
    if operation is not None:
        operation.base = current
        operation.after, operation.inverse = after, list(inverse)
    return new


def _unix(value: Any) -> Any:
    """Return a value with one kind of line ends: browsers change them."""
    is_text = isinstance(value, str)
    return value.replace("\r\n", "\n").replace("\r", "\n") if is_text else value


_Place: TypeAlias = tuple[object, str]


@dataclass(slots=True, eq=False)
class Waiting:
    """An addition that waits for its file, then its operation if another wrote it."""

    edit: Edit
    operation: Operation | None = None


#: The waiting additions of this process, by workspace and path.
_waiting: defaultdict[_Place, list[Waiting]] = defaultdict(list)
_queueing = Lock()


def may_be_grouped(workspace: Workspace, edit: Edit) -> bool:
    """Return whether an edit may be written now, whatever its file holds."""
    if on_rows(edit.verb) is not None or edit.base is not None:
        return False
    verb = verb_of(edit.verb)
    if not verb.adds or verb.within or verb.also or verb.removes:
        return False
    if is_reviewed(workspace, edit.path):
        return False
    try:
        # The caller's scopes are its thread's.
        check_write(workspace, edit.path, also=verb.also)
    except FormatError:
        return False
    return True


@contextmanager
def _in_turn(
    workspace: Workspace, edit: Edit, clock: Clock
) -> Iterator[Operation | None]:
    """Hold an edit's file; yield its operation if it was written with others.

    Who gets the file writes the additions that other callers wait with, too.
    """
    if not may_be_grouped(workspace, edit):
        with file_lock(workspace, edit.path):
            yield None
        return
    mine, place = Waiting(edit), (workspace.uuid, edit.path)
    with _queueing:
        _waiting[place].append(mine)
    try:
        with file_lock(workspace, edit.path):
            if mine.operation is None:
                with _queueing:
                    left = [o for o in _waiting[place] if o.operation is None]
                    group = left[:_IN_A_GROUP]
                _write_together(workspace, edit.path, group, clock)
            else:
                # Another caller has recorded it.
                workspace.refresh_from_db(fields=["last_seq", "projected_seq"])
            yield mine.operation
    finally:
        with _queueing:
            _waiting[place].remove(mine)
            if not _waiting[place]:
                del _waiting[place]


def _write_together(
    workspace: Workspace, path: str, group: Iterable[Waiting], clock: Clock
) -> None:
    """Write new additions in one go; those that are left are written one by one."""
    fresh = {one.edit.key: one for one in group}
    if len(fresh) < 2:
        return
    check_there(workspace, path)
    known = Operation.objects.filter(
        Q(target=path, state=_PENDING) | Q(key__in=fresh), workspace=workspace
    )
    if known.exists():
        return
    pairs = [(e.edit, operation_of(workspace, e.edit, clock())) for e in fresh.values()]
    for failed, _ in _write(workspace, [pairs], clock, apart=True):
        give_up([operation for _, operation in failed], _WITHDRAWN)
    for _, operation in pairs:
        if operation.state == Operation.State.APPLIED:
            fresh[operation.key].operation = operation


def apply_each(
    workspace: Workspace, edits: Iterable[Edit], *, clock: Clock = timezone.now
) -> list[tuple[Edit, Exception]]:
    """Apply edits of different files, up to 64 in one commit of the journal.

    For verbs that are never staged. Return the failed edits, each with the exception of
    `apply_edit`.
    """
    left: list[tuple[Edit, Exception]] = []
    ordered = iter(sorted(edits, key=lambda edit: edit.path))
    while some := list(islice(ordered, _TOGETHER)):
        for edit in _not_together(workspace, some, clock):
            try:
                apply_edit(workspace, edit, clock=clock)
            except _FAILURES as error:
                left.append((edit, error))
        journal_grew.send(Workspace, workspace=workspace)
    return left


def _not_together(workspace: Workspace, edits: list[Edit], clock: Clock) -> list[Edit]:
    """Write edits together; return those that need `apply_edit` one by one.

    Locks are taken in path order; no other caller holds more than one.
    """
    with ExitStack() as locks:
        for edit in edits:
            locks.enter_context(file_lock(workspace, edit.path))
        known = Operation.objects.filter(workspace=workspace)
        paths = [edit.path for edit in edits]
        waiting = known.filter(state=_PENDING, target__in=paths)
        busy = set(waiting.values_list("target", flat=True))
        tried = known.filter(key__in=[edit.key for edit in edits])
        keys = set(tried.values_list("key", flat=True))
        alone: list[Edit] = []
        todo: list[list[Pair]] = []
        for edit in edits:
            try:
                check_there(workspace, edit.path)
                check_write(workspace, edit.path, also=verb_of(edit.verb).also)
            except (FormatError, FileError):
                alone.append(edit)
            else:
                if edit.path in busy or edit.key in keys:
                    alone.append(edit)
                else:
                    todo.append([(edit, operation_of(workspace, edit, clock()))])
        for ((edit, operation),), _ in _write(workspace, todo, clock):
            give_up([operation], _WITHDRAWN)
            alone.append(edit)
        return alone


class Unwritten(NamedTuple):
    """A file whose staged operations could not be written, with the error."""

    path: str
    error: Conflict | FormatError | FileError


def _stage(workspace: Workspace, edit: Edit, clock: Clock) -> Operation:
    """Stage an operation; the caller holds the file's lock.

    Raises:
        Conflict: the file's value differs, operations staged before included.
        FormatError: the file's dialect cannot hold it.
        FileError: the file cannot be read.
    """
    disk = read_newest(workspace, edit.path, clock())
    text = staged_text(workspace, edit.path, disk.text)
    operation = operation_of(workspace, edit, clock())
    disk.encoded(_text_after(workspace, text, edit, operation))
    operation.before_sha = disk.sha256
    commit([operation], _STAGED)
    return operation


def staged_text(workspace: Workspace, path: str, text: str) -> str:
    """Return a file's text as it will be once its staged operations are written.

    Raises:
        Conflict: an operation was made from a value that the text no longer has.
        FormatError: the file's dialect cannot hold an operation.
    """
    for operation in _STAGED_FOR(workspace.pk, path):
        text = _text_after(workspace, text, edit_of(operation))
    return text


_STAGED_FOR: Prepared[Operation] = Prepared(
    lambda workspace_id, path: Operation.objects.filter(
        workspace_id=workspace_id, state=_STAGED, target=path
    ).order_by("seq"),
    int,
    str,
)


def staged_for(workspace: Workspace, path: str) -> list[Operation]:
    """Return the staged changes of a file, oldest first."""
    return _STAGED_FOR(workspace.pk, path)


def removes_staged(workspace: Workspace, path: str) -> bool:
    """Return whether the operations staged for a file remove it."""
    staged = staged_for(workspace, path)
    return bool(staged) and verb_of(staged[-1].verb).removes


def staged_paths(workspace: Workspace) -> list[str]:
    """Return the paths of files with staged operations."""
    return targets_in(workspace, _STAGED)


def write_staged(
    workspace: Workspace,
    *,
    only: Collection[str] | None = None,
    clock: Clock = timezone.now,
) -> tuple[list[Operation], list[Unwritten]]:
    """Write staged operations, all or those of some files; one write per file.

    Return the operations done, and the files left alone.

    The unit of a conflict is the file: a file in conflict is not written, and its
    operations stay staged.
    """
    done: list[Operation] = []
    left: list[Unwritten] = []
    for path in staged_paths(workspace):
        if only is not None and path not in only:
            continue
        with file_lock(workspace, path):
            operations = list(in_state(workspace, _STAGED).filter(target=path))
            try:
                check_there(workspace, path)
                apply_all(workspace, [(edit_of(o), o) for o in operations], clock)
            except (Conflict, FormatError, FileError) as error:
                left.append(Unwritten(path, error))
            else:
                done += operations
    journal_grew.send(Workspace, workspace=workspace)
    return done, left


def restage(
    workspace: Workspace,
    path: str,
    edits: Sequence[Edit],
    *,
    expected: str,
    clock: Clock = timezone.now,
) -> None:
    """Replace the operations staged for a file by others.

    Raises:
        ExternallyChanged: the file's hash is not `expected`.
        FormatError: the file's dialect cannot hold an edit.
    """
    with file_lock(workspace, path):
        if read_newest(workspace, path, clock()).sha256 != expected:
            raise ExternallyChanged(path)
        with transaction.atomic():
            for operation in in_state(workspace, _STAGED).filter(target=path):
                _withdraw(operation, "resolved")
            for edit in edits:
                _stage(workspace, edit, clock)


def _withdraw(operation: Operation, why: str) -> None:
    """Withdraw an operation; append the cause to its reason."""
    operation.reason = f"{operation.reason} ({why})".strip()
    set_state([operation], _WITHDRAWN)


def undo(
    workspace: Workspace,
    operation: Operation,
    actor: str,
    *,
    clock: Clock = timezone.now,
) -> Operation:
    """Undo an operation by its inverse, which is an operation too.

    A staged operation is withdrawn; a withdrawn one is returned unchanged.

    Raises:
        Conflict: the value it had set was changed since.
    """
    with file_lock(workspace, operation.target):
        settle_file(workspace, operation.target, clock)
        operation.refresh_from_db()
        was_staged = operation.state == _STAGED
        if was_staged:
            set_state([operation], _WITHDRAWN)
        is_withdrawn = operation.state == _WITHDRAWN
        if not is_withdrawn:
            edit = _way_back(workspace, operation, actor, clock)
    done = operation if is_withdrawn else apply_edit(workspace, edit, clock=clock)
    if was_staged or not is_withdrawn:
        undone.send(Workspace, workspace=workspace, operation=operation)
    return done


def _way_back(
    workspace: Workspace, operation: Operation, actor: str, clock: Clock
) -> Edit:
    """Return the edit that undoes an operation.

    A file that only this operation made, unchanged since, is removed. A verb with rules
    of its own (`within`) is undone by its inverse in any case.
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


def settle(
    workspace: Workspace,
    *,
    verbs: Collection[str] | None = None,
    clock: Clock = timezone.now,
) -> list[str]:
    """Settle the operations that a crash left pending, file by file.

    Return the paths of files that cannot be read or written now. With `verbs`, only
    files with a pending operation of these: the others may be in progress.
    """
    left = []
    for path in targets_in(workspace, _PENDING, verbs):
        with file_lock(workspace, path):
            try:
                settle_file(workspace, path, clock)
            except FileError:
                left.append(path)
    return left


def settle_file(workspace: Workspace, path: str, clock: Clock) -> None:
    """Settle the pending operations of a file; the caller holds the file's lock.

    An operation found in the file is recorded as applied. Any other is applied again,
    or withdrawn on a conflict. None is left pending.

    Raises:
        FileError: the file cannot be read or written now; they stay pending.
    """
    finish_drafts(workspace, path)
    pending = list(in_state(workspace, _PENDING).filter(target=path))
    if not pending:
        return
    check_there(workspace, path)
    for _, together in groupby(pending, lambda o: (o.before_sha, o.after_sha)):
        _settle(workspace, list(together), clock)
    # Record what others appended meanwhile.
    with suppress(FileError):
        read_newest(workspace, path, clock())


def _settle(workspace: Workspace, operations: list[Operation], clock: Clock) -> None:
    """Settle operations of one write."""
    path = operations[0].target
    disk = found_now(workspace, path)
    landing = _landing(workspace, operations, disk)
    if landing is None:
        for operation in operations:
            try:
                apply_all(workspace, [(edit_of(operation), operation)], clock)
            except Conflict as conflict:
                _resolve(workspace, operation, conflict, clock)
            except FormatError as error:
                _withdraw(operation, str(error))
        return
    found, data = landing.found, landing.written
    # Bytes of other programs that were in the file before ours.
    if found is not None and sha256(found).hexdigest() != operations[0].before_sha:
        record_seen(workspace, path, found, clock())
    if landing.is_part:
        before = write(disk, data)
        if before != disk.data:
            record_seen(workspace, path, before, clock())
            data = before + (data or b"")[len(disk.data) :]
    record_written(workspace, [(operations, data)], clock())


def _landing(
    workspace: Workspace, operations: Sequence[Operation], disk: Disk
) -> Landing | None:
    now = disk.file.data if disk.file else None
    versions = _versions(workspace, operations)
    if versions is None:
        is_ours = disk.sha256 == operations[0].after_sha
        return Landing(now, now) if is_ours else None
    landing = landing_of(*versions, now)
    if (landing is None or landing.is_part) and _was_seen(operations[-1]):
        return Landing(*versions)
    return landing


def _versions(
    workspace: Workspace, operations: Sequence[Operation]
) -> tuple[bytes | None, bytes | None] | None:
    """Reconstruct a file's content before and after operations.

    None where the hashes cannot be reproduced, such as after a change of limits.
    """
    first, last = operations[0], operations[-1]
    limits = Limits(workspace.max_decisions, workspace.max_history)
    try:
        sha = first.before_sha
        before = stored_bytes(sha) if sha else None
        disk = Disk(place_of(workspace, first.target), None, decode(before or b""))
        text = disk.text
        for operation in operations:
            text = verb_of(operation.verb).apply(text, operation.payload, limits)
        after = None if verb_of(last.verb).removes else disk.encoded(text)
    except (NoBytes, FormatError):
        return None
    is_same = last.after_sha == (sha256(after).hexdigest() if after is not None else "")
    return (before, after) if is_same else None


def _was_seen(operation: Operation) -> bool:
    """Return whether the operation's version was recorded as read from the file."""
    versions = Revision.objects.filter(
        workspace=operation.workspace_id,
        path=operation.target,
        seq__gt=operation.seq,
        blob__sha256=operation.after_sha,
    )
    return bool(operation.after_sha) and versions.exists()


def _resolve(
    workspace: Workspace, operation: Operation, conflict: Conflict, clock: Clock
) -> None:
    """Take an operation as written if the file already has its resulting value."""
    if conflict.current != operation.after:
        _withdraw(operation, str(conflict))
        return
    disk = read_newest(workspace, operation.target, clock())
    if disk.file:
        record_written(workspace, [([operation], disk.file.data)], clock())
