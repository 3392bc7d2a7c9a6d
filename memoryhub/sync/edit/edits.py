"""Edits, their conflicts, and the operations that they become in the journal.

An operation's key never applies twice, even if its first try failed: a new try needs a
key of its own (`attempt_key`).
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import Model, Q, QuerySet

from memoryhub.audit.origins import Origin, current_origin
from memoryhub.audit.recording import STAGED
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.verbs import Payload
from memoryhub.sync.record.recording import (
    audit_operations,
    next_seqs,
    record_operation,
)
from memoryhub.values.identity import id_of

_Row = TypeVar("_Row", bound=Model)
#: Suffix of an operation's reason if its file could not be written.
_UNWRITTEN = "(could not be written)"


class Conflict(Exception):
    """The file's value is no longer the one the edit was made from."""

    def __init__(self, path: str, base: Any, current: Any) -> None:
        super().__init__(path, base, current)
        self.path = path
        self.base = base
        self.current = current

    def __str__(self) -> str:
        return f"{self.path} has changed since this edit was begun"


def value_text(value: Any) -> str:
    """Format an edit's value as lines for comparison by people."""
    if isinstance(value, dict):
        return "\n".join(f"{name}: {value_text(part)}" for name, part in value.items())
    if isinstance(value, list):
        return "\n".join(value_text(part) for part in value)
    return "" if value is None else str(value)


def row_by_code(workspace: Workspace, model: type[_Row], code: str) -> _Row:
    """Return the row with a code: target of an operation without a file.

    Raises:
        FormatError: ``row-unknown``, the row does not exist, or no longer.
    """
    try:
        rows = model._default_manager.filter(workspace=workspace, pk=id_of(code))
        row = rows.first()
    except ValueError:
        row = None
    if row is None:
        raise FormatError("row-unknown", row=code)
    return row


@dataclass(frozen=True, slots=True)
class Edit:
    """A requested operation.

    `base` is the value it was made from; None accepts any value. The same `key` never
    applies twice. `origin` is for the audit log: another caller's thread may write it.
    """

    path: str
    verb: str
    payload: Payload
    actor: str
    base: Any = None
    reason: str = ""
    key: str = field(default_factory=lambda: uuid.uuid4().hex)
    origin: Origin = field(
        init=False, default_factory=current_origin, compare=False, repr=False
    )

    def as_fields(self) -> dict[str, Any]:
        """Return the fields as JSON values, from which the edit can be made again."""
        return {name: value for name, value in asdict(self).items() if name != "origin"}


def in_state(workspace: Workspace, state: Operation.State) -> QuerySet[Operation]:
    """Return the operations in a state, oldest first."""
    return Operation.objects.filter(workspace=workspace, state=state).order_by("seq")


def targets_in(
    workspace: Workspace,
    state: Operation.State,
    verbs: Collection[str] | None = None,
) -> list[str]:
    """Return the target files of the operations in a state, oldest first."""
    found = _IN_STATE(workspace.pk, state)
    wanted = (target for target, verb in found if verbs is None or verb in verbs)
    return list(dict.fromkeys(wanted))


#: Target and verb of the operations in a state, oldest first.
_IN_STATE: Prepared[tuple[str, str]] = Prepared(
    lambda workspace_id, state: (
        Operation.objects.filter(workspace_id=workspace_id, state=state)
        .order_by("seq")
        .values_list("target", "verb")
    ),
    int,
    str,
)


def operation_of(workspace: Workspace, edit: Edit, at: datetime) -> Operation:
    """Build an operation from an edit, not yet in the journal."""
    made = Operation(
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
    made.origin = edit.origin
    return made


def record_edit(
    workspace: Workspace, edit: Edit, at: datetime, **made: Any
) -> Operation:
    """Record an edit that writes no file, and so is never staged.

    `made` are the columns of its operation that the edit itself does not have.
    """
    operation = operation_of(workspace, edit, at)
    for name, value in made.items():
        setattr(operation, name, value)
    record_operation(workspace, operation)
    return operation


def edit_of(operation: Operation) -> Edit:
    """Rebuild the edit that an operation was requested as."""
    return Edit(
        operation.target,
        operation.verb,
        operation.payload,
        operation.actor,
        operation.base,
        operation.reason,
        operation.key,
    )


def commit(operations: Sequence[Operation], state: Operation.State) -> None:
    """Save a workspace's operations in the journal.

    New ones get the next seqs and are inserted in one statement.
    """
    fresh = [operation for operation in operations if not operation.seq]
    for operation in operations:
        operation.state = state
        if operation.seq:
            operation.save()
    if fresh:
        with next_seqs(fresh[0].workspace, len(fresh)) as seqs:
            for operation, seq in zip(fresh, seqs, strict=True):
                operation.seq = seq
            Operation.objects.bulk_create(fresh)
            if state == Operation.State.STAGED:
                audit_operations(fresh[0].workspace, fresh, STAGED)


def set_state(operations: Iterable[Operation], state: Operation.State) -> None:
    """Set the state of operations."""
    for operation in operations:
        operation.state = state
        operation.save(update_fields=["state", "reason"])


def give_up(operations: Iterable[Operation], state: Operation.State) -> None:
    """Set the state of recorded operations whose file could not be written."""
    recorded = [operation for operation in operations if operation.seq]
    for operation in recorded:
        is_noted = operation.reason.endswith(_UNWRITTEN)
        if state == Operation.State.WITHDRAWN and not is_noted:
            operation.reason = f"{operation.reason} {_UNWRITTEN}".strip()
    set_state(recorded, state)


def is_unwritten(operation: Operation) -> bool:
    """Return whether an operation failed on its file and may be retried."""
    is_withdrawn = operation.state == Operation.State.WITHDRAWN
    return is_withdrawn and operation.reason.endswith(_UNWRITTEN)


def made_alone(operation: Operation) -> bool:
    """Return whether an operation created its file, and no other has a part in it.

    Others with the same resulting bytes were written together with it, or made the file
    before and were undone.
    """
    if operation.before_sha or not operation.after_sha:
        return False
    same = Operation.objects.filter(
        workspace=operation.workspace,
        target=operation.target,
        after_sha=operation.after_sha,
        state=Operation.State.APPLIED,
    )
    others = same.exclude(pk=operation.pk).values_list("seq", flat=True)
    undone = Operation.objects.filter(
        workspace=operation.workspace,
        key__in=map(undo_key, others),
        state=Operation.State.APPLIED,
    )
    return undone.count() == len(others)


def undo_key(seq: int) -> str:
    """Return the key of the operation that undoes another."""
    return f"undo-{seq}"


def attempt_key(workspace: Workspace, key: str) -> str:
    """Return the key, or its first numbered variant without a failed try.

    A try has failed if its operation was withdrawn, or undone afterwards.
    """
    number, name = 1, key
    while (found := _OF_KEY(workspace.pk, name)) and _came_to_nothing(found[0]):
        number += 1
        name = f"{key}-{number}"
    return name


def operation_of_key(workspace: Workspace, key: str) -> Operation | None:
    """Return the operation with a key, in any state; None if there is none."""
    return next(iter(_OF_KEY(workspace.pk, key)), None)


_OF_KEY = Prepared(
    lambda workspace_id, key: Operation.objects.filter(
        workspace_id=workspace_id, key=key
    ),
    int,
    str,
)


#: Operations of a file that are pending, or that have a key.
PENDING_OR_OF_KEY = Prepared(
    lambda workspace_id, path, key: Operation.objects.filter(
        Q(target=path, state=Operation.State.PENDING) | Q(key=key),
        workspace_id=workspace_id,
    ),
    int,
    str,
    str,
)


def was_tried(workspace: Workspace, key: str) -> bool:
    """Return whether an operation with this key exists, in any state."""
    return operation_of_key(workspace, key) is not None


def _came_to_nothing(operation: Operation) -> bool:
    if operation.state == Operation.State.WITHDRAWN:
        return True
    undone = Operation.objects.filter(
        workspace=operation.workspace_id, key=undo_key(operation.seq)
    )
    return undone.exclude(state=Operation.State.WITHDRAWN).exists()
