"""Verbs on a handoff's file: create it, change its task, append to its log. Pure.

A step is one or more log lines, with an optional result. It is taken back only while it
is the last one. The undo of a changed task writes the lines back that it had before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any

from memoryhub.dialects import agent_team
from memoryhub.dialects.handoff import (
    SAID,
    Fields,
    HandoffDocument,
    LogLine,
    Result,
    Task,
    find_results,
    find_tasks,
    parse,
    render_handoff,
    render_log_line,
    with_log_line,
    with_result,
    with_task,
    without_log_line,
    without_result,
)
from memoryhub.formats.base import FormatError
from memoryhub.formats.text.line_edits import (
    append_lines,
    insert_lines,
    remove_lines,
    with_closed_fence,
    without_blocks,
)
from memoryhub.formats.text.source import newline_of, split_lines
from memoryhub.handoffs.rules.fields import standing
from memoryhub.journal.scopes import Scope
from memoryhub.journal.verbs import Inverse, Limits, Payload, Verb

SEND, STEP, TAKE_BACK = "send_handoff", "log_handoff", "take_back_step"
#: Verb of a step in which a person signs off; `SIGNED` marks its line in the payload.
SIGN, SIGNED = "sign_handoff", "person"
UNSEND = "unsend_handoff"
REVISE, UNREVISE = "revise_handoff", "unrevise_handoff"
ADD_MEMORY, DROP_MEMORY = "add_memory_update", "drop_memory_update"
ADD_MESSAGE, DROP_MESSAGE = "add_inbox_message", "drop_inbox_message"
#: Payload flag of a step that is redone after it was taken back.
REDONE = "again"
#: Payload key with the lines of the task before.
_BEFORE = "before"
#: First characters by which a text is read as a dialect; a title is put before them.
_FIRST_LINES = ("---", "#")
_TITLE = "# Memory"


#: Fields of a block that say how and where it was read.
_READ = frozenset({"escaped", "problems", "lines"})


def parts_of(block: Task | Result | LogLine | Fields) -> dict[str, Any]:
    """Return the values of a block by field."""
    names = (field.name for field in fields(block) if field.name not in _READ)
    return {name: getattr(block, name) for name in names}


#: Names of the parts of a task, which are columns of its row too.
TASK_PARTS = tuple(parts_of(Task("", "", "", "")))


def task_payload(task: Task, said: Fields) -> Payload:
    """Return the payload of `SEND`, without the log lines."""
    label = task.context or task.task_id
    return {"label": label, "task": parts_of(task), "fields": parts_of(said)}


def step_payload(*lines: LogLine, result: Result | None = None) -> Payload:
    """Return the payload part with the log lines and the result of a step."""
    return {
        "lines": [
            parts_of(line) | {"at": line.at.isoformat() if line.at else ""}
            for line in lines
        ],
        "result": result and parts_of(result),
    }


def standing_in(document: HandoffDocument) -> str:
    """Return a handoff's standing by its file, the base value of an edit.

    Messages do not count: they change nothing.
    """
    log = [line for line in document.log if line.verb != SAID]
    moves = len(log) + len(document.results)
    if log:
        return standing(moves, log[-1].verb, log[-1].actor)
    status = document.results[-1].status if document.results else ""
    return standing(moves, status, "")


def _value(text: str, payload: Payload) -> str:
    return standing_in(parse(text)) if text else ""


def _send(text: str, payload: Payload, limits: Limits) -> str:
    if text:
        raise FormatError("handoff-id-taken", task_id=payload["task"]["task_id"])
    return stepped(_head(payload), payload)


def _step(text: str, payload: Payload, limits: Limits) -> str:
    """Append a step to a handoff's log; a missing file is created with its head."""
    return stepped(text or _head(payload), payload)


def _take_back(text: str, payload: Payload, limits: Limits) -> str:
    if payload["result"] is not None:
        if not _says_result(parse(text), payload):
            raise FormatError("item-not-there", text=payload["result"]["status"])
        text = without_result(text, -1)
    for line in reversed(payload["lines"]):
        if not _says_line(parse(text), line):
            raise FormatError("item-not-there", text=render_log_line(_line(line)))
        text = without_log_line(text, -1)
    return text


def _untaken(text: str, payload: Payload, limits: Limits) -> Inverse:
    return TAKE_BACK if text else UNSEND, payload


def _taken_again(text: str, payload: Payload, limits: Limits) -> Inverse:
    return step_verb(payload), payload | {REDONE: True}


def step_verb(payload: Payload) -> str:
    """Return the verb of a step: `SIGN` if a person signs off in it, else `STEP`."""
    signs = any(line.get(SIGNED) for line in payload["lines"])
    return SIGN if signs else STEP


def with_signed(payload: Payload, keys: Mapping[int, str]) -> Payload:
    """Mark the lines of a step's payload by which a person signs off.

    `keys`: hash of the signed text by index of the line.
    """
    lines = [
        line | {SIGNED: keys[place]} if place in keys else line
        for place, line in enumerate(payload["lines"])
    ]
    return payload | {"lines": lines}


def _head(payload: Payload) -> str:
    """Return the text of a new file; its task must parse back unchanged.

    Raises:
        FormatError: ``handoff-not-kept``, such as for a name that is a template's
            placeholder.
    """
    task, said = Task(**payload["task"]), Fields(**payload["fields"])
    text = render_handoff(task, said)
    document = parse(text)
    wanted = [] if said.source else [parts_of(task)]
    found = [*map(parts_of, document.tasks)]
    if found != wanted or document.fields != said or document.log:
        raise FormatError("handoff-not-kept")
    return text


def stepped(text: str, payload: Payload) -> str:
    """Return a file's text with one more step, which must parse back unchanged.

    Raises:
        FormatError: ``handoff-not-kept``, an odd file would not give it back; or a line
            that no log can hold.
    """
    before, lines, said = parse(text), payload["lines"], payload["result"]
    if said is not None:
        text = with_result(text, Result(**said))
    for line in lines:
        text = with_log_line(text, _line(line))
    document = parse(text)
    logged = len(document.log) - len(before.log) == len(lines)
    reported = len(document.results) - len(before.results) == (said is not None)
    if not logged or not reported or len(document.tasks) != len(before.tasks):
        raise FormatError("handoff-not-kept")
    if said is not None and not _says_result(document, payload):
        raise FormatError("handoff-not-kept")
    return text


def _says_line(document: HandoffDocument, said: Mapping[str, Any]) -> bool:
    """Return whether a step's line is the last of a document's log."""
    last = document.log[-1:]
    return [*map(render_log_line, last)] == [render_log_line(_line(said))]


def _says_result(document: HandoffDocument, payload: Payload) -> bool:
    """Return whether a step's result is the last one of a document."""
    return any(_says(last, payload["result"]) for last in document.results[-1:])


def _line(said: Mapping[str, Any]) -> LogLine:
    at = datetime.fromisoformat(said["at"]) if said["at"] else None
    return LogLine(at, said["actor"], said["verb"], said["reason"], said["detail"])


def _says(found: Task | Result, said: Mapping[str, Any]) -> bool:
    return all(
        getattr(found, name).replace("\r\n", "\n") == value
        for name, value in said.items()
    )


def _revise(text: str, payload: Payload, limits: Limits) -> str:
    """Write the new task in the place of the old one, and a line below the log.

    Raises:
        FormatError: ``handoff-not-kept``, it would not parse back.
    """
    before = parse(text)
    if not before.tasks:
        raise FormatError("handoff-not-kept")
    new = with_task(text, Task(**payload["task"]))
    changed = parse(new)
    same = (len(changed.log), changed.fields) == (len(before.log), before.fields)
    if parts_of(changed.tasks[0]) != payload["task"] or not same:
        raise FormatError("handoff-not-kept")
    return stepped(new, payload)


def _revised(text: str, payload: Payload, limits: Limits) -> Inverse:
    lines = parse(text).tasks[0].lines
    old = "".join(split_lines(text)[lines.first - 1 : lines.last])
    return UNREVISE, payload | {_BEFORE: old}


def _unrevise(text: str, payload: Payload, limits: Limits) -> str:
    """Take the line out of the log, and write the task of before back."""
    shorter = _take_back(text, payload, limits)
    task = parse(shorter).tasks[0]
    if not _says(task, payload["task"]):
        raise FormatError("item-not-there", text=payload["label"])
    rest = remove_lines(shorter, task.lines)
    return insert_lines(rest, task.lines.first - 1, *_lines(payload[_BEFORE]))


def _unrevised(text: str, payload: Payload, limits: Limits) -> Inverse:
    return REVISE, {name: value for name, value in payload.items() if name != _BEFORE}


def _lines(block: str) -> list[str]:
    return block.replace("\r\n", "\n").removesuffix("\n").split("\n")


def _count(text: str, payload: Payload) -> int:
    return text.count(_block(text, payload))


def _add_memory(text: str, payload: Payload, limits: Limits) -> str:
    """Append a memory update to a memory file, below a blank line.

    Raises:
        FormatError: ``handoff-not-kept``, it would change which blocks are found, such
            as by ending one that the file leaves open.
    """
    block = _block(text, payload)
    gap = [""] if text.strip() else []
    if not gap and block.startswith(_FIRST_LINES):
        gap = [_TITLE, ""]
    after = append_lines(text, *gap, block)
    if any(find(after) != find(text) for find in (find_tasks, find_results)):
        raise FormatError("handoff-not-kept")
    return after


def _drop_memory(text: str, payload: Payload, limits: Limits) -> str:
    before, found, after = text.rpartition(_block(text, payload))
    if not found:
        raise FormatError("item-not-there", text=payload["label"])
    end = newline_of(text)
    return before.removesuffix(end) + after.removeprefix(end)


def _messages(text: str, payload: Payload) -> int:
    return agent_team.messages_like(text, payload["message"])


def _add_message(text: str, payload: Payload, limits: Limits) -> str:
    return agent_team.with_message(text, payload["message"])


def _drop_message(text: str, payload: Payload, limits: Limits) -> str:
    return agent_team.without_message(text, payload["message"])


def _block(text: str, payload: Payload) -> str:
    """Return the text to insert, without handoff blocks, with the file's line ends."""
    said = "\n".join(str(payload["text"]).strip().splitlines())
    plain = with_closed_fence(without_blocks(said))
    return newline_of(text).join(plain.split("\n"))


def in_lane(
    apply: Callable[[str, Payload, Limits], str],
    inverse: Callable[[str, Payload, Limits], Inverse],
    *,
    removes: bool = False,
    makes_events: bool = False,
) -> Verb:
    """Return a verb on a handoff's file, applied in its workspace's write lane."""
    place = "memoryhub.handoffs.services.lane:in_lane"
    return Verb(
        _value, apply, inverse, removes, makes_events, at_once=True, within=place
    )


#: Writing a memory update is also allowed by the scope for handoffs.
_BY_HANDOFF = frozenset({Scope.HANDOFF})
#: Verbs on handoffs, by name. Memory updates are edits of memory files and wait for a
#: review if the workspace asks for one.
VERBS: Mapping[str, Verb] = {
    SEND: in_lane(_send, lambda t, p, _: (UNSEND, p), makes_events=True),
    UNSEND: in_lane(lambda *_: "", lambda t, p, _: (SEND, p), removes=True),
    STEP: in_lane(_step, _untaken, makes_events=True),
    SIGN: in_lane(_step, _untaken, makes_events=True),
    TAKE_BACK: in_lane(_take_back, _taken_again),
    REVISE: in_lane(_revise, _revised, makes_events=True),
    UNREVISE: in_lane(_unrevise, _unrevised),
    ADD_MEMORY: Verb(
        _count,
        _add_memory,
        lambda t, p, _: (DROP_MEMORY, p),
        also=_BY_HANDOFF,
        adds=True,
    ),
    DROP_MEMORY: Verb(
        _count, _drop_memory, lambda t, p, _: (ADD_MEMORY, p), also=_BY_HANDOFF
    ),
    ADD_MESSAGE: Verb(
        _messages, _add_message, lambda t, p, _: (DROP_MESSAGE, p), adds=True
    ),
    DROP_MESSAGE: Verb(_messages, _drop_message, lambda t, p, _: (ADD_MESSAGE, p)),
}
