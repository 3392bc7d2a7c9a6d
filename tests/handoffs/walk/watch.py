"""What the model expects of deadlocks and alarms."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from tests.handoffs.walk.rules import (
    acts,
    ahead_of,
    before,
    busy_with,
    in_lane,
    lease_end,
    place,
)
from tests.handoffs.walk.world import ENDED, Task, World

_UNKNOWN_AFTER = timedelta(minutes=10)


def waits_for(world: World, task: Task) -> Iterator[str]:
    """Give all tasks that a task waits for: a deadlock is a circle of such waits.

    What was begun waits for its parts alone: what it comes after was done by then.
    """
    yield from _waits_for(world, task, narrow=False)


def _waits_for(world: World, task: Task, *, narrow: bool) -> Iterator[str]:
    """Give the waits; `narrow`: in its lane for one write, which must be known."""
    state, untaken = world.state(task), world.state(task) in ("open", "blocked")
    if untaken:
        for each in before(world, task):
            if world.state(each) not in ENDED:
                yield each.task_id
    if untaken or state == "in_progress":
        parts = (t for t in world.unfinished() if t.block.parent == task.task_id)
        yield from (part.task_id for part in parts)
    if untaken and in_lane(world, task):
        writes = _writes_before(world, task)
        yield from (other.task_id for other in (writes[:1] if narrow else writes))
        yield from (other.task_id for other in _begun_besides(world, task))


def _writes_before(world: World, task: Task) -> list[Task]:
    """Return the writes that have a task's lane, then those that go first in it."""
    busy = sorted(busy_with(world, task), key=place)
    ahead = sorted(ahead_of(world, task), key=place)
    return busy if world.stand(task).overridden else [*busy, *ahead]


def _begun_besides(world: World, task: Task) -> Iterator[Task]:
    """Give the work that its recipient has begun, but not that which it is part of."""
    for other in world.unfinished():
        stands = world.stand(other)
        mine = stands.taken_by == task.block.recipient and other is not task
        is_whole = other.task_id == task.block.parent
        if mine and stands.state == "in_progress" and not is_whole:
            yield other


def in_a_circle(world: World, task: Task) -> bool:
    """Tell whether a task waits, through others, for itself.

    In a lane it waits for the write that is in progress, or else goes first.
    """
    todo, seen = list(_waits_for(world, task, narrow=True)), set[str]()
    while todo:
        name = todo.pop()
        if name == task.task_id:
            return True
        if name not in seen:
            seen.add(name)
            todo += _waits_for(world, world.tasks[name], narrow=True)
    return False


def is_circle(world: World, names: list[str]) -> bool:
    """Tell whether each of these tasks waits for the next, and so on in a circle."""
    pairs = zip(names, [*names[1:], *names[:1]], strict=True)
    return all(b in waits_for(world, world.tasks[a]) for a, b in pairs)


def alarms(world: World) -> Iterator[tuple[str, str]]:
    """Give the alarms, as kind and task; those of lanes are left out."""
    for task in world.unfinished():
        if kind := _kind(world, task):
            yield kind, task.task_id


def failures(world: World) -> Iterator[str]:
    """Give the work that failed and that nobody has handed off again since."""
    for task in world.tasks.values():
        verbs = [line.verb for line in task.steps]
        if world.state(task) == "failed" and verbs[-1:] != ["handed off again"]:
            yield task.task_id


def _first_that_overlaps(world: World) -> Task | None:
    """Return the first write in progress that meets another: the alarm is on it."""
    running = (
        task
        for task in world.unfinished()
        if world.state(task) == "in_progress" and in_lane(world, task)
    )
    met = (task for task in running if any(busy_with(world, task)))
    return min(met, key=place, default=None)


def _kind(world: World, task: Task) -> str:
    state, end = world.state(task), lease_end(world, task)
    ends = {world.state(each) for each in before(world, task)}
    name = task.block.reviewer if state == "review" else task.block.recipient
    is_pool = state != "review" and task.block.is_pool
    holds = {
        "overlap": task is _first_that_overlaps(world),
        "silent": end is not None and end < world.now,
        "stuck": state in ("open", "blocked") and ends & {"failed", "withdrawn"},
        "overdue": task.due is not None and task.due < world.now,
        "unknown-recipient": state in ("open", "review")
        and not is_pool
        and name not in world.roles
        and task.moved_at + _UNKNOWN_AFTER < world.now,
    }
    if acts(world, task) == "person":
        return ""
    return next((kind for kind, is_so in holds.items() if is_so), "")
