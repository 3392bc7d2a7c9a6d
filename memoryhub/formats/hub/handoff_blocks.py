"""``<task>`` and ``<r>`` blocks of handoffs between agents, in any text.

context-memory-optimizer writes them raw into Markdown. They are not declared as XML:
values may hold ``<``, ``&`` and code, so they are found by their tags alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from memoryhub.formats.base import NOWHERE, Lines, Problem
from memoryhub.formats.text.source import marks

#: The children of blocks in their order, and the fields of `Task` and `Result`.
TASK_CHILDREN = {
    "from": "sender",
    "to": "recipient",
    "task_id": "task_id",
    "type": "type",
    "after": "after",
    "parent": "parent",
    "repository": "repository",
    "paths": "paths",
    "priority": "priority",
    "review": "review",
    "context": "context",
    "input": "input",
    "expected_output": "expected_output",
    "constraints": "constraints",
}
#: Children that are left out where they are empty.
_OPTIONAL = frozenset({"after", "parent", "repository", "paths", "priority", "review"})
RESULT_CHILDREN = {
    "task_id": "task_id",
    "status": "status",
    "o": "output",
    "side_effects": "side_effects",
    "memory_update": "memory_update",
}
TYPES = ("read_only", "write", "decision")
PRIORITIES = ("high", "normal", "low")
STATUSES = ("done", "failed", "blocked")
MAX_CONTEXT = 200

_OPENING = re.compile(r"(?:\n|\A) {0,3}<(task|r)>")
_CLOSINGS = {
    "task": re.compile(r"</task>(?=[ \t\r]*(?:\n|\Z))"),
    "r": re.compile(r"</r>(?=[ \t\r]*(?:\n|\Z))"),
}
_NEXT_BLOCK = re.compile(r"\n {0,3}<(?:task|r)>")
_CHILD = re.compile(
    rf"(?:\A|[\n>])[ \t]*<({'|'.join(TASK_CHILDREN | RESULT_CHILDREN)})>"
)
_COMMAS = re.compile(r"[,;\n，；、]")
_TEMPLATE = re.compile(r"\{[^{}]*\}")
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos);")
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&amp;": "&"}
_OWN_TAG = re.compile(rf"</?(?:task|r|{'|'.join(TASK_CHILDREN | RESULT_CHILDREN)})>")


@dataclass(frozen=True, slots=True)
class Task:
    """Work handed from one agent to another.

    `after`: ids of tasks that have to be done before it, `parent`: the one that it is
    part of. `repository` and `paths`: what its write can touch; `priority`: in its
    lane; `review`: who accepts its result. `escaped` is True if its text had ``<`` as
    ``&lt;``; values are unescaped. The `problems` have codes such as `no-recipient` or
    `not-closed`.
    """

    task_id: str
    sender: str
    recipient: str
    type: str
    context: str = ""
    input: str = ""
    expected_output: str = ""
    constraints: str = ""
    escaped: bool = False
    problems: tuple[Problem, ...] = ()
    lines: Lines = NOWHERE
    after: str = ""
    parent: str = ""
    repository: str = ""
    paths: str = ""
    priority: str = ""
    review: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a task."""

    task_id: str
    status: str
    output: str = ""
    side_effects: str = ""
    memory_update: str = ""
    problems: tuple[Problem, ...] = ()
    lines: Lines = NOWHERE


@dataclass(frozen=True, slots=True)
class _Block:
    """A block: the text between its tags, whether it was closed, its lines."""

    name: str
    inner: str
    closed: bool
    lines: Lines


def listed_in(value: str) -> tuple[str, ...]:
    """Return the ids or paths that a child lists, each once."""
    parts = (part.strip() for part in _COMMAS.split(value))
    return tuple(dict.fromkeys(filter(None, parts)))


def find_tasks(text: str) -> tuple[Task, ...]:
    """Return the tasks of any text; blocks in code fences are examples, not data.

    Also skipped: blocks whose names, id or type are a template's (``{…}`` or ``a |
    b``), and blocks that name neither a task nor both agents.
    """
    if "<task>" not in text:
        return ()
    tasks = (_task(block) for block in _blocks(text) if block.name == "task")
    return tuple(task for task in tasks if _is_task(task))


def find_results(text: str) -> tuple[Result, ...]:
    """Return the results of any text, by the rules of `find_tasks`."""
    if "<r>" not in text:
        return ()
    results = (_result(block) for block in _blocks(text) if block.name == "r")
    return tuple(result for result in results if _is_result(result))


def _blocks(text: str) -> Iterator[_Block]:
    """Yield the blocks outside code fences; a fence left open in one ends with it."""
    position, line, counted = 0, 1, 0
    walk = marks(text)
    coming, fence = next(walk, None), ""
    while found := _OPENING.search(text, position):
        start = position = found.start(1) - 1
        while coming and coming.start < start:
            fence, coming = coming.after, next(walk, None)
        if fence:
            continue
        line += text.count("\n", counted, start)
        counted = start
        block, position = _block(text, found, line)
        yield block
        while coming and coming.start < position:
            fence, coming = coming.after, next(walk, None)
        if fence and (newline := text.find("\n", position)) >= 0:
            walk = marks(text, newline)
            coming, fence = next(walk, None), ""


def _block(text: str, found: re.Match[str], line: int) -> tuple[_Block, int]:
    """Read a block up to its closing tag at a line's end, or to the next block."""
    following = _NEXT_BLOCK.search(text, found.end())
    limit = following.start() if following else len(text)
    closing = _CLOSINGS[found[1]].search(text, found.end(), limit)
    start = found.end()
    stop = closing.start() if closing else start + len(text[start:limit].rstrip())
    end = closing.end() if closing else stop
    last = line + text.count("\n", start, end)
    return _Block(
        found[1], text[start:stop], closing is not None, Lines(line, last)
    ), end


def _children(inner: str) -> tuple[dict[str, str], list[str]]:
    """Return the children's text by name, and the names of unclosed ones.

    A child ends at its last closing tag before the next child, as its text may contain
    that tag, too.
    """
    starts: dict[str, int] = {}
    for found in _CHILD.finditer(inner):
        starts.setdefault(found[1], found.end())
    places = [*starts.items(), ("", len(inner))]
    values, still_open, ended = {}, [], 0
    for (name, start), (_, limit) in pairwise(places):
        if start < ended:
            continue
        end = inner.rfind(f"</{name}>", start, limit)
        if end < 0:
            end = inner.find(f"</{name}>", start)
        if end < 0:
            still_open.append(f"{name.replace('_', '-')}-not-closed")
            end = inner.rfind("<", start, limit) if limit < len(inner) else limit
        values[name] = inner[start : max(end, start)].strip()
        ended = max(end, start)
    return values, still_open


def _task(block: _Block) -> Task:
    values, escaped, problems = _values(block.inner, TASK_CHILDREN)
    return Task(
        **values,
        escaped=escaped,
        problems=_problems(block, [*problems, *_task_problems(values)]),
        lines=block.lines,
    )


def _values(
    inner: str, children: Mapping[str, str]
) -> tuple[dict[str, Any], bool, list[str]]:
    """Return the texts of a block by field, whether it was escaped, and problems."""
    texts, problems = _children(inner)
    joined = "\n".join(texts.values())
    escaped = "<" not in joined and bool(_ENTITY.search(joined))
    values = {
        field: _unescaped(texts.get(child, ""), escaped)
        for child, field in children.items()
    }
    return values, escaped, problems


def _problems(block: _Block, codes: list[str]) -> tuple[Problem, ...]:
    first = [] if block.closed else ["not-closed"]
    return tuple(Problem(code, block.lines.first, {}) for code in (*first, *codes))


def _task_problems(value: Mapping[str, str]) -> Iterator[str]:
    missing = {
        "task_id": "no-task-id",
        "sender": "no-sender",
        "recipient": "no-recipient",
    }
    yield from (code for name, code in missing.items() if not value[name])
    if value["type"] not in TYPES:
        yield "unknown-type"
    if not value["input"]:
        yield "no-input"
    if len(value["context"]) > MAX_CONTEXT:
        yield "context-too-long"
    if value["priority"] not in ("", *PRIORITIES):
        yield "unknown-priority"


def _is_task(task: Task) -> bool:
    named = task.task_id or (task.sender and task.recipient)
    identity = (task.task_id, task.sender, task.recipient, task.type)
    return bool(named) and not any(map(_is_template, identity))


def _result(block: _Block) -> Result:
    values, _, problems = _values(block.inner, RESULT_CHILDREN)
    status = () if values["status"] in STATUSES else ("unknown-status",)
    return Result(
        **values,
        problems=_problems(block, [*problems, *status]),
        lines=block.lines,
    )


def _is_result(result: Result) -> bool:
    named = result.task_id or result.status in STATUSES
    return bool(named) and not any(map(_is_template, (result.task_id, result.status)))


def _is_template(value: str) -> bool:
    return " | " in value or bool(_TEMPLATE.fullmatch(value))


def _unescaped(value: str, escaped: bool) -> str:
    return _ENTITY.sub(lambda found: _ENTITIES[found[0]], value) if escaped else value


def render_task(task: Task) -> str:
    """Return the block of a task, its values raw unless that would not be read back."""
    return _rendered("task", task, TASK_CHILDREN, escaped=task.escaped)


def render_result(result: Result) -> str:
    """Return the block of a result, by the rules of `render_task`."""
    return _rendered("r", result, RESULT_CHILDREN, escaped=False)


def _rendered(
    name: str, block: Task | Result, children: Mapping[str, str], *, escaped: bool
) -> str:
    values = {child: getattr(block, field) for child, field in children.items()}
    text = "\n".join(values.values())
    escape = escaped or bool(_OWN_TAG.search(text) or _ENTITY.search(text))
    lines = [
        f"  <{child}>{_escaped(value.strip(), escape)}</{child}>\n"
        for child, value in values.items()
        if value.strip() or child not in _OPTIONAL
    ]
    return f"<{name}>\n{''.join(lines)}</{name}>\n"


def _escaped(value: str, escape: bool) -> str:
    if not escape:
        return value
    return value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
