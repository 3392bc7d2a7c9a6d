"""Handing the same work off again: a new handoff, linked from the old one."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import partial

from memoryhub.formats.hub import handoff as handoff_format
from memoryhub.formats.hub.handoff import Task
from memoryhub.handoffs.exporters import task_of
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.resends import HANDED_OFF_AGAIN
from memoryhub.handoffs.rules.acting import UNFINISHED
from memoryhub.handoffs.services.lane import lanes
from memoryhub.handoffs.services.logs import Step, current, is_own
from memoryhub.handoffs.services.memory import takes_results
from memoryhub.handoffs.services.rows import certain
from memoryhub.handoffs.services.sending import (
    Author,
    Done,
    Terms,
    at_home,
    done_for,
    home_of,
    send,
)
from memoryhub.handoffs.services.sequels import Sequel, follow
from memoryhub.handoffs.services.steps import checked
from memoryhub.journal.versions import newest_text


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
    author: Author,
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
    workspace, task = handoff.side, _same_task(handoff, author, recipient)
    home = home_of(workspace, at_home(workspace, task))
    with lanes(workspace, home, handoff.workspace):
        terms = terms or terms_of(current(handoff), author.at)
        if takes_results(handoff.result_to, is_local=home == workspace):
            terms = terms._replace(result_to=handoff.result_to)
        then = partial(_end, handoff, reason, author, base)
        done = send(workspace, task, author, terms, then)
        follow(done.operation, author.at)
        with certain(home):
            return done_for(workspace, current(done.handoff), done.operation)


def _same_task(handoff: Handoff, author: Author, recipient: str) -> Task:
    return replace(
        task_of(handoff),
        task_id="",
        sender=handoff.sender if author.coordinates else author.actor,
        recipient=recipient or handoff.recipient,
    )


def _end(
    handoff: Handoff, reason: str, author: Author, base: str | None, task_id: str
) -> Sequel:
    """Return the edit that links the old handoff to the new; withdraws an open one."""
    workspace = handoff.workspace
    link = replace(author, key=f"{author.key}-old").among(handoff.side, workspace)
    now, log = checked(handoff, Step(HANDED_OFF_AGAIN, base=base), link)
    again = Step(HANDED_OFF_AGAIN, reason, detail=task_id)
    steps = [Step("withdrawn", reason)] if now.state in UNFINISHED else []
    return Sequel(workspace, log.step(now, link, again, *steps))
