"""What people set and later versions keep: owners of rows, grades of statements."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from memoryhub.events.models import Event
from memoryhub.journal.grades import Grade
from memoryhub.journal.models import Operation
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.rows import Row
from memoryhub.journal.verbs import Payload
from memoryhub.values.identity import id_of
from snapshots.models import (
    AuthoredSpan,
    LogEntry,
    OpenItem,
    Ownership,
    SessionMemory,
    Snapshot,
)
from topics.models import Decision, Directive

VERB = "assign"
#: Verbs of verdicts on suggestions, by the grade that they give.
JUDGING = {
    Grade.DECLARED.value: "accept",
    Grade.DISMISSED.value: "dismiss",
    Grade.SUGGESTED.value: "ask_again",
}
Statement = Decision | Directive | OpenItem
#: Models of statements, by their names in payloads of verdicts.
STATEMENTS: Mapping[str, type[Statement]] = {
    "decision": Decision,
    "directive": Directive,
    "item": OpenItem,
}

#: Assignable models, by their names in payloads.
ASSIGNABLE: Mapping[str, type[AuthoredSpan]] = {
    "snapshot": Snapshot,
    "memory": SessionMemory,
    "entry": LogEntry,
    "item": OpenItem,
}
_EVENT_KINDS = {
    "snapshot": [Event.Kind.SNAPSHOT],
    "memory": [Event.Kind.MEMORY],
    "entry": [Event.Kind.NOTE, Event.Kind.SESSION],
    "item": [Event.Kind.NOTE],
}
#: The columns set by a person, by id of a row, or key of a suggestion's text.
Assigned = dict[int, dict[str, Any]]


def assigned_until(workspace_id: int, seq: int) -> Assigned:
    """Return what people had set at a place in the journal."""
    assigned: Assigned = {}
    for payload in _PAYLOADS(workspace_id, seq):
        if "stated" in payload:
            note_verdict(assigned, payload)
        else:
            note_assignment(assigned, payload)
    return assigned


_PAYLOADS: Prepared[Payload] = Prepared(
    lambda workspace_id, seq: (
        Operation.objects.filter(
            workspace_id=workspace_id,
            verb__in=(VERB, *JUDGING.values()),
            state=Operation.State.APPLIED,
            seq__lte=seq,
        )
        .order_by("seq")
        .values_list("payload", flat=True)
    ),
    int,
    int,
)


def note_assignment(assigned: Assigned, payload: Payload) -> None:
    """Record the columns of an assignment; discard those of a reverted one."""
    kept = {
        column: value
        for column, value in _columns(payload).items()
        if payload["rules"][column.partition("_")[0]] == Ownership.ASSIGNED
    }
    if kept and payload["kind"] == "item":
        # Whoever assigns a suggested item takes it for one.
        kept["grade"] = Grade.DECLARED.value
    if kept:
        assigned[id_of(payload["id"])] = kept
    else:
        assigned.pop(id_of(payload["id"]), None)


def project_assignment(payload: Payload) -> None:
    """Set the owner of an assigned row and of its events."""
    columns = _columns(payload)
    row_id = id_of(payload["id"])
    kind = payload["kind"]
    ASSIGNABLE[kind]._default_manager.filter(pk=row_id).update(**columns)
    if kind == "item":
        is_assigned = Ownership.ASSIGNED in payload["rules"].values()
        grade = Grade.DECLARED if is_assigned else Grade.SUGGESTED
        items = OpenItem.everything.filter(pk=row_id, confidence__lt=1, judged_by="")
        items.update(grade=grade)
    events = Event.objects.filter(kind__in=_EVENT_KINDS[kind], target_id=row_id)
    events.update(
        agent_id=columns["agent_id"],
        topic_id=columns["topic_id"],
        topic_named=columns["topic_rule"] == Ownership.NAMED,
    )


def note_verdict(assigned: Assigned, payload: Payload) -> None:
    """Record the grade that a person gave to suggestions, or took back."""
    by, at = payload["by"], datetime.fromisoformat(payload["at"])
    columns = {
        "grade": payload["grade"],
        "judged_by": by,
        "judged_at": at if by else None,
    }
    assigned |= {id_of(code): columns for _, code, _ in payload["stated"]}


def project_verdict(assigned: Assigned, operation: Operation) -> dict[int, Row]:
    """Grade directives and open items; return the columns of decisions by id."""
    graded: dict[int, Row] = {}
    for kind, code, _ in operation.payload["stated"]:
        key = id_of(code)
        if kind == "decision":
            graded[key] = assigned[key]
        else:
            rows: QuerySet[Any] = STATEMENTS[kind].everything.filter(confidence__lt=1)
            rows = rows.filter(workspace=operation.workspace_id, heading_key=key)
            rows.update(**assigned[key])
    return graded


def _columns(payload: Payload) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for name in ("agent", "topic"):
        code = payload[name]
        columns[f"{name}_id"] = id_of(code) if code else None
        columns[f"{name}_rule"] = payload["rules"][name]
    return columns
