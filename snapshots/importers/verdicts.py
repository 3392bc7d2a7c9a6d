"""People's verdicts on suggestions, which hold for their texts in all files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from memoryhub.journal.grades import (
    ACCEPT,
    DISMISS,
    Grade,
    Graded,
    Verdict,
    text_key,
)
from memoryhub.journal.models import Operation
from memoryhub.journal.rows import Row
from memoryhub.journal.verbs import Payload
from snapshots.models import OpenItem
from topics.models import Decision, Directive

#: Takes a verdict back.
WITHDRAW = "ask_again"
#: Kinds of statements, by their names in payloads.
KINDS: Mapping[str, type[Graded]] = {
    "decision": Decision,
    "directive": Directive,
    "item": OpenItem,
}
JUDGING = frozenset({ACCEPT, DISMISS, WITHDRAW})
_GRADES = {
    ACCEPT: Grade.DECLARED,
    DISMISS: Grade.DISMISSED,
    WITHDRAW: Grade.SUGGESTED,
}
_Noted = dict[tuple[str, int], Verdict]


def verdicts_until(workspace_id: int, seq: int) -> _Noted:
    """Return the verdicts in force at a place in the journal."""
    rows = Operation.objects.filter(
        workspace_id=workspace_id,
        verb__in=JUDGING,
        state=Operation.State.APPLIED,
        seq__lte=seq,
    )
    verdicts: _Noted = {}
    for operation in rows.order_by("seq"):
        note_verdict(verdicts, operation)
    return verdicts


def note_verdict(verdicts: _Noted, operation: Operation) -> None:
    """Record a verdict; forget the one that it takes back."""
    said = Verdict(operation.verb, operation.actor, operation.recorded_at)
    for kind, text in stated_in(operation.payload):
        if operation.verb == WITHDRAW:
            verdicts.pop((kind, text_key(text)), None)
        else:
            verdicts[kind, text_key(text)] = said


def project_verdict(operation: Operation) -> Row:
    """Set the grade of directives and items; return it for decisions."""
    at: datetime | None = operation.recorded_at
    is_open = operation.verb == WITHDRAW
    columns: Row = {
        "grade": _GRADES[operation.verb].value,
        "judged_by": "" if is_open else operation.actor[:200],
        "judged_at": None if is_open else at,
    }
    for kind, text in stated_in(operation.payload):
        if kind != "decision":
            stated: type[OpenItem | Directive] = OpenItem
            if kind == "directive":
                stated = Directive
            stated.everything.filter(
                workspace=operation.workspace_id,
                heading_key=text_key(text),
                confidence__lt=1,
            ).update(**columns)
    return columns


def stated_in(payload: Payload) -> Iterable[tuple[str, str]]:
    """Return kind and text of each suggestion of a verdict."""
    return [(kind, text) for kind, text in payload["stated"]]
