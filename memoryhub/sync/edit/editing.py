"""Edits by people and agents as operations: apply, undo, settle."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import ExitStack
from itertools import islice

from django.utils import timezone

from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.journal.blobs import NoBytes
from memoryhub.journal.follow_ups import journal_grew, undone
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.verbs import on_rows, verb_of, within
from memoryhub.sync.edit.applying import Clock, apply_all, write_each
from memoryhub.sync.edit.edits import Conflict, Edit
from memoryhub.sync.edit.gate import check_write, is_reviewed
from memoryhub.sync.edit.grouping import add, is_addition
from memoryhub.sync.edit.holding import check_there
from memoryhub.sync.edit.operations import (
    PENDING_OR_OF_KEY,
    is_unwritten,
    made_alone,
    operation_of,
    set_state,
    targets_in,
    undo_key,
)
from memoryhub.sync.edit.settling import settle_file
from memoryhub.sync.edit.staging import stage
from memoryhub.sync.edit.writing import file_lock, read_newest

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
    if is_addition(edit) and not is_reviewed(workspace, edit.path):
        operation = add(workspace, edit, clock)
        journal_grew.send(Workspace, workspace=workspace)
        return operation
    with within(edit.verb, workspace, edit), file_lock(workspace, edit.path):
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
