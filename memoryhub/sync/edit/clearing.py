"""Clearing of problems: a person declares that no action is needed.

The operation has no file. It takes effect at its place in the journal.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memoryhub.journal.models import Operation, Problem, Workspace
from memoryhub.journal.problems import BRING_BACK, CLEAR
from memoryhub.sync.edit.edits import Conflict, Edit, row_by_code
from memoryhub.sync.record.single_entry import record_operation


def clearing(rows: Sequence[Problem], label: str, *, actor: str) -> Edit:
    """Return the edit that clears problem rows shown to people as one.

    `label` is its text in the timeline.
    """
    payload = {"problems": [row.code for row in rows], "label": label}
    return Edit(f"problem:{rows[0].code}", CLEAR, payload, actor, base=False)


def clear(workspace: Workspace, edit: Edit, at: datetime) -> Operation:
    """Apply a clearing edit: clear equal problems, or bring them back.

    Raises:
        Conflict: the problems' state has changed meanwhile.
        FormatError: ``row-unknown``, the problem does not exist, or no longer.
    """
    rows = [row_by_code(workspace, Problem, code) for code in edit.payload["problems"]]
    before = all(row.cleared_seq is not None for row in rows)
    after = edit.verb == CLEAR
    if edit.base is not None and edit.base != before:
        raise Conflict(edit.path, edit.base, before)
    operation = Operation(
        workspace=workspace,
        key=edit.key,
        actor=edit.actor,
        verb=edit.verb,
        target=edit.path,
        payload=edit.payload,
        base=before,
        after=after,
        inverse=[BRING_BACK if after else CLEAR, edit.payload],
        reason=edit.reason,
        recorded_at=at,
    )
    record_operation(workspace, operation)
    return operation
