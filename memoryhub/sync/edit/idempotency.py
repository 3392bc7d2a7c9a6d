"""Idempotency keys of operations that may be retried.

An operation's key never applies twice, even if its first try failed: a new try needs a
key of its own.
"""

from __future__ import annotations

from memoryhub.journal.models import Operation, Workspace


def attempt_key(workspace: Workspace, key: str) -> str:
    """Return the key, or its first numbered variant without a failed try.

    A try has failed if its operation was withdrawn, or undone afterwards.
    """
    known = Operation.objects.filter(workspace=workspace)
    number, name = 1, key
    while (tried := known.filter(key=name).first()) and _came_to_nothing(tried):
        number += 1
        name = f"{key}-{number}"
    return name


def was_tried(workspace: Workspace, key: str) -> bool:
    """Return whether an operation with this key exists, in any state."""
    return Operation.objects.filter(workspace=workspace, key=key).exists()


def _came_to_nothing(operation: Operation) -> bool:
    if operation.state == Operation.State.WITHDRAWN:
        return True
    undone = Operation.objects.filter(
        workspace=operation.workspace_id, key=f"undo-{operation.seq}"
    )
    return undone.exclude(state=Operation.State.WITHDRAWN).exists()
