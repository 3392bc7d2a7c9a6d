"""Staged operations, in workspaces that review before writing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from memoryhub.disk.files import ExternallyChanged, FileError
from memoryhub.formats.base import FormatError
from memoryhub.journal.follow_ups import journal_grew
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.verbs import verb_of
from memoryhub.sync.edit.applying import Clock, apply_all, text_after, withdraw
from memoryhub.sync.edit.edits import Conflict, Edit
from memoryhub.sync.edit.holding import check_there
from memoryhub.sync.edit.operations import (
    commit,
    edit_of,
    in_state,
    operation_of,
    targets_in,
)
from memoryhub.sync.edit.writing import file_lock, read_newest

_STAGED = Operation.State.STAGED


@dataclass(frozen=True, slots=True)
class Unwritten:
    """A file whose staged operations could not be written, with the error."""

    path: str
    error: Conflict | FormatError | FileError


def stage(workspace: Workspace, edit: Edit, clock: Clock) -> Operation:
    """Stage an operation; the caller holds the file's lock.

    Raises:
        Conflict: the file's value differs, operations staged before included.
        FormatError: the file's dialect cannot hold it.
        FileError: the file cannot be read.
    """
    disk = read_newest(workspace, edit.path, clock())
    text = staged_text(workspace, edit.path, disk.text)
    operation = operation_of(workspace, edit, clock())
    disk.encoded(text_after(workspace, text, edit, operation))
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
        text = text_after(workspace, text, edit_of(operation))
    return text


_STAGED_FOR: Prepared[Operation] = Prepared(
    lambda workspace_id, path: Operation.objects.filter(
        workspace_id=workspace_id, state=_STAGED, target=path
    ).order_by("seq"),
    int,
    str,
)


def removes_staged(workspace: Workspace, path: str) -> bool:
    """Return whether the operations staged for a file remove it."""
    last = in_state(workspace, _STAGED).filter(target=path).last()
    return last is not None and verb_of(last.verb).removes


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
    for path in targets_in(workspace, _STAGED):
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
                withdraw(operation, "resolved")
            for edit in edits:
                stage(workspace, edit, clock)
