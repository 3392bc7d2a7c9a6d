"""MemoryHub's own file of a handoff, ``memory/handoffs/<task_id>.md``: task and log.

The log determines the state, see `handoff_state`.

A handoff whose task is in another file has its log here, too, with that file's path
instead of the task. Lines of blocks are never read as Markdown: the content of a task,
such as an open code fence, cannot hide or fake a log line.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from memoryhub.formats.base import NOWHERE, FormatError, Lines, Problem
from memoryhub.formats.hub.handoff_blocks import (
    Result,
    Task,
    find_results,
    find_tasks,
    render_result,
    render_task,
)
from memoryhub.formats.hub.handoff_state import STATES, deciding, state_after
from memoryhub.formats.text.dates import parse_date, parse_timestamp, split_timed
from memoryhub.formats.text.line_edits import (
    append_lines,
    insert_lines,
    one_line,
    remove_lines,
)
from memoryhub.formats.text.list_items import Bullet, bullets_of
from memoryhub.formats.text.source import split_lines, split_sections

__all__ = [
    "FOLDER",
    "NAME",
    "PLAIN_ID",
    "STATES",
    "VERBS",
    "Fields",
    "HandoffDocument",
    "LogLine",
    "Result",
    "Task",
    "day_of",
    "find_results",
    "find_tasks",
    "matches",
    "parse",
    "path_of",
    "render_handoff",
    "render_log_line",
    "render_result",
    "render_task",
    "result_alone",
    "state_of",
]

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


@dataclass(frozen=True, slots=True)
class HandoffDocument:
    """A parsed handoff file."""

    text: str
    title: str
    fields: Fields
    tasks: tuple[Task, ...]
    results: tuple[Result, ...]
    log: tuple[LogLine, ...]
    problems: tuple[Problem, ...] = ()

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

    def with_log_line(self, line: LogLine) -> HandoffDocument:
        """Return a copy with this line at the end of the log.

        Raises FormatError for a line that would not be read back: an unknown verb,
        or a value that holds a line end or the mark that ends it.
        """
        new = f"- {render_log_line(line)}"
        if self.log:
            return parse(insert_lines(self.text, self.log[-1].lines.last, new))
        heading = _log_heading(_outside(self.text, (*self.tasks, *self.results)))
        if heading:
            return parse(insert_lines(self.text, heading, "", new))
        gap = [""] if self.text.strip() else []
        return parse(append_lines(self.text, *gap, f"## {_LOG}", "", new))

    def with_task(self, task: Task) -> HandoffDocument:
        """Return a copy with this task in the place of its first one."""
        old = self.tasks[0].lines
        block = render_task(task).replace("\r\n", "\n").rstrip("\n").split("\n")
        rest = remove_lines(self.text, old)
        return parse(insert_lines(rest, old.first - 1, *block))

    def with_result(self, result: Result) -> HandoffDocument:
        """Return a copy with this result at the end of the file."""
        block = render_result(result).replace("\r\n", "\n").rstrip("\n").split("\n")
        gap = [""] if self.text.strip() else []
        return parse(append_lines(self.text, *gap, *block))

    def without_log_line(self, place: int) -> HandoffDocument:
        """Return a copy without the line at this place of the log."""
        return parse(remove_lines(self.text, self.log[place].lines))

    def without_result(self, place: int) -> HandoffDocument:
        """Return a copy without the result at this place, and the blank line above."""
        lines = self.results[place].lines
        above = lines.first - 1
        if above > 1 and not split_lines(self.text)[above - 1].strip():
            lines = Lines(above, lines.last)
        return parse(remove_lines(self.text, lines))


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


def parse(text: str) -> HandoffDocument:
    """Return the task, the results and the log of any text; it never fails."""
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


def _log_heading(text: str) -> int:
    lines = (s.lines.first for s in split_sections(text) if s.title == _LOG and s.level)
    return next(lines, 0)


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
