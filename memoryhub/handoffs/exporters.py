"""Export of handoffs in the hub's own form, one file each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC
from typing import Any

from memoryhub.dialects.handoff import (
    Fields,
    LogLine,
    Result,
    Task,
    listed_in,
    render_handoff,
    with_log_line,
    with_result,
)
from memoryhub.formats.base import FormatError
from memoryhub.formats.text.dates import in_utc
from memoryhub.handoffs.log_verbs import TASK_PARTS
from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.queries.resends import in_order
from memoryhub.journal.models import Workspace


def handoff_texts(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """Yield file name and text for every live handoff."""
    alive = {"workspace": workspace, "last_seq__isnull": True}
    taken: dict[int, list[HandoffStep]] = defaultdict(list)
    steps = HandoffStep.objects.filter(handoff__isnull=False, **alive)
    for step in in_order(steps):
        taken[step.handoff_id or 0].append(step)
    known = Handoff.objects.filter(**alive).select_related("topic")
    for handoff in known.order_by("first_seq", "position"):
        yield handoff.task_id or "without-id", _text(handoff, taken[handoff.id])


def handoff_text(handoff: Handoff, *, with_sent: bool = True) -> str:
    """Return one handoff as a file of the hub's own form.

    `with_sent`: a log without times gets a line for the time at which it was sent.
    """
    steps = HandoffStep.objects.filter(handoff=handoff, last_seq__isnull=True)
    return _text(handoff, in_order(steps), with_sent=with_sent)


def block_lines(workspace: Workspace) -> dict[int, set[int]]:
    """Return the lines of each file, by its id, that are blocks of handoffs."""
    lines: dict[int, set[int]] = defaultdict(set)
    alive = {"workspace": workspace, "last_seq__isnull": True}
    for rows in (
        Handoff.objects.filter(**alive),
        HandoffStep.objects.filter(is_result=True, **alive),
    ):
        for file_id, first, last in rows.values_list(
            "file_id", "first_line", "last_line"
        ):
            lines[file_id].update(range(first, last + 1))
    return lines


def task_of(handoff: Handoff) -> Task:
    """Return the task part of a handoff, as the format layer has it."""
    return Task(**{name: getattr(handoff, name) for name in TASK_PARTS})


def ties_of(row: Handoff) -> dict[str, Any]:
    """Return a task's dependencies, paths and priority, as fields of answers."""
    return {
        "after": list(listed_in(row.after)),
        "parent": row.parent,
        "repository": row.repository,
        "paths": list(listed_in(row.paths)),
        "priority": row.priority or "normal",
        "review": row.review,
    }


def _text(handoff: Handoff, steps: list[HandoffStep], *, with_sent: bool = True) -> str:
    task = task_of(handoff)
    if handoff.type == Handoff.Type.UNKNOWN:
        task = replace(task, type="")
    fields = Fields(
        due=in_utc(handoff.due_at) if handoff.due_at else "",
        topic=handoff.topic.name if handoff.topic else "",
        origin=handoff.origin,
        result_to=handoff.result_to,
        twin=handoff.twin,
    )
    text = render_handoff(task, fields)
    is_undated = not any(step.happened_at for step in steps)
    if with_sent and handoff.sender and is_undated:
        text = _with_line(text, _sent(handoff))
    for step in steps:
        text = _with_step(text, step)
    return text.replace("\r", "")


def _sent(handoff: Handoff) -> LogLine:
    """Return the line that keeps the time of a handoff whose log gives none."""
    at = handoff.occurred_at.astimezone(UTC).replace(microsecond=0)
    return LogLine(at, handoff.sender, "sent")


def _with_step(text: str, step: HandoffStep) -> str:
    if step.is_result:
        said = (step.output, step.side_effects, step.memory_update)
        return with_result(text, Result(step.task_id, step.verb, *said))
    at = step.happened_at and step.happened_at.astimezone(UTC)
    line = LogLine(at, step.actor, step.verb, step.reason, step.detail)
    return _with_line(text, line)


def _with_line(text: str, line: LogLine) -> str:
    try:
        return with_log_line(text, line)
    except FormatError:
        # The own form cannot hold this line, so the hub never wrote it: leave it out.
        return text
