"""MemoryHub's own file of a handoff, ``memory/handoffs/<task_id>.md``: task and log.

A handoff whose task is in another file has its log here, too, with that file's path
instead of the task. Lines of blocks are never read as Markdown: the content of a task,
such as an open code fence, cannot hide or fake a log line.

``<task>`` and ``<r>`` blocks may stand in any text: context-memory-optimizer writes
them raw into Markdown. They are not declared as XML: values may hold ``<``, ``&`` and
code, so they are found by their tags alone. Which line of the log, or which result,
decides the state: a result belongs to a line whose verb is its status, unless that line
is older, as the work was reported again. Without a line of its own it counts as one.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise
from pathlib import PurePosixPath
from typing import Any, NamedTuple, Protocol, TypeVar

from memoryhub.dialects.dialect import Dialect, always, gettext_noop
from memoryhub.dialects.facts import Document
from memoryhub.formats.base import NO_PATH, NOWHERE, FormatError, Lines, Problem
from memoryhub.formats.text.dates import parse_date, parse_timestamp, split_timed
from memoryhub.formats.text.line_edits import (
    append_lines,
    folded,
    insert_lines,
    one_line,
    remove_lines,
)
from memoryhub.formats.text.list_items import Bullet, bullets_of
from memoryhub.formats.text.source import marks, split_lines, split_sections

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
    if "<" not in text or "<task>" not in text:
        return ()
    tasks = (_task(block) for block in _blocks(text) if block.name == "task")
    return tuple(task for task in tasks if _is_task(task))


def find_results(text: str) -> tuple[Result, ...]:
    """Return the results of any text, by the rules of `find_tasks`."""
    if "<" not in text or "<r>" not in text:
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
        problems=_problems_of_block(block, [*problems, *_task_problems(values)]),
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


def _problems_of_block(block: _Block, codes: list[str]) -> tuple[Problem, ...]:
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
        problems=_problems_of_block(block, [*problems, *status]),
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


BROKEN, UNREAD = "handoff-block-broken", "handoff-block-unread"
#: A task anywhere in a text, such as in a fence, a list item or a line of prose.
_ANYWHERE = re.compile(r"<task>(?:(?!<task>).)*?</task>", re.DOTALL)
#: The longest block that is looked for, the longest quote, the most that are named.
_LONGEST, _LONGEST_NAME, _MOST = 20_000, 200, 50


def hindrance_of(task: Task) -> str:
    """Return the problem for which nobody can take a task; "" if there is none."""
    codes = [problem.code for problem in task.problems]
    open_ = next((code for code in codes if code.endswith("not-closed")), "")
    return open_ or next((code for code in codes if code == "unknown-type"), "")


def block_problems(text: str) -> Iterator[Problem]:
    """Yield the problems of a text's blocks, and of complete tasks outside blocks.

    Examples in a fence name no agents, or those of a template.
    """
    if "<" not in text or not ("<task>" in text or "<r>" in text):
        return
    tasks, results = find_tasks(text), find_results(text)
    blocks: list[Task | Result] = [*tasks, *results]
    for block in blocks:
        name = folded(block.task_id)[:_LONGEST_NAME]
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


#: The verbs of the log and the state each leads to; others leave it as it was.
STATES = {
    "sent": "open",
    "signed off": "",
    "sent back": "returned",
    "revised": "open",
    "reopened": "open",
    "taken": "in_progress",
    "put back": "open",
    "blocked": "blocked",
    "done": "done",
    "accepted": "done",
    "failed": "failed",
    "withdrawn": "withdrawn",
    "overridden": "",
    "said": "",
    "handed off again": "",
}
#: The states in which the work is over.
ENDED = frozenset({"done", "failed", "withdrawn"})
#: The statuses of a result; its line in the log has the same word.
RESULTS = frozenset({"done", "failed", "blocked"})


#: A message in the thread of a handoff: it changes nothing.
SAID = "said"
#: State of work that is done and that its task asks to be accepted.
REVIEW = "review"


class Report(Protocol):
    """A line of a log, or a result; `seq` is the first revision that contains it."""

    @property
    def verb(self) -> str: ...
    @property
    def is_result(self) -> bool: ...
    @property
    def seq(self) -> int: ...


T = TypeVar("T", bound=Report)


def state_of_verb(verb: str, *, review: bool) -> str:
    """Return the state that a verb leads to, of a task to be reviewed or not."""
    return REVIEW if review and verb == "done" else STATES[verb]


def state_after(
    reports: Iterable[T], decided: T | None, *, review: bool = False
) -> str:
    """Return the state that the item leads to which decides among all of them.

    `review`: the task asks that its result is accepted.
    Files of before `reopened` send back work that has ended: it is open again.
    """
    if decided is None:
        return "open"
    if decided.verb != "sent back":
        return state_of_verb(decided.verb, review=review)
    before = list(reports)
    place = next(n for n, report in enumerate(before) if report is decided)
    later = (t for t in before[place + 1 :] if t.is_result and t.seq <= decided.seq)
    last = deciding([*before[:place], *later])
    return "open" if last and STATES[last.verb] in ENDED else "returned"


def deciding(reports: Iterable[T]) -> T | None:
    """Return the item that decides the state of a handoff, from all items in order.

    It is the last verb of the log that leads to a state, or the newest result if it has
    no log line and no newer line follows. None if the handoff is as it was sent.
    """
    reports = list(reports)
    log = [t for t in reports if not t.is_result]
    last = next((t for t in reversed(log) if STATES.get(t.verb)), None)
    result = next((t for t in reversed(reports) if t.is_result), None)
    if result is None or result.verb not in RESULTS or _has_line(result, reports):
        return last
    return last if last and last.seq > result.seq else result


def _has_line(result: Report, reports: Iterable[Report]) -> bool:
    """Return whether older results leave a log line for the newest one."""
    same = [t for t in reports if t.verb == result.verb]
    lines = sum(t.seq >= result.seq for t in same if not t.is_result)
    return lines >= sum(t.seq == result.seq for t in same if t.is_result)


NAME = "handoff"

VERBS = tuple(STATES)
#: A verb in any case, and its detail.
_ACTION = re.compile(
    rf"({'|'.join(sorted(VERBS, key=len, reverse=True))})(?:\.?\Z|\.?[ \t]+(.*))",
    re.IGNORECASE | re.DOTALL,
)

FOLDER = "memory/handoffs"
#: An id that a file can be named for.
PLAIN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
#: An id in context-memory-optimizer's form, ``{YYYYMMDD-seq}``.
_ID_OF_DAY = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})-[0-9]+")
_LOG = "Log"
_TITLE = "Handoff "
_WITHOUT_ID = "without id"
_FIELDS = ("due", "topic", "source", "occurrence", "origin", "result_to", "twin")
#: Longest quote of a line in a problem, in characters.
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class LogLine:
    """One actor's action on a handoff; `detail` is the text after the verb."""

    at: datetime.datetime | None
    actor: str
    verb: str
    reason: str = ""
    detail: str = ""
    lines: Lines = NOWHERE


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a handoff's file besides the task; missing ones are empty.

    `source` is the path of the file with the task, if another; `occurrence` is its
    number among the tasks of this id there. `origin` is the workspace that sent it, if
    another, and `result_to` the file there to which the result is appended. `twin`
    names the same handoff in another workspace: older files had one in each.
    """

    due: str = ""
    topic: str = ""
    source: str = ""
    occurrence: str = ""
    origin: str = ""
    result_to: str = ""
    twin: str = ""


class _Reported(NamedTuple):
    """A line or a result of one version of a file, as input of `deciding`."""

    verb: str
    is_result: bool = False
    seq: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffDocument(Document):
    """A parsed handoff file."""

    fields: Fields
    tasks: tuple[Task, ...]
    results: tuple[Result, ...]
    log: tuple[LogLine, ...]

    @property
    def task_id(self) -> str | None:
        """Id of the task of this log; None if neither task nor title names it."""
        if self.tasks:
            return self.tasks[0].task_id
        name = self.title.removeprefix(_TITLE)
        if name == self.title:
            return None
        return "" if name == _WITHOUT_ID else name

    @property
    def due(self) -> datetime.datetime | None:
        """The deadline: of a day its end; naive without a zone."""
        return _due(self.fields.due)

    @property
    def topic(self) -> str:
        return self.fields.topic

    @property
    def source(self) -> str:
        return self.fields.source

    @property
    def occurrence(self) -> int:
        said = self.fields.occurrence
        return int(said) if said.isascii() and said.isdigit() and len(said) < 5 else 1


def with_log_line(text: str, line: LogLine) -> str:
    """Return the text with this line at the end of its log.

    Raises FormatError for a line that would not be read back: an unknown verb,
    or a value that holds a line end or the mark that ends it.
    """
    new, known = f"- {render_log_line(line)}", parse(text)
    if known.log:
        return insert_lines(text, known.log[-1].lines.last, new)
    sections = split_sections(_outside(text, (*known.tasks, *known.results)))
    if heads := [s.lines.first for s in sections if s.title == _LOG and s.level]:
        return insert_lines(text, heads[0], "", new)
    gap = [""] if text.strip() else []
    return append_lines(text, *gap, f"## {_LOG}", "", new)


def with_task(text: str, task: Task) -> str:
    """Return the text with this task in the place of its first one."""
    old = parse(text).tasks[0].lines
    block = render_task(task).replace("\r\n", "\n").rstrip("\n").split("\n")
    return insert_lines(remove_lines(text, old), old.first - 1, *block)


def with_result(text: str, result: Result) -> str:
    """Return the text with this result at its end."""
    block = render_result(result).replace("\r\n", "\n").rstrip("\n").split("\n")
    gap = [""] if text.strip() else []
    return append_lines(text, *gap, *block)


def without_log_line(text: str, place: int) -> str:
    """Return the text without the line at this place of its log."""
    return remove_lines(text, parse(text).log[place].lines)


def without_result(text: str, place: int) -> str:
    """Return the text without the result at this place, and the blank line above."""
    lines = parse(text).results[place].lines
    above = lines.first - 1
    if above > 1 and not split_lines(text)[above - 1].strip():
        lines = Lines(above, lines.last)
    return remove_lines(text, lines)


def path_of(name: str) -> str:
    """Return the path of the hub's file for a handoff of this name."""
    return f"{FOLDER}/{name}.md"


def day_of(task_id: str) -> datetime.date | None:
    """Return the day in a task id; None for ids of another shape."""
    found = _ID_OF_DAY.fullmatch(task_id)
    return parse_date("-".join(found.groups())) if found else None


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether the path is in the hub's folder of handoffs."""
    return path.parts[-3:-1] == ("memory", "handoffs") and path.suffix == ".md"


def parse(text: str, path: PurePosixPath = NO_PATH) -> HandoffDocument:
    """Return the task, the results and the log of any text; it never fails."""
    return _parsed(text)


@lru_cache(maxsize=4)
def _parsed(text: str) -> HandoffDocument:
    """Return the document of a text; cached, as each step of an edit asks for it."""
    tasks, results = find_tasks(text), find_results(text)
    outside = _outside(text, (*tasks, *results))
    items = bullets_of(outside)
    return HandoffDocument(
        text=text,
        title=next((s.title for s in split_sections(outside) if s.level == 1), ""),
        fields=Fields(**{name: value for name, value, _ in _fields(items)}),
        tasks=tasks,
        results=results,
        log=tuple(_log_lines(items)),
        problems=tuple(_problems(items, {result.status for result in results})),
    )


def _outside(text: str, blocks: tuple[Task | Result, ...]) -> str:
    """Return a text with empty lines in the place of its blocks."""
    lines = split_lines(text)
    for block in blocks:
        for number in range(block.lines.first, block.lines.last + 1):
            lines[number - 1] = "\n"
    return "".join(lines)


def state_of(document: HandoffDocument) -> str:
    """Return one of the states in `STATES`, or `REVIEW`."""
    reports = _reports(document)
    asked = any(task.review for task in document.tasks[:1])
    return state_after(reports, deciding(reports), review=asked)


def result_alone(document: HandoffDocument) -> Result | None:
    """Return the newest result if it decides the state without a line in the log."""
    decided = deciding(_reports(document))
    return document.results[-1] if decided and decided.is_result else None


def _reports(document: HandoffDocument) -> list[_Reported]:
    log = [_Reported(line.verb) for line in document.log]
    return log + [
        _Reported(result.status, is_result=True) for result in document.results
    ]


def render_handoff(task: Task, fields: Fields = Fields()) -> str:
    """Return the text of a new file; with a source, the task itself is in that file."""
    values = ((name, getattr(fields, name)) for name in _FIELDS)
    said = [f"- {name}: {one_line(value)}\n" for name, value in values if value]
    parts = [f"# {_TITLE}{one_line(task.task_id or _WITHOUT_ID)}\n", "".join(said)]
    parts += ["" if fields.source else render_task(task), f"## {_LOG}\n"]
    return "\n".join(filter(None, parts))


def render_log_line(line: LogLine) -> str:
    """Return a line of the log without its list mark; FormatError if it is not one."""
    if line.verb not in STATES:
        raise FormatError("verb-unknown", verb=line.verb)
    actor = one_line(line.actor)
    detail = one_line(line.detail) if line.detail else ""
    if " -- " in f"{actor} {detail} " or ": " in f"{detail} ":
        raise FormatError("value-has-mark", actor=actor, detail=detail)
    at = f"{line.at.isoformat().replace('+00:00', 'Z')} " if line.at else ""
    reason = f" -- {one_line(line.reason)}" if line.reason.strip() else ""
    return f"{at}{actor}: {line.verb}{' ' * bool(detail)}{detail}{reason}"


def _fields(items: Iterable[Bullet]) -> Iterator[tuple[str, str, Bullet]]:
    for item in items:
        name, colon, value = item.text.partition(":")
        if colon and name in _FIELDS and item.level <= 1:
            yield name, value.strip(), item


def _due(said: str) -> datetime.datetime | None:
    if day := parse_date(said):
        return datetime.datetime.combine(day, datetime.time(23, 59, 59))
    return parse_timestamp(said)


def _problems(items: Iterable[Bullet], results: Collection[str]) -> Iterator[Problem]:
    """Yield the lines that could not be understood, with their text.

    A line without a time may stand for a result of that status whose time nobody knows.
    """
    for name, value, item in _fields(items):
        if name == "due" and value and not _due(value):
            yield _not_understood("handoff-due-unknown", item)
    for item in items:
        if item.section == _LOG and not item.depth:
            line = _log_line(item)
            if line is None:
                yield _not_understood("handoff-line-unknown", item)
            elif line.at is None and line.verb not in results:
                yield _not_understood("handoff-line-undated", item)


def _not_understood(code: str, item: Bullet) -> Problem:
    return Problem(code, item.lines.first, {"text": item.text[:_SHOWN]})


def _log_lines(items: Iterable[Bullet]) -> Iterator[LogLine]:
    for item in items:
        if item.section == _LOG and (line := _log_line(item)):
            yield line


def _log_line(item: Bullet) -> LogLine | None:
    head, _, reason = item.text.partition(" -- ")
    at, said = split_timed(head)
    if not at and parse_date(said.partition(" ")[0]):
        said = said.partition(" ")[2]
    for mark in (": ", ":"):
        actor, colon, action = said.rpartition(mark)
        if colon and (found := _ACTION.fullmatch(action.strip())):
            verb, detail = found[1].lower(), (found[2] or "").strip()
            return LogLine(at, actor.strip(), verb, reason.strip(), detail, item.lines)
    return None


DIALECT = Dialect(
    title=gettext_noop("Handoffs"),
    kind=gettext_noop("handoff"),
    order=140,
    has_days=True,
    hands_over=lambda path: matches(path, ""),
    is_found=True,
    in_rows=always,
    has_pages=True,
)
