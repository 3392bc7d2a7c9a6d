"""Acceptance and dismissal of suggestions, any number at once.

An operation without a file: later versions of all files keep it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from memoryhub.formats.base import FormatError
from memoryhub.journal.grades import Grade, statement_key
from memoryhub.journal.models import Operation, Workspace
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit, row_by_code
from memoryhub.sync.record.single_entry import record_operation
from memoryhub.values.identity import code_of
from snapshots.importers.assignments import JUDGE, STATEMENTS, Statement
from snapshots.models import OpenItem
from snapshots.queries.open_items import work_by_code
from topics.models import Decision
from topics.services.topics import Author

#: The grade that a verdict gives.
VERDICTS = {"accept": Grade.DECLARED.value, "dismiss": Grade.DISMISSED.value}
_LABEL_SIZE = 300


def judge(
    workspace: Workspace, verdict: str, marks: Sequence[str], author: Author
) -> Operation:
    """Accept or dismiss suggestions, each given as ``kind:code``.

    Raises:
        FormatError: ``row-unknown``, none of them is a suggestion now.
    """
    stated = {key: said for mark in marks for key, said in _stated(workspace, mark)}
    if not stated:
        raise FormatError("row-unknown", row=", ".join(marks)[:_LABEL_SIZE])
    said = [[kind, code_of(key), text] for key, (kind, text) in stated.items()]
    label = " · ".join(text for _, _, text in said)[:_LABEL_SIZE]
    payload = {
        "label": label,
        "grade": VERDICTS[verdict],
        "before": Grade.SUGGESTED.value,
        "stated": said,
    }
    target = f"suggestions:{said[0][1]}"
    return apply_edit(
        workspace, Edit(target, JUDGE, payload, author.actor, key=author.key)
    )


def _stated(workspace: Workspace, mark: str) -> Iterator[tuple[int, tuple[str, str]]]:
    """Yield keys, kinds and texts of a suggestion; none of what is none now."""
    kind, _, code = mark.partition(":")
    try:
        rows: Iterable[Statement] = [row_by_code(workspace, STATEMENTS[kind], code)]
    except (KeyError, FormatError):
        return
    if kind == "item" and (work := work_by_code(workspace, code)):
        ids = [each.id for each in work.item.open]
        rows = OpenItem.everything.filter(pk__in=ids)
    for row in rows:
        if row.grade == Grade.SUGGESTED:
            is_decision = isinstance(row, Decision)
            key = row.pk if is_decision else statement_key(kind, row.text)
            yield key, (kind, row.text)


def record_verdict(workspace: Workspace, edit: Edit, at: datetime) -> Operation:
    """Apply a verdict, or take one back; it writes no file and is never staged."""
    payload, is_back = edit.payload, edit.payload["grade"] == Grade.SUGGESTED
    judged = {"by": "" if is_back else edit.actor[:200], "at": at.isoformat()}
    way_back = {"grade": payload["before"], "before": payload["grade"]}
    operation = Operation(
        workspace=workspace,
        key=edit.key,
        actor=edit.actor,
        verb=JUDGE,
        target=edit.path,
        payload={**payload, **judged},
        inverse=[JUDGE, {**payload, **way_back}],
        reason=edit.reason,
        recorded_at=at,
    )
    record_operation(workspace, operation)
    return operation
