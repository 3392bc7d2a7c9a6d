"""Edits by people and agents as operations: apply, undo, settle.

Additions to one file by several callers at once are written and recorded together. All
wait for the file's lock; whoever gets it writes what the others wait with too: one read
of the file, one sync to disk, one import. Operations and versions are those of one
addition after the other. What cannot be written so is left to its own caller.

What a crash or a power cut left pending is settled: the file's content is compared with
the version the operation was made from, taken from the journal.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from enum import Enum, auto
from hashlib import sha256
from itertools import groupby, islice
from threading import Lock
from typing import TypeAlias

from django.db.models import Q
from django.utils import timezone

from memoryhub.disk.files import FileError, find_addition
from memoryhub.formats.base import FormatError
from memoryhub.formats.text.decoding import decode
from memoryhub.journal.blobs import NoBytes, stored_bytes
from memoryhub.journal.follow_ups import journal_grew, undone
from memoryhub.journal.models import Operation, Revision, Workspace
from memoryhub.journal.verbs import Limits, on_rows, verb_of, within
from memoryhub.sync.edit.applying import (
    Clock,
    add_together,
    apply_all,
    landed,
    withdraw,
    write_each,
)
from memoryhub.sync.edit.edits import Conflict, Edit
from memoryhub.sync.edit.gate import check_write, is_reviewed
from memoryhub.sync.edit.holding import check_there
from memoryhub.sync.edit.leftovers import finish_drafts
from memoryhub.sync.edit.operations import (
    PENDING_OR_OF_KEY,
    edit_of,
    in_state,
    is_unwritten,
    made_alone,
    operation_of,
    set_state,
    targets_in,
    undo_key,
)
from memoryhub.sync.edit.staging import stage
from memoryhub.sync.edit.writing import (
    Disk,
    file_lock,
    found_now,
    place_of,
    read_newest,
    record_seen,
    record_written,
)


def settle_file(workspace: Workspace, path: str, clock: Clock) -> None:
    """Settle the pending operations of a file; the caller holds the file's lock.

    An operation found in the file is recorded as applied. Any other is applied again,
    or withdrawn on a conflict. None is left pending.

    Raises:
        FileError: the file cannot be read or written now; they stay pending.
    """
    finish_drafts(workspace, path)
    pending = list(in_state(workspace, _PENDING).filter(target=path))
    if pending:
        check_there(workspace, path)
    for _, together in groupby(pending, lambda o: (o.before_sha, o.after_sha)):
        _settle(workspace, list(together), clock)
    if pending:
        # Record what others appended meanwhile.
        with suppress(FileError):
            read_newest(workspace, path, clock())


def _settle(workspace: Workspace, operations: list[Operation], clock: Clock) -> None:
    """Settle operations of one write."""
    path = operations[0].target
    disk = found_now(workspace, path)
    landing = _landing(workspace, operations, disk)
    match landing.fate:
        case Fate.WRITTEN | Fate.PARTLY:
            _record_found(workspace, operations, landing, clock)
            data = landing.written
            if landing.fate is Fate.PARTLY:
                data = landed(workspace, path, disk, data, clock)
            record_written(workspace, [(operations, data)], clock())
        case _:
            for operation in operations:
                try:
                    apply_all(workspace, [(edit_of(operation), operation)], clock)
                except Conflict as conflict:
                    _resolve(workspace, operation, conflict, clock)
                except FormatError as error:
                    withdraw(operation, str(error))


def _landing(
    workspace: Workspace, operations: Sequence[Operation], disk: Disk
) -> Landing:
    now = disk.file.data if disk.file else None
    versions = _versions(workspace, operations)
    if versions is None:
        is_ours = disk.sha256 == operations[0].after_sha
        return Landing(Fate.WRITTEN, now, now) if is_ours else Landing(Fate.UNKNOWN)
    landing = landing_of(*versions, now)
    if landing.fate is not Fate.WRITTEN and _was_seen(operations[-1]):
        return Landing(Fate.WRITTEN, *versions)
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


def _record_found(
    workspace: Workspace, operations: list[Operation], landing: Landing, clock: Clock
) -> None:
    """Record the bytes of other programs that were in the file before ours."""
    path, found = operations[0].target, landing.found
    before_sha = sha256(found).hexdigest() if found is not None else ""
    if found is not None and before_sha != operations[0].before_sha:
        record_seen(workspace, path, found, clock())


def _resolve(
    workspace: Workspace, operation: Operation, conflict: Conflict, clock: Clock
) -> None:
    """Take an operation as written if the file already has its resulting value."""
    if conflict.current != operation.after:
        withdraw(operation, str(conflict))
        return
    disk = read_newest(workspace, operation.target, clock())
    if disk.file:
        record_written(workspace, [([operation], disk.file.data)], clock())


class Fate(Enum):
    """Outcome of a write."""

    WRITTEN = auto()
    PARTLY = auto()
    UNWRITTEN = auto()
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class Landing:
    """Outcome of a write, with the file versions around it.

    `found` is the version that was written to, including what others added since it was
    read; `written` is that version with our change.
    """

    fate: Fate
    found: bytes | None = None
    written: bytes | None = None


def landing_of(before: bytes | None, after: bytes | None, now: bytes | None) -> Landing:
    """Determine the outcome of the write that turns `before` into `after`."""
    if now == after:
        return Landing(Fate.WRITTEN, before, after)
    if now == before:
        return Landing(Fate.UNWRITTEN)
    if now is None or after is None:
        return Landing(Fate.UNKNOWN)
    if after.startswith(before or b""):
        return _addition(before, after, now)
    if _has_changes(before or b"", after, now):
        return Landing(Fate.WRITTEN, before, after)
    return Landing(Fate.UNKNOWN)


def _addition(before: bytes | None, after: bytes, now: bytes) -> Landing:
    """Locate an addition at its place, or after additions of other programs.

    In a file that others rewrote, its occurrences are counted instead.
    """
    base = before or b""
    added = after[len(base) :]
    if not now.startswith(base):
        is_there = now.count(added) > base.count(added)
        fate = Fate.WRITTEN if is_there else Fate.UNWRITTEN
        return Landing(fate, before, after)
    there = find_addition(now, added, len(base))
    if there is None or (before is None and there.size < len(added)):
        return Landing(Fate.UNWRITTEN)
    end = there.begin + there.size
    found = now[: there.begin] if there.begin else before
    if there.size == len(added):
        return Landing(Fate.WRITTEN, found, now[:end])
    # Others may have appended behind the part: it is completed in place.
    whole = now[: there.begin] + added + now[end:]
    return Landing(Fate.PARTLY, now[: there.begin] + now[end:], whole)


def _has_changes(before: bytes, after: bytes, now: bytes) -> bool:
    """Return whether a file has a write's added lines, and not its dropped ones."""
    old, new, found = map(_lines_of, (before, after, now))
    gained, lost = new - old, old - new
    if not gained and not lost:
        return False
    has_gained = all(found[line] >= new[line] for line in gained)
    return has_gained and all(found[line] <= new[line] for line in lost)


def _lines_of(data: bytes) -> Counter[bytes]:
    return Counter(line.strip() for line in data.splitlines())


#: Additions written together; the others wait for the next turn.
_IN_A_GROUP = 32

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
    for operation in add_together(workspace, pairs, clock):
        fresh[operation.key].operation = operation


#: Verb that removes a file.
_REMOVE = "remove_file"
#: Files per commit; an edit of one of them waits for all.
_TOGETHER = 64
_STAGED, _PENDING = Operation.State.STAGED, Operation.State.PENDING
_WITHDRAWN = Operation.State.WITHDRAWN


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
                return stage(workspace, edit, clock)
            operation = done or operation_of(workspace, edit, clock())
            operation.reason = edit.reason
            apply_all(workspace, [(edit, operation)], clock)
    journal_grew.send(Workspace, workspace=workspace)
    return operation


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
            except (Conflict, FormatError, FileError, NoBytes) as error:
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
        todo: list[Edit] = []
        for edit in edits:
            try:
                check_there(workspace, edit.path)
                check_write(workspace, edit.path, also=verb_of(edit.verb).also)
            except (FormatError, FileError):
                alone.append(edit)
            else:
                is_free = edit.path not in busy and edit.key not in keys
                (todo if is_free else alone).append(edit)
        pairs = [(edit, operation_of(workspace, edit, clock())) for edit in todo]
        return alone + write_each(workspace, pairs, clock)


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
