"""Importer of events: changes found by the other importers, as timeline rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from memoryhub.dialects.topic_context import topic_of
from memoryhub.events.models import NO_TIME, Event
from memoryhub.journal.changes import Change, end_of, position_at
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.models import Operation, Revision, SyncRun
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.rows import Row, Rows
from memoryhub.journal.verbs import verb_makes_events
from memoryhub.values.identity import derive, derive_at

_TITLE_SIZE = 300
_DETAIL_SIZE = 1000
_NONE = Precision.NONE.value


def add_event(change: Change, kind: str, verb: str, title: str, **columns: Any) -> None:
    """Add an event of a revision, the change of a row, to the timeline.

    `columns` are others of the event. Without a time, or with one of no precision, it
    has that of `_noticed_at`.
    """
    position = change.next_position()
    row = {
        "id": change.id_at(Event, change.events),
        "workspace_id": change.workspace.id,
        "kind": kind,
        "verb": verb,
        "occurred_at": None,
        "precision": _NONE,
        "position": position,
        "recorded_at": change.recorded_at,
        "run_number": change.run_number,
        "actor": change.actor,
        "agent_id": None,
        "topic_id": None,
        "file_id": change.file_id,
        "line": 0,
        "target_id": None,
        "title": title[:_TITLE_SIZE],
        "detail": "",
        "data": None,
        "origin": "",
        **columns,
    }
    if row["precision"] == _NONE or row["occurred_at"] is None:
        row["occurred_at"] = _noticed_at(change, kind)
    if row["agent_id"] is None:
        row["agent_id"] = change.acting_id
    row["detail"] = row["detail"][:_DETAIL_SIZE]
    change.has_timed_event |= row["occurred_at"] != NO_TIME
    change.rows.add(Event, row)


def _noticed_at(change: Change, kind: str) -> datetime:
    """Return when something came into a file that states no time for it.

    What a file had when an import first read it can be of any time.
    """
    is_arrival = kind == Event.Kind.FILE and not change.is_first_read
    if change.fresh and not (change.actor or is_arrival):
        return NO_TIME
    return change.came_at


def give_decision_events(decisions: Iterable[Row]) -> None:
    """Set the owner of stored events of decisions, and the time of the first one."""
    for row in decisions:
        events = Event.objects.filter(kind=Event.Kind.DECISION, target_id=row["id"])
        owner = {name: row[name] for name in ("agent_id", "topic_id") if row[name]}
        if "topic_id" in owner:
            owner["topic_named"] = bool(row["topic_rule"])
        if owner:
            events.update(**owner)
        if row["precision"] != Precision.NONE:
            events.filter(verb="added").update(
                occurred_at=row["occurred_at"], precision=row["precision"]
            )


def add_file_event(change: Change) -> None:
    """Add an event of the file itself: of a move, or of a revision without others.

    Also of a file found later if no text in it states a time: that it came is known.

    None for a revision written through the hub: see `untold_of`. A deletion
    that a person accepted belongs to an import, and has no operation.
    """
    if change.actor and change.run_number is None:
        return
    verb = {"deleted": "deleted", "moved": "moved"}.get(
        change.kind, "added" if change.fresh else "changed"
    )
    data = {"from": change.previous_path} if verb == "moved" else None
    add_event(change, "file", verb, change.path, data=data)


def add_operation_event(
    rows: Rows,
    workspace_id: int,
    uuid: bytes,
    operation: Operation,
    agent_id: int | None,
) -> None:
    """Add an operation to the timeline; an agent can own it."""
    rows.insert(
        Event,
        id=derive_at(uuid, operation.seq, Event.__name__, operation.key),
        workspace_id=workspace_id,
        kind=Event.Kind.EDIT.value,
        verb=operation.verb,
        occurred_at=operation.recorded_at,
        precision=Precision.SECOND.value,
        position=position_at(operation.seq, 0),
        recorded_at=operation.recorded_at,
        actor=operation.actor,
        agent_id=agent_id,
        topic_id=_topic_of(uuid, operation),
        title=str(operation.payload.get("label") or operation.target)[:_TITLE_SIZE],
        detail=str(operation.payload.get("text", ""))[:_DETAIL_SIZE],
        data={"operation": operation.key, **operation.payload},
    )


def is_told_by_version(operation: Operation) -> bool:
    """Return whether the version that an operation wrote has the event for it.

    One that was found in the file, by a scan, does not.
    """
    if operation.version_seq is None or not verb_makes_events(operation.verb):
        return False
    return any(_ACTOR_OF(operation.workspace_id, operation.version_seq))


def untold_of(written: Iterable[Change]) -> Iterator[Operation]:
    """Yield the operations of written versions without an event of their own.

    Several staged operations can be written as one version. The operations must be
    stored.
    """
    for change in written:
        if not change.events:
            found = _WROTE(change.workspace.id, change.seq)
            yield from (one for one in found if verb_makes_events(one.verb))


_ACTOR_OF: Prepared[str] = Prepared(
    lambda workspace_id, seq: Revision.objects.filter(
        workspace_id=workspace_id, seq=seq
    ).values_list("actor", flat=True),
    int,
    int,
)
#: The operations that a version was written by.
_WROTE: Prepared[Operation] = Prepared(
    lambda workspace_id, seq: Operation.objects.filter(
        workspace_id=workspace_id, version_seq=seq
    ),
    int,
    int,
)


def tells_topic(change: Change) -> bool:
    """Return whether the operation that wrote a revision is an event of its topic."""
    return bool(change.actor and topic_of(change.pure_path))


def _topic_of(uuid: bytes, operation: Operation) -> int | None:
    """Return the topic of an operation's target file, by the file's name alone."""
    name = topic_of(PurePosixPath(operation.target))
    return derive(uuid, "Topic", name) if name else None


def add_run_event(rows: Rows, run: SyncRun) -> None:
    """Add a finished import to the timeline, if it has entries."""
    if run.last_seq is None:
        return
    assert run.finished_at is not None
    rows.upsert(
        Event,
        id=derive_at(
            run.workspace.uuid.bytes, run.last_seq, "Event", "run", run.number
        ),
        workspace_id=run.workspace_id,
        kind=Event.Kind.IMPORT.value,
        verb="imported",
        occurred_at=run.finished_at,
        precision=Precision.SECOND.value,
        position=end_of(run.last_seq),
        recorded_at=run.finished_at,
        run_number=run.number,
        title=str(run),
        data={
            "added": run.added,
            "changed": run.changed,
            "moved": run.moved,
            "deleted": run.deleted,
            "problems": run.problem_count,
        },
    )
