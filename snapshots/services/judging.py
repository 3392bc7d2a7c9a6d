"""Acceptance and dismissal of suggestions, any number at once.

An operation without a file: later versions of all files keep it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from memoryhub.formats.base import FormatError
from memoryhub.journal.grades import Grade, statement_key
from memoryhub.journal.models import Operation, Workspace
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit, record_edit, row_by_code
from memoryhub.values.identity import code_of
from snapshots.importers.linking import JUDGING, STATEMENTS, Statement
from snapshots.models import OpenItem
from snapshots.queries.open_items import work_by_code
from topics.models import Decision
from topics.services.topics import Author

#: The grade that a verdict gives.
VERDICTS = {verb: grade for grade, verb in JUDGING.items() if verb != "ask_again"}
_LABEL_SIZE = 300


def judge(
    workspace: Workspace, verdict: str, marks: Sequence[str], author: Author
) -> Operation:
    """Accept or dismiss suggestions, each given as ``kind:code``.

    Raises:
        FormatError: ``row-unknown``, none of them is a suggestion now.
    """
    stated = [
        said for mark in dict.fromkeys(marks) for said in _stated(workspace, mark)
    ]
    if not stated:
        raise FormatError("row-unknown", row=", ".join(marks)[:_LABEL_SIZE])
    payload = {
        "label": stated[0][2][:_LABEL_SIZE],
        "grade": VERDICTS[verdict],
        "before": Grade.SUGGESTED.value,
        "stated": stated,
    }
    target = f"suggestions:{stated[0][1]}"
    return apply_edit(
        workspace, Edit(target, verdict, payload, author.actor, key=author.key)
    )


def _stated(workspace: Workspace, mark: str) -> list[tuple[str, str, str]]:
    """Return kind, key and text of each statement; empty if it is no suggestion."""
    kind, _, code = mark.partition(":")
    try:
        rows: Iterable[Statement] = [row_by_code(workspace, STATEMENTS[kind], code)]
    except (KeyError, FormatError):
        return []
    if kind == "item" and (work := work_by_code(workspace, code)):
        ids = [each.id for each in work.open]
        rows = OpenItem.everything.filter(pk__in=ids)
    return [
        (kind, code_of(_key(kind, row)), row.text)
        for row in rows
        if row.grade == Grade.SUGGESTED
    ]


def _key(kind: str, row: Statement) -> int:
    return row.pk if isinstance(row, Decision) else statement_key(kind, row.text)


def record_verdict(workspace: Workspace, edit: Edit, at: datetime) -> Operation:
    """Apply a verdict, or take one back; it writes no file and is never staged."""
    payload, is_back = edit.payload, edit.payload["grade"] == Grade.SUGGESTED
    judged = {"by": "" if is_back else edit.actor[:200], "at": at.isoformat()}
    way_back = {"grade": payload["before"], "before": payload["grade"]}
    inverse = [JUDGING[payload["before"]], {**payload, **way_back}]
    made = {"payload": {**payload, **judged}, "inverse": inverse}
    return record_edit(workspace, edit, at, **made)
