"""What the walk draws: tasks, bad tasks, changes, lines that nobody understands."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from random import Random
from typing import Any

from tests.handoffs.walk.doors import stamp
from tests.handoffs.walk.world import Block, Task, World

_SENDERS = ("ann", "bob", "cid", "lead", "规划者")
_RECIPIENTS = (
    "ann", "bob", "bob", "cid", "cid", "dan", "规划者", "any", "role:builder",
    "role:reviewer", "ghost", "you",
)  # fmt: skip
_TYPES = ("read_only", "read_only", "write", "write", "write", "decision")
_PATHS: tuple[tuple[str, ...], ...] = (
    (), (), ("src",), ("src/api", "docs"), ("docs",), ("SRC/api/x.py",), ("*.md",),
    ("../src",),
)  # fmt: skip
_REVIEWS = ("sender", "coordinator", "person", "you", "dan", "规划者", "bob")
#: How much more often some acts are drawn than the others.
LIKELY = {"take": 6, "done": 5, "sign_off": 4, "put_back": 2, "reopen": 2, "accept": 4}
#: Lines of a log that are problems of their file, with what is read of them.
JUNK = (
    ("noon bob", "blocked", "- noon bob: blocked"),
    ("bob", "put back", "- 2026-11-25 bob: put back"),
    ("cid", "failed", "- cid: failed"),
    ("", "", "- 2026-11-25T09:00:00Z bob: pondered"),
    ("", "", "- perhaps later"),
)


def drawn_task(rng: Random, world: World) -> tuple[Block, datetime | None]:
    """Draw a task that can be sent, and by when it has to be done."""
    kind = rng.choice(_TYPES)
    names = list(world.tasks)
    writes = kind == "write"
    priorities = ("normal", "normal", "high", "low") if writes else ("normal",)
    block = Block(
        task_id="",
        sender=rng.choice(_SENDERS),
        recipient=rng.choice(_RECIPIENTS),
        kind=kind,
        context=f"job {rng.randrange(10**6)}",
        input="the notes",
        after=tuple(rng.sample(names, k=min(len(names), rng.choice((0, 0, 0, 1, 2))))),
        parent=rng.choice(names) if names and rng.random() < 0.25 else "",
        repository=rng.choice(("", "", "web", "Web", "api")) if writes else "",
        paths=rng.choice(_PATHS) if writes else (),
        priority=rng.choice(priorities),
        review=rng.choice(_REVIEWS) if rng.random() < 0.35 else "",
    )
    minutes = rng.choice((0, 0, 5, 90, 600))
    return block, world.now + timedelta(minutes=minutes) if minutes else None


def fields_of(block: Block, due: datetime | None) -> dict[str, Any]:
    """Return the fields by which a task is sent."""
    fields: dict[str, Any] = {
        "to": block.recipient,
        "type": block.kind,
        "context": block.context,
        "input": block.input,
        "after": list(block.after),
        "parent": block.parent,
        "repository": block.repository,
        "paths": list(block.paths),
        "priority": block.priority,
        "review": block.review,
    }
    return fields | ({"due": stamp(due)} if due else {})


def next_id(world: World) -> str:
    """Return the next id of the day."""
    day = f"{world.now:%Y%m%d}"
    found = (re.fullmatch(rf"{day}-(\d+)", name) for name in world.tasks)
    return f"{day}-{max((int(each[1]) for each in found if each), default=0) + 1:02}"


def bad_send(rng: Random, world: World) -> tuple[dict[str, Any], str]:
    """Draw a task that must be refused, with the code."""
    good = {"to": "bob", "type": "write", "context": "c", "input": "i"}
    known = rng.choice(list(world.tasks))
    taken = (
        f"<task>\n<from>ann</from>\n<to>bob</to>\n<task_id>{known}</task_id>\n"
        "<type>write</type>\n<context>c</context>\n<input>i</input>\n</task>"
    )
    bad: list[tuple[dict[str, Any], str]] = [
        (good | {"context": "x" * 201}, "handoff-part-long"),
        (good | {"input": ""}, "handoff-part-missing"),
        (good | {"to": ""}, "handoff-part-missing"),
        (good | {"to": "{agent}"}, "handoff-not-kept"),
        (good | {"after": ["20200101-77"]}, "handoff-after-unknown"),
        (good | {"sender": "bob"}, "handoff-not-yours"),
        (good | {"result_to": "memories/project.md"}, "handoff-result-to"),
        ({"xml": taken}, "handoff-id-taken"),
        ({"xml": taken.replace("</task>", "")}, "handoff-broken"),
        ({"xml": f"{taken}\n{taken}"}, "handoff-xml"),
        ({"xml": taken.replace(known, "a/b")}, "handoff-id-invalid"),
    ]
    return rng.choice(bad)


def drawn_changes(rng: Random, world: World, task: Task) -> dict[str, Any]:
    """Draw what a sender changes of a task."""
    changes: dict[str, Any] = {}
    if rng.random() < 0.8:
        changes["input"] = rng.choice(("the notes", f"better {rng.randrange(99)}"))
    if rng.random() < 0.3:
        names = [name for name in world.tasks if name != task.task_id]
        changes["after"] = rng.sample(names, k=min(len(names), rng.choice((0, 1))))
    return changes


def silent_reason(world: World, task: Task) -> str:
    """Return the reason that the hub writes for what it puts back."""
    return f"its holder {world.stand(task).taken_by} is silent"
