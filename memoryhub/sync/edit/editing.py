"""Operations: what people and agents change through the hub, done and taken back."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from itertools import islice

from django.db.models import Q
from django.utils import timezone

from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.journal.blobs import NoBytes
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.signals import journal_grew
from memoryhub.journal.verbs import on_rows, verb_of, within
from memoryhub.sync.edit.applying import Clock, apply_all, write_each
from memoryhub.sync.edit.edits import Conflict, Edit
from memoryhub.sync.edit.gate import check_write, is_reviewed
from memoryhub.sync.edit.holding import check_there
from memoryhub.sync.edit.operations import (
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

#: What takes a file away.
_REMOVE = "remove_file"
#: Files that are written in one commit; an edit of one of them waits for all.
_TOGETHER = 64
_STAGED, _PENDING = Operation.State.STAGED, Operation.State.PENDING
_WITHDRAWN = Operation.State.WITHDRAWN


def apply_edit(
    workspace: Workspace, edit: Edit, *, clock: Clock = timezone.now
) -> Operation:
    """Do an operation now, or stage it where the workspace reviews before writing.

    What others wait for, such as a handoff, is done now in any case. An operation
    whose key is known already is returned as it is, whatever became of it; one whose
    file could not be written then is tried again.

    Raises:
        Conflict: the file says something else than the edit was made from.
        FormatError: the file's dialect cannot hold it; or as `check_write` raises it.
        WorkspaceAway: the workspace's folder is not there, or files are gone at once.
        FileError: the file cannot be read or written, or another program keeps
            writing it.
    """
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
    """Do edits of different files at once, many in one commit of the journal.

    For verbs that never wait for a review. Return those that could not be done, each
    with what `apply_edit` raises for it.
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
    """Do edits together; return those to be done alone, as something is in the way.

    Locks are taken in the order of the paths; nobody else holds two of them.
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
    """Return the operation with the key of an edit; what a crash left is settled first.

    Raises:
        FileError: the file cannot be read or written.
    """
    left = Q(target=edit.path, state=_PENDING)
    known = Operation.objects.filter(left | Q(key=edit.key), workspace=workspace)
    found = list(known.all())
    if any(operation.state == _PENDING for operation in found):
        settle_file(workspace, edit.path, clock)
        found = list(known.all())
    return next((o for o in found if o.key == edit.key), None)


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
        settle_file(workspace, operation.target, clock)
        operation.refresh_from_db()
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
    """Finish the operations that a crash left pending, those of a file as it can be.

    Return the files of those that cannot be finished now.
    """
    left = []
    for path in targets_in(workspace, _PENDING):
        with file_lock(workspace, path):
            try:
                settle_file(workspace, path, clock)
            except FileError:
                left.append(path)
    return left
