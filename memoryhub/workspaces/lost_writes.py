"""What was written through the hub, and another program saved its old copy over."""

from __future__ import annotations

from memoryhub.formats.base import FormatError
from memoryhub.workspaces.changes import Change
from memoryhub.workspaces.models import Operation, Revision
from memoryhub.workspaces.problems import WRITE_LOST, Trouble
from memoryhub.workspaces.verbs import verb_of

#: A program holds its copy of a file for a while, not for ever.
_NEWEST = 50


def lost_writes(change: Change, old: str, path: str) -> list[Trouble]:
    """Return the writes that a version of another program took back.

    A write is lost where its value stood in the version before, `old`, and is now what
    it was before the write. `path` is where the file lay before.
    """
    written = _written(change, path)
    return [
        Trouble(WRITE_LOST, 0, {"seq": written[operation.after_sha], "actor": who})
        for operation in _operations(change, path, written)
        if _taken_back(operation, old, change.text)
        for who in [operation.actor]
    ]


def still_lost(change: Change, troubles: list[Trouble], path: str) -> list[Trouble]:
    """Return those lost writes that a version does not have either."""
    if not troubles:
        return []
    written = _written(change, path)
    missing = {
        written[operation.after_sha]
        for operation in _operations(change, path, written)
        if _value(operation, change.text) == operation.base
    }
    return [trouble for trouble in troubles if trouble.parameters["seq"] in missing]


def _written(change: Change, path: str) -> dict[str, int]:
    """Return the newest versions that the hub wrote: their hash, and their seq."""
    rows = Revision.objects.filter(
        workspace_id=change.workspace.id,
        path=path,
        kind=Revision.Kind.WRITTEN,
        seq__lt=change.seq,
    ).order_by("-seq")
    return {sha: seq for seq, sha in rows.values_list("seq", "blob__sha256")[:_NEWEST]}


def _operations(change: Change, path: str, written: dict[str, int]) -> list[Operation]:
    if not written:
        return []
    found = Operation.objects.filter(
        workspace_id=change.workspace.id,
        target=path,
        state=Operation.State.APPLIED,
        after_sha__in=written,
        seq__lt=change.seq,
    )
    return list(found.order_by("seq"))


def _taken_back(operation: Operation, old: str, new: str) -> bool:
    return (
        operation.base != operation.after
        and _value(operation, old) == operation.after
        and _value(operation, new) == operation.base
    )


def _value(operation: Operation, text: str) -> object:
    """Return what a text says of what an operation was about."""
    try:
        return verb_of(operation.verb).value(text, operation.payload)
    except FormatError:
        return None
