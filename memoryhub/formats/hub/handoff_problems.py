"""Problems of ``<task>`` and ``<r>`` blocks in any text: broken, or not read at all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from memoryhub.formats.base import Problem
from memoryhub.formats.hub.handoff_blocks import (
    Result,
    Task,
    find_results,
    find_tasks,
)
from memoryhub.formats.text.line_edits import folded

BROKEN, UNREAD = "handoff-block-broken", "handoff-block-unread"
#: A task anywhere in a text, such as in a fence, a list item or a line of prose.
_ANYWHERE = re.compile(r"<task>(?:(?!<task>).)*?</task>", re.DOTALL)
#: The longest block that is looked for, the longest quote, the most that are named.
_LONGEST, _SHOWN, _MOST = 20_000, 200, 50


def hindrance_of(task: Task) -> str:
    """Return the problem for which nobody can take a task; "" if there is none."""
    codes = [problem.code for problem in task.problems]
    open_ = next((code for code in codes if code.endswith("not-closed")), "")
    return open_ or next((code for code in codes if code == "unknown-type"), "")


def block_problems(text: str) -> Iterator[Problem]:
    """Yield the problems of a text's blocks, and of complete tasks outside blocks.

    Examples in a fence name no agents, or those of a template.
    """
    if "<task>" not in text and "<r>" not in text:
        return
    tasks, results = find_tasks(text), find_results(text)
    blocks: list[Task | Result] = [*tasks, *results]
    for block in blocks:
        name = folded(block.task_id)[:_SHOWN]
        for problem in block.problems:
            if problem.code.endswith("not-closed") or problem.code in _NAMED:
                said: dict[str, object] = {"task_id": name, "problem": problem.code}
                yield Problem(BROKEN, block.lines.first, said)
    read = {number for task in tasks for number in range(*_span(task))}
    read |= {number for result in results for number in range(*_span(result))}
    unread = (task for task in _anywhere(text) if task.lines.first not in read)
    for task in islice(unread, _MOST):
        yield Problem(UNREAD, task.lines.first, {"task_id": task.task_id})


def _span(block: Task | Result) -> tuple[int, int]:
    return block.lines.first, block.lines.last + 1


#: Codes that are problems of a file; others are shown with the handoff alone.
_NAMED = frozenset(
    {"unknown-type", "unknown-status", "context-too-long", "unknown-priority"}
)


def _anywhere(text: str) -> Iterator[Task]:
    """Yield complete tasks anywhere in a text, with the number of their first line."""
    for found in _ANYWHERE.finditer(text):
        if found.end() - found.start() > _LONGEST:
            continue
        line = text.count("\n", 0, found.start()) + 1
        lines = (part.strip().lstrip("> ") for part in found[0].split("\n"))
        for task in find_tasks("\n".join(lines)):
            if task.task_id and task.sender and task.recipient:
                yield _at(task, line)


def _at(task: Task, line: int) -> Task:
    moved = task.lines._replace(first=line, last=line)
    return Task(task.task_id, task.sender, task.recipient, task.type, lines=moved)
