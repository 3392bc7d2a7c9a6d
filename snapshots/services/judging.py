"""Acceptance and dismissal of suggestions, any number at once.

An operation without a file: later versions of all files keep it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from memoryhub.formats.base import FormatError
from memoryhub.formats.optimizer.decision_text import normalise
from memoryhub.journal.models import Operation, Workspace
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit, row_by_code
from memoryhub.sync.record.single_entry import record_operation
from snapshots.importers.verdicts import KINDS, WITHDRAW
from snapshots.queries.open_items import suggested_by_code
from topics.models import Decision, Directive
from topics.services.topics import Author

_LABEL_SIZE = 300


def judge(
    workspace: Workspace, verb: str, marks: Sequence[str], author: Author
) -> Operation:
    """Accept or dismiss suggestions, each given as ``kind:code``.

    Raises:
        FormatError: ``row-unknown``, none of them is a suggestion now.
    """
    stated = list(dict.fromkeys(s for mark in marks for s in _texts(workspace, mark)))
    if not stated:
        raise FormatError("row-unknown", row=", ".join(marks)[:_LABEL_SIZE])
    payload = {
        "label": stated[0][1][:_LABEL_SIZE],
        "count": len(marks),
        "stated": [list(one) for one in stated],
    }
    target = marks[0] if len(marks) == 1 else f"suggestions:{len(marks)}"
    return apply_edit(
        workspace, Edit(target, verb, payload, author.actor, key=author.key)
    )


def _texts(workspace: Workspace, mark: str) -> Iterable[tuple[str, str]]:
    """Return kind and texts of a suggestion; none of what is no suggestion now."""
    kind, _, code = mark.partition(":")
    if kind not in KINDS:
        return []
    if kind == "item":
        work = suggested_by_code(workspace, code)
        return [(kind, each.text) for each in work.item.open] if work else []
    row: Decision | Directive
    try:
        if kind == "decision":
            row = row_by_code(workspace, Decision, code)
        else:
            row = row_by_code(workspace, Directive, code)
    except FormatError:
        return []
    text = normalise(row.text) if kind == "decision" else row.text
    return [(kind, text)] if row.is_suggested else []


def record_verdict(workspace: Workspace, edit: Edit, at: datetime) -> Operation:
    """Apply a verdict, or take one back; it writes no file and is never staged."""
    operation = Operation(
        workspace=workspace,
        key=edit.key,
        actor=edit.actor,
        verb=edit.verb,
        target=edit.path,
        payload=edit.payload,
        inverse=[WITHDRAW, edit.payload],
        reason=edit.reason,
        recorded_at=at,
    )
    record_operation(workspace, operation)
    return operation
