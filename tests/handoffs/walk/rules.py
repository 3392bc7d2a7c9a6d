"""The model's rules: who may do what, and which write may begin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import product

from tests.handoffs.walk.world import (
    ENDED,
    PEOPLE,
    PERSON,
    Standing,
    Task,
    World,
)

_UNFINISHED = ("open", "in_progress", "blocked", "returned", "review")
_WORKER = ("recipient", "taker")
#: The manual's table: who may do what in which state, coordinators and people apart.
TABLE: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "take": {"open": ("recipient",), "blocked": ("recipient",)},
    "done": {"open": _WORKER, "in_progress": _WORKER, "blocked": _WORKER},
    "fail": {"open": _WORKER, "in_progress": _WORKER, "blocked": _WORKER},
    "block": {"open": _WORKER, "in_progress": _WORKER},
    "put_back": {"in_progress": _WORKER, "blocked": _WORKER},
    "send_back": dict.fromkeys(("open", "in_progress", "blocked"), ("recipient",)),
    "revise": dict.fromkeys(("open", "blocked", "returned"), ("sender",)),
    "accept": {"review": ("reviewer",)},
    "reopen": {"review": ("reviewer",), **dict.fromkeys(ENDED, ("sender",))},
    "withdraw": dict.fromkeys(_UNFINISHED, ("sender",)),
    "hand_off_again": dict.fromkeys((*_UNFINISHED, *ENDED), ("sender", "recipient")),
    "override": dict.fromkeys(("open", "in_progress", "blocked"), ("coordinator",)),
    "sign_off": dict.fromkeys(("open", "in_progress", "blocked"), ("person",)),
}
#: The verb that each act writes.
VERBS = {
    "take": "taken",
    "done": "done",
    "fail": "failed",
    "block": "blocked",
    "put_back": "put back",
    "send_back": "sent back",
    "revise": "revised",
    "accept": "accepted",
    "reopen": "reopened",
    "withdraw": "withdrawn",
    "hand_off_again": "handed off again",
    "override": "overridden",
    "sign_off": "signed off",
}
_NEED_REASON = ("block", "send_back", "reopen", "override", "fail")
#: The code of a refusal where the handoff has ended, by its state.
_ENDED_CODES = {"done": "handoff-over", "failed": "handoff-over"}
_ENDED_CODES["withdrawn"] = "handoff-withdrawn"
_PRIORITIES = ("high", "normal", "low")


def refusals(world: World, task: Task, act: str, actor: str, reason: str) -> set[str]:
    """Return every code by which an act can be refused; none if it is allowed."""
    stands = world.stand(task)
    codes = {
        *_by_state(task, stands.state, act),
        *_by_actor(world, task, act, actor),
        *_by_type(world, task, stands, act),
    }
    if act in _NEED_REASON and not reason:
        codes.add("handoff-reason-missing")
    if act in ("reopen", "hand_off_again") and _goes_on(world, task):
        codes.add("handoff-again-open")
    if task.broken and act in ("take", "sign_off", "done"):
        codes.add("handoff-broken")
    if act == "take" or (act == "done" and stands.state != "in_progress"):
        codes |= set(held(world, task, stands))
    return codes


def _by_state(task: Task, state: str, act: str) -> Iterator[str]:
    if state in ENDED and state not in TABLE[act]:
        yield _ENDED_CODES[state]
    elif act == "done" and task.block.kind != "read_only":
        if state != "in_progress":
            moved = state in ("returned", "review")
            yield "handoff-state" if moved else "handoff-not-taken"
    elif state not in TABLE[act]:
        yield "handoff-state"


def _by_actor(world: World, task: Task, act: str, actor: str) -> Iterator[str]:
    if act == "sign_off":
        if actor != PERSON:
            yield "sign-off-needs-person"
        return
    if act == "accept" and task.block.reviewer == "person" and actor != PERSON:
        yield "review-needs-person"
    if world.coordinates(actor):
        return
    in_review = act == "reopen" and world.state(task) == "review"
    if act == "accept" or in_review:
        yield from _by_reviewer(task, actor)
        return
    of_decision = act in ("send_back", "reopen") and task.block.kind == "decision"
    if act == "override" or of_decision:
        yield "handoff-needs-coordinator"
        return
    allowed = {name for names in TABLE[act].values() for name in names} - {"reviewer"}
    if not any(_is(world, task, act, actor, name) for name in allowed):
        yield "handoff-not-yours"


def _by_reviewer(task: Task, actor: str) -> Iterator[str]:
    """Give why somebody else than a coordinator may not judge a result."""
    if task.block.reviewer in ("", "coordinator", "person"):
        yield "handoff-needs-coordinator"
    elif actor != task.block.reviewer:
        yield "handoff-not-yours"


def _is(world: World, task: Task, act: str, actor: str, name: str) -> bool:
    """Tell whether somebody is a handoff's sender, recipient or taker."""
    taker = world.stand(task).taken_by
    if name == "sender":
        return actor == task.block.sender
    if name == "taker":
        return actor == taker
    if task.block.is_pool and taker and act != "take":
        return actor == taker
    return world.receives(task, actor)


def _by_type(world: World, task: Task, stands: Standing, act: str) -> Iterator[str]:
    wanted = {"override": "write", "sign_off": "decision"}.get(act)
    if wanted and task.block.kind != wanted:
        yield "handoff-type-other"
    if act == "sign_off" and stands.signed_by:
        yield "handoff-signed"


def _goes_on(world: World, task: Task) -> bool:
    """Tell whether work that was handed off again is not finished in any handoff."""
    return any(world.state(heir) not in ENDED for heir in world.heirs_of(task))


def held(world: World, task: Task, stands: Standing) -> Iterator[str]:
    """Give the codes of what a task waits for before it can be taken."""
    if not all(world.state(each) == "done" for each in before(world, task)):
        yield "handoff-after"
    if task.block.kind == "decision" and not stands.signed_by:
        yield "handoff-not-signed"
    if task.block.kind == "write":
        if any(busy_with(world, task)):
            yield "handoff-lane-busy"
        if not stands.overridden and any(ahead_of(world, task)):
            yield "handoff-lane-order"


def before(world: World, task: Task) -> list[Task]:
    """Return the tasks that a task comes after, each as its last handoff."""
    return [world.last_of(world.tasks[name]) for name in task.block.after]


def is_held_back(world: World, task: Task) -> bool:
    return not all(world.state(each) == "done" for each in before(world, task))


def busy_with(world: World, task: Task) -> Iterator[Task]:
    """Give the writes in progress that can touch a write's files."""
    for other in world.tasks.values():
        held = other is not task and world.state(other) == "in_progress"
        if held and in_lane(world, other) and can_meet(task, other):
            yield other


def ahead_of(world: World, task: Task) -> Iterator[Task]:
    """Give the waiting writes that are before a write in its lane."""
    for other in world.tasks.values():
        first = other is not task and place(other) < place(task)
        waits = world.state(other) == "open" and in_lane(world, other)
        if first and waits and not is_held_back(world, other):
            yield from [other] * can_meet(task, other)


def place(task: Task) -> tuple[int, datetime, int, str]:
    name = task.task_id
    return _PRIORITIES.index(task.block.priority), task.sent_at, len(name), name


def in_lane(world: World, task: Task) -> bool:
    """Tell whether a write is in a lane: unfinished, not returned, not broken."""
    is_write = task.block.kind == "write" and not task.broken
    return is_write and world.state(task) not in (*ENDED, "returned", "review")


def can_meet(one: Task, other: Task) -> bool:
    """Tell whether two writes can touch the same file."""
    repositories = {each.block.repository.casefold() for each in (one, other)} - {""}
    if len(repositories) > 1:
        return False
    if one.block.repository.casefold() != other.block.repository.casefold():
        return True
    pairs = product(_paths(one), _paths(other))
    return any(_overlap(first, second) for first, second in pairs)


def _paths(task: Task) -> list[str]:
    """Return the paths of a write; empty for one that can be any."""
    named = [path.casefold().removeprefix("./") for path in task.block.paths]
    return ["" if p.startswith(("/", "..")) else p.rstrip("/") for p in named] or [""]


def _overlap(one: str, other: str) -> bool:
    if not one or not other:
        return True
    if "*" in one or "*" in other:
        fixed = [path.partition("*")[0] for path in (one, other)]
        return fixed[0].startswith(fixed[1]) or fixed[1].startswith(fixed[0])
    return f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")


def ready(world: World, name: str) -> list[str]:
    """Return what an agent can take now, the oldest first."""
    tasks = sorted(world.tasks.values(), key=lambda task: task.sent_at)
    return [
        task.task_id
        for task in tasks
        if _is_for(world, task, name) and not waits(world, task)
    ]


def _is_for(world: World, task: Task, name: str) -> bool:
    """Tell whether a list of what is for an agent has a task, its pools included."""
    return world.receives(task, name)


def waits(world: World, task: Task) -> set[str]:
    """Return the codes by which its recipient would be refused to take a task."""
    stands = world.stand(task)
    codes = {*_by_state(task, stands.state, "take"), *held(world, task, stands)}
    return codes | ({"handoff-broken"} if task.broken else set())


def acts(world: World, task: Task) -> str:
    """Return who has to act: an agent, a pool, "person", or nobody."""
    stands = world.stand(task)
    if stands.state in ENDED:
        return ""
    if stands.state == "returned":
        return task.block.sender
    if stands.state == "review":
        reviewer = task.block.reviewer
        return "person" if reviewer == "coordinator" else reviewer
    unanswered = not stands.signed_by and stands.last != "sent back"
    to_sign = task.block.kind == "decision" and unanswered
    if to_sign or task.block.recipient in PEOPLE:
        return "person"
    pooled = task.block.is_pool and stands.taken_by
    return stands.taken_by if pooled else task.block.recipient


def lease_end(world: World, task: Task) -> datetime | None:
    """Return when the lease of a task in progress ends."""
    stands = world.stand(task)
    if stands.state != "in_progress" or stands.taken_at is None:
        return None
    if stands.taken_by == PERSON:
        return None
    due, taken = task.due, stands.taken_at
    end = due if due and due > taken else taken + world.lease
    sign = world.signs.get(stands.taken_by, taken)
    return max(end, sign + world.lease) if sign > taken else end
