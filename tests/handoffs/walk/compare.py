"""What every door shows is compared with what the model expects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from tests.handoffs.walk import claims, rules, talking, watch
from tests.handoffs.walk.doors import Doors, as_logged, log_in
from tests.handoffs.walk.world import ENDED, Claim, Task, World

#: Columns of the board by the states that they show.
_SHOWN = ("open", "in_progress", "blocked", "returned", "review")


def expected(world: World) -> dict[str, dict[str, Any]]:
    """Return the fields of the rows that every door has, by the task's id."""
    return {name: _expected(world, task) for name, task in world.tasks.items()}


def _expected(world: World, task: Task) -> dict[str, Any]:
    stands, block, end = world.stand(task), task.block, rules.lease_end(world, task)
    fields = {
        "task_id": task.task_id,
        "sender": block.sender,
        "recipient": block.recipient,
        "type": block.kind,
        "state": stands.state,
        "context": block.context,
        "standing": world.steps(task),
        "acts": rules.acts(world, task),
        "in_lane": rules.in_lane(world, task),
        "signed_by": stands.signed_by,
        "after": list(block.after),
        "parent": block.parent,
        "repository": block.repository,
        "paths": list(block.paths),
        "priority": block.priority,
        "review": block.review,
        "due_at": task.due,
        "lease_until": end,
        "silent": bool(end and end < world.now),
        "waits": waits_texts(world, task),
    }
    if stands.state == "in_progress":
        fields["taken_by"] = stands.taken_by
    if task.due:
        # Without a due time the usual duration of the type decides.
        minute = world.now.replace(second=0)
        fields["overdue"] = task.due < minute and stands.state not in ENDED
    return fields


def rows_differ(
    wanted: Mapping[str, dict[str, Any]], rows: list[dict[str, Any]], door: str
) -> Iterator[str]:
    """Give the differences between a door's rows and the expected ones."""
    by_id = {row["task_id"]: row for row in rows}
    if missing := wanted.keys() ^ by_id.keys():
        yield f"{door}: {sorted(missing)} is on one side only"
    for name in wanted.keys() & by_id.keys():
        for difference in _row_differs(wanted[name], by_id[name]):
            yield f"{door}: {name} {difference}"


def _row_differs(wanted: Mapping[str, Any], row: Mapping[str, Any]) -> Iterator[str]:
    for field, value in wanted.items():
        found = row[field]
        if field in ("due_at", "lease_until"):
            found = _moment(found)
        if found != value and not (field == "waits" and found in value):
            yield f"{field} is {found!r}, not {value!r}"


def answer_differs(
    world: World, task: Task, fields: Mapping[str, Any]
) -> Iterator[str]:
    """Give the differences between the answer to a step and the expected task.

    Of the lease only the answers speak that begin or renew one.
    """
    wanted = _expected(world, task)
    told = {name: wanted[name] for name in wanted.keys() & fields.keys()}
    if fields.get("lease_until") is None:
        told.pop("lease_until", None)
    yield from _row_differs(told, fields)


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text).astimezone(UTC) if text else None


def waits_texts(world: World, task: Task) -> set[str]:
    """Return the texts that may say why a task cannot be taken now."""
    codes, state = rules.waits(world, task), world.state(task)
    texts = {
        "handoff-not-signed": {"unsigned"},
        "handoff-over": {f"it is {state}"},
        "handoff-state": {f"it is {state}"},
        "handoff-withdrawn": {"it was withdrawn"},
        "handoff-broken": {"its block is broken: type", "its block is broken"},
        "handoff-after": {
            f"after {named}, which is {world.state(world.last_of(world.tasks[named]))}"
            for named in task.block.after
        },
        "handoff-lane-busy": {
            f"{other.task_id} is in progress" for other in rules.busy_with(world, task)
        },
        "handoff-lane-order": {
            f"after {other.task_id}" for other in rules.ahead_of(world, task)
        },
    }
    return {text for code in codes for text in texts[code]} or {""}


def files_differ(world: World, doors: Doors) -> Iterator[str]:
    """Give the differences between the files' logs and the model's."""
    for task in world.tasks.values():
        wanted = [as_logged(line) for line in task.log]
        found = log_in(doors.file(task.task_id))
        if found != wanted:
            pairs = [(f, w) for f, w in zip(found, wanted, strict=False) if f != w]
            yield f"file: {task.task_id} {len(found)}/{len(wanted)} {pairs[:1]}"


def board_differs(world: World, doors: Doors) -> Iterator[str]:
    """Give the differences between the board's columns and the model."""
    board = doors.board()
    for state in _SHOWN:
        wanted = {t.task_id for t in world.unfinished() if world.state(t) == state}
        number, cards = board.get(state, (0, []))
        if number != len(wanted) or not wanted.issuperset(cards):
            yield f"board: {state} has {number} {cards}, not {sorted(wanted)}"


def inbox_differs(world: World, doors: Doors) -> Iterator[str]:
    """Give the difference between the unread messages of a page and the model's."""
    found, wanted = doors.unread(), talking.unread(world)
    if found != wanted:
        yield f"inbox: {found} messages are unread, not {wanted}"


def claims_differ(
    wanted: Iterable[Claim], rows: Iterable[dict[str, Any]]
) -> Iterator[str]:
    """Give the difference between claims of an answer and the model's."""
    found = sorted(
        (claim_name(row), row["agent"], _moment(row["until"]), row["reason"])
        for row in rows
    )
    held = sorted(
        (c.name, c.agent, c.ends_at.replace(second=0), c.reason) for c in wanted
    )
    if found != held:
        yield f"claims: {found}, not {held}"


def claim_name(row: dict[str, Any]) -> str:
    place = row["repository"]
    return f"{place}:{row['path']}" if place else str(row["path"])


def alarms_differ(world: World, doors: Doors) -> Iterator[str]:
    """Give the differences between the alarms of REST and the model's."""
    every = doors.get("alarms")
    apart = {kind: set[str]() for kind in ("deadlock", "failed")}
    for row in every:
        apart.get(row["kind"], set()).add(row["task_id"])
    circled = {t.task_id for t in world.unfinished() if watch.in_a_circle(world, t)}
    expected = {"deadlock": circled, "failed": set(watch.failures(world))}
    if apart != expected:
        yield f"alarms: {apart}, not {expected}"
    rows = [row for row in every if row["kind"] not in ("claims", *apart)]
    overlaps = {tuple(row["names"]) for row in every if row["kind"] == "claims"}
    if overlaps != claims.overlaps(world):
        yield f"alarms of claims: {overlaps}, not {claims.overlaps(world)}"
    found = {(row["kind"], row["task_id"]) for row in rows if row["kind"] != "lane"}
    wanted = set(watch.alarms(world))
    undated = {t.task_id for t in world.tasks.values() if t.due is None}
    for kind, name in found ^ wanted:
        # Without a due time the usual duration of the type decides.
        if not (kind == "overdue" and name in undated):
            yield f"alarms: {kind} {name} is {'not ' * ((kind, name) in wanted)}shown"
