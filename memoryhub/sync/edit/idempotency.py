"""Keys of operations that may have to be tried again.

An operation's key never applies twice, also where its first try came to nothing: a
new try needs a key of its own.
"""

from __future__ import annotations

from memoryhub.journal.models import Operation, Workspace


def attempt_key(workspace: Workspace, key: str) -> str:
    """Return the key itself, or the first one after it that no failed try has used.

    A try failed where its operation was withdrawn, or taken back afterwards.
    """
    known = Operation.objects.filter(workspace=workspace)
    number, name = 1, key
    while (tried := known.filter(key=name).first()) and _came_to_nothing(tried):
        number += 1
        name = f"{key}-{number}"
    return name


def was_tried(workspace: Workspace, key: str) -> bool:
    """Tell whether an operation has this key, whatever came of it."""
    return Operation.objects.filter(workspace=workspace, key=key).exists()


def _came_to_nothing(operation: Operation) -> bool:
    if operation.state == Operation.State.WITHDRAWN:
        return True
    undone = Operation.objects.filter(
        workspace=operation.workspace_id, key=f"undo-{operation.seq}"
    )
    return undone.exclude(state=Operation.State.WITHDRAWN).exists()
