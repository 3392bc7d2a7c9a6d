"""Verbs that change the task of a handoff's own file, with a line in its log. Pure.

The journal has the version before; the undo writes its lines back.
"""

from __future__ import annotations

from collections.abc import Mapping

from memoryhub.formats.base import FormatError
from memoryhub.formats.hub.handoff import HandoffDocument, Task, parse
from memoryhub.formats.text.line_edits import insert_lines, remove_lines
from memoryhub.formats.text.source import split_lines
from memoryhub.handoffs.log_verbs import (
    TAKE_BACK,
    VERBS,
    in_lane,
    stepped,
    task_payload,
)
from memoryhub.journal.verbs import Inverse, Limits, Payload, Verb

REVISE, UNREVISE = "revise_handoff", "unrevise_handoff"
#: Payload key with the lines of the task before.
_BEFORE = "before"


def revise_payload(task: Task, document: HandoffDocument) -> Payload:
    """Return the payload part with the new task."""
    return {"task": task_payload(task, document.fields)["task"]}


def _revise(text: str, payload: Payload, limits: Limits) -> str:
    """Write the new task in the place of the old one, and a line below the log.

    Raises:
        FormatError: ``handoff-not-kept``, it would not parse back.
    """
    before = parse(text)
    if not before.tasks:
        raise FormatError("handoff-not-kept")
    changed = before.with_task(Task(**payload["task"]))
    said = task_payload(changed.tasks[0], changed.fields)["task"]
    same = (len(changed.log), changed.fields) == (len(before.log), before.fields)
    if said != payload["task"] or not same:
        raise FormatError("handoff-not-kept")
    return stepped(changed, payload).text


def _revised(text: str, payload: Payload, limits: Limits) -> Inverse:
    lines = parse(text).tasks[0].lines
    old = "".join(split_lines(text)[lines.first - 1 : lines.last])
    return UNREVISE, payload | {_BEFORE: old}


def _unrevise(text: str, payload: Payload, limits: Limits) -> str:
    """Take the line out of the log, and write the task of before back."""
    shorter = VERBS[TAKE_BACK].apply(text, payload, limits)
    task = parse(shorter).tasks[0]
    if not (
        all(
            getattr(task, name).replace("\r\n", "\n") == value
            for name, value in payload["task"].items()
        )
    ):
        raise FormatError("item-not-there", text=payload["label"])
    rest = remove_lines(shorter, task.lines)
    return insert_lines(rest, task.lines.first - 1, *_lines(payload[_BEFORE]))


def _unrevised(text: str, payload: Payload, limits: Limits) -> Inverse:
    return REVISE, {name: value for name, value in payload.items() if name != _BEFORE}


def _lines(block: str) -> list[str]:
    return block.replace("\r\n", "\n").removesuffix("\n").split("\n")


TASK_VERBS: Mapping[str, Verb] = {
    REVISE: in_lane(_revise, _revised, makes_events=True),
    UNREVISE: in_lane(_unrevise, _unrevised),
}
