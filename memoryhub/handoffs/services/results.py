"""Results of handoffs, and their memory updates."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from memoryhub.formats.hub.handoff import Result
from memoryhub.formats.hub.handoff_blocks import STATUSES
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules.acting import DONE, NotAllowed
from memoryhub.handoffs.services.lane import lanes
from memoryhub.handoffs.services.logs import Step
from memoryhub.handoffs.services.memory import Remembered, Update, remembered
from memoryhub.handoffs.services.sending import Author, Done, tidy
from memoryhub.handoffs.services.sequels import Sequel
from memoryhub.handoffs.services.steps import move

_MOST_REASON = 200


class Reported(NamedTuple):
    """A handoff with its result, and the outcome of its memory update if it had one."""

    done: Done
    memory: Remembered | None = None


def report(
    handoff: Handoff,
    result: Result,
    author: Author,
    *,
    base: str | None = None,
    reason: str = "",
) -> Reported:
    """Report the result of a handoff: done, failed or blocked.

    The memory update goes to the end of the file that its first line names, else of the
    day's log.

    Raises:
        NotAllowed: an unknown status, no reason, or refused by `move`: a late result,
            when the handoff was put back or is finished.
        Conflict, FormatError, FileError: as `move` raises them.
    """
    if result.status not in STATUSES:
        raise NotAllowed("handoff-status", status=result.status)
    if result.task_id not in {"", handoff.task_id}:
        raise NotAllowed("handoff-other-id", task_id=result.task_id)
    result = replace(
        result,
        task_id=handoff.task_id,
        output=tidy(result.output),
        side_effects=tidy(result.side_effects),
        memory_update=tidy(result.memory_update),
    )
    if result.status != DONE and not reason.strip():
        reason = result.output.partition("\n")[0][:_MOST_REASON]
    with lanes(handoff.workspace):
        then = _memory_edit(handoff, result, author)
        step = Step(result.status, reason, base, result=result, then=then)
        done = move(handoff, step, author)
        return Reported(done, remembered(done.operation, author.at))


def _memory_edit(handoff: Handoff, result: Result, author: Author) -> Sequel | None:
    """Return the edit of a memory file, in the workspace that the result comes from."""
    if not result.memory_update:
        return None
    update = Update(handoff.side, handoff, result.memory_update)
    edit = update.edit(author.actor, f"{author.key}-memory", author.at)
    return Sequel(handoff.side, edit)
