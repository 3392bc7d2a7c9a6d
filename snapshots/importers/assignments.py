"""Assignments: whose a row is by a person's word, which later revisions keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memoryhub.events.models import Event
from memoryhub.journal.models import Operation
from memoryhub.journal.verbs import Payload
from memoryhub.values.identity import id_of
from snapshots.models import (
    LogEntry,
    OpenItem,
    Ownership,
    SessionMemory,
    Snapshot,
    Told,
)

VERB = "assign"

#: What can be assigned, by its name in payloads.
ASSIGNABLE: Mapping[str, type[Told]] = {
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
#: For each assigned row the columns that a person gave it.
Assigned = dict[int, dict[str, Any]]


def assigned_until(workspace_id: int, seq: int) -> Assigned:
    """Return what was assigned up to a place in the journal and still holds."""
    assigned: Assigned = {}
    done = Operation.objects.filter(
        workspace_id=workspace_id,
        verb=VERB,
        state=Operation.State.APPLIED,
        seq__lte=seq,
    )
    for payload in done.order_by("seq").values_list("payload", flat=True):
        note_assignment(assigned, payload)
    return assigned


def note_assignment(assigned: Assigned, payload: Payload) -> None:
    """Keep the columns of an assignment; those of one taken back are let go."""
    kept = {
        column: value
        for column, value in _columns(payload).items()
        if payload["rules"][column.partition("_")[0]] == Ownership.ASSIGNED
    }
    if kept:
        assigned[id_of(payload["id"])] = kept
    else:
        assigned.pop(id_of(payload["id"]), None)


def project_assignment(payload: Payload) -> None:
    """Give a row, and the events that tell of it, to whom it was assigned."""
    columns = _columns(payload)
    row_id = id_of(payload["id"])
    kind = payload["kind"]
    ASSIGNABLE[kind]._default_manager.filter(pk=row_id).update(**columns)
    told = Event.objects.filter(kind__in=_EVENT_KINDS[kind], target_id=row_id)
    told.update(agent_id=columns["agent_id"], topic_id=columns["topic_id"])


def _columns(payload: Payload) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for name in ("agent", "topic"):
        code = payload[name]
        columns[f"{name}_id"] = id_of(code) if code else None
        columns[f"{name}_rule"] = payload["rules"][name]
    return columns
