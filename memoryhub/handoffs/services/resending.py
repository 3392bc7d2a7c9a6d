"""Handing the same work off again: a new handoff, linked from the old one."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import NamedTuple

from memoryhub.formats.hub import handoff as handoff_format
from memoryhub.formats.hub.handoff import Task
from memoryhub.handoffs.exporters import task_of
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.resends import HANDED_OFF_AGAIN
from memoryhub.handoffs.queries.waiting import deadlock_with
from memoryhub.handoffs.rules.acting import UNFINISHED
from memoryhub.handoffs.services.lane import lanes
from memoryhub.handoffs.services.logs import Log, Step, current, is_own
from memoryhub.handoffs.services.reconciling import reconcile
from memoryhub.handoffs.services.rows import certain
from memoryhub.handoffs.services.sending import Asked, Done, operation_before, send
from memoryhub.handoffs.services.sequels import follow
from memoryhub.handoffs.services.steps import checked
from memoryhub.handoffs.services.twins import pair_for, pair_of
from memoryhub.journal.versions import newest_text
from memoryhub.sync.edit.edits import Edit


class Terms(NamedTuple):
    """Due time and topic of a handoff."""

    due: datetime | None = None
    topic: str = ""


def terms_of(handoff: Handoff, at: datetime) -> Terms:
    """Return the terms of a handoff that still hold: a due time only if in the future.

    The topic may be one that its file names and the workspace does not have.
    """
    due, path = handoff.due_at, handoff.file.path
    text = newest_text(handoff.workspace, path) if is_own(path) else ""
    named = handoff.topic.name if handoff.topic else ""
    return Terms(
        due if due and due > at else None, handoff_format.parse(text).topic or named
    )


def hand_off_again(
    handoff: Handoff,
    asked: Asked,
    *,
    recipient: str = "",
    reason: str = "",
    terms: Terms | None = None,
    base: str | None = None,
) -> Done:
    """Send the same work anew, to another recipient if given; the old one links to it.

    `terms` default to those that still hold. An unfinished handoff is withdrawn, so
    that the work is not done twice.

    Raises:
        NotAllowed: ``handoff-again-open``, the handoff that it was handed off to before
            is not finished; or refused by `send`.
        Conflict, FormatError, FileError: as `move` raises them.
    """
    workspace, task = handoff.workspace, _same_task(handoff, asked, recipient)
    new, old = pair_for(workspace, task), pair_of(handoff)
    with lanes(workspace, *new.others, *old.others):
        if operation_before(workspace, asked.key) is None:
            handoff, log = checked(handoff, Step(HANDED_OFF_AGAIN, base=base), asked)
            due, topic = terms or terms_of(handoff, asked.at)
            then = partial(_end, handoff, log, reason, asked)
            done = send(workspace, task, asked, due=due, topic=topic, then=then)
        else:
            done = send(workspace, task, asked)
        follow(done.operation, asked.at)
        reconcile(handoff, asked.at)
        with certain(workspace):
            sent = current(done.handoff)
    return Done(sent, done.operation, deadlock_with(sent))


def _same_task(handoff: Handoff, asked: Asked, recipient: str) -> Task:
    return replace(
        task_of(handoff),
        task_id="",
        sender=handoff.sender if asked.coordinates else asked.actor,
        recipient=recipient or handoff.recipient,
    )


def _end(handoff: Handoff, log: Log, reason: str, asked: Asked, task_id: str) -> Edit:
    """Return the edit that links the old handoff to the new; withdraws an open one."""
    steps = [Step("withdrawn", reason)] if handoff.state in UNFINISHED else []
    link = replace(asked, key=f"{asked.key}-old")
    return log.step(
        handoff, link, Step(HANDED_OFF_AGAIN, reason, detail=task_id), *steps
    )
