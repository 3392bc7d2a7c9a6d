"""The model's messages and news: who hears of which line of which log."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from tests.handoffs.walk.world import PEOPLE, Line, Task, World

_CALLED = re.compile(r"(?:^|[ (])@([\w-]+)")
#: Steps of a task as an inbox names them: task, verb, and the text of a message.
Heard = tuple[str, str, str]


def drawn_text(rng: Random, number: int) -> str:
    """Draw the text of a message."""
    texts = (
        f"look at this {number}", f"@dan look {number}", f"see x@bob.example {number}",
        f"@规划者 here {number}", f"@you help {number}", f"a -- b: c {number}",
        f"two\nlines\t{number}", f"(@Cid) and @ann-x {number}", " ",
    )  # fmt: skip
    return rng.choice(texts)


def written(text: str) -> str:
    """Return a message as its line has it."""
    return " ".join(text.split())


def thread(task: Task) -> list[tuple[str, str]]:
    """Return writers and texts of a handoff's messages."""
    return [(line.actor, line.reason) for line in task.log if line.verb == "said"]


def calls(text: str, name: str) -> bool:
    return name.casefold() in {found.casefold() for found in _CALLED.findall(text)}


def parties(world: World, task: Task) -> set[str]:
    """Return the agents that hear of what happens to a task."""
    taker, block = world.stand(task).taken_by, task.block
    return {block.sender, block.recipient, taker, block.reviewer} | (
        set(world.coordinators) if block.reviewer == "coordinator" else set()
    )


def news_for(
    world: World, agent: str, heard: dict[str, int]
) -> tuple[set[Heard], set[Heard]]:
    """Return what an agent has to hear of, and what it may: others' steps and messages.

    `heard`: length of each log when it heard last.
    """
    must, may = set[Heard](), set[Heard]()
    for task in world.tasks.values():
        is_party = agent in parties(world, task)
        for line in _new_lines(world, task, agent, heard.get(task.task_id, 0)):
            news = task.task_id, line.verb, _text(line)
            called = line.verb == "said" and calls(line.reason, agent)
            may.add(news)
            if is_party or called:
                must.add(news)
    return must, may if is_pooled(world, agent) else must


def is_pooled(world: World, agent: str) -> bool:
    """Tell whether some task is for a pool that an agent is in: it may hear of it."""
    pools = (task for task in world.tasks.values() if task.block.is_pool)
    return any(world.receives(task, agent) for task in pools)


def _new_lines(world: World, task: Task, agent: str, heard: int) -> Iterator[Line]:
    for index in world.counted(task):
        line = task.log[index]
        if index >= heard and line.actor != agent and line.verb != "sent":
            yield line


def _text(line: Line) -> str:
    return line.reason if line.verb == "said" else ""


def unread(world: World) -> int:
    """Return how many messages to people nobody has answered."""
    found = 0
    for task in world.tasks.values():
        block, waiting = task.block, 0
        own = {block.sender, block.recipient, block.reviewer} & {*PEOPLE}
        for line in task.log:
            if line.verb != "said":
                continue
            if line.actor in PEOPLE:
                waiting = 0
            elif own or any(calls(line.reason, name) for name in PEOPLE):
                waiting += 1
        found += waiting
    return found
