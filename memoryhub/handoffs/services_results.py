"""Results: what came of a handoff, and what of it goes into the agents' memory."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple
from zoneinfo import ZoneInfo

from memoryhub.files import FileError
from memoryhub.formats import handoff as handoff_format
from memoryhub.formats.base import FormatError
from memoryhub.formats.handoff import Result
from memoryhub.formats.handoff_blocks import STATUSES
from memoryhub.handoffs.log_verbs import ADD_MEMORY
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules import DONE, NotAllowed
from memoryhub.handoffs.services import Asked, Done, tidy
from memoryhub.handoffs.services_steps import Step, move
from memoryhub.sync.edits import Conflict, Edit, apply_edit
from memoryhub.workspaces.models import Operation, Workspace
from memoryhub.workspaces.versions import is_known

#: The file an update is for, when its first line names one of the memory folders'.
_NAMED = re.compile(
    r"(?:^|[\s`(\[])(memor(?:y|ies)(?:/[\w@+-][\w.@+-]*)+\.md)\b", re.ASCII
)
#: A first line that says nothing else.
_ONLY_NAMED = re.compile(r"[\s`*#>-]*memor(?:y|ies)/[\w./@+-]+\.md[\s`*:]*", re.ASCII)
_CONTEXT = "memories/context.md"
_MOST_REASON = 200


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of a memory update.

    It was written, or is `staged` for a review, or was `refused` with a reason: the
    result stands in any case.
    """

    path: str
    staged: bool = False
    refused: str = ""


class Reported(NamedTuple):
    """A handoff with its result, and where its memory update went, if it had one."""

    done: Done
    memory: Remembered | None = None


def report(
    handoff: Handoff,
    result: Result,
    asked: Asked,
    *,
    base: str | None = None,
    reason: str = "",
) -> Reported:
    """Say what came of the work: done, failed, or blocked and why.

    The memory update goes to the end of the file that its first line names, else of
    ``memories/context.md`` if there is one, else of the day's log.

    Raises:
        NotAllowed: an unknown status, no reason, or what `move` does not allow: a
            result that comes late, when the handoff was put back or is finished.
        Conflict, FormatError, FileError: as `move` raises them.
    """
    result = _checked(handoff, result)
    if result.status != DONE and not reason.strip():
        reason = result.output.partition("\n")[0][:_MOST_REASON]
    step = Step(result.status, reason, base, result=result)
    done = move(handoff, step, asked)
    if not result.memory_update:
        return Reported(done)
    return Reported(done, _remember(done.handoff, result.memory_update, asked))


def memory_place(workspace: Workspace, update: str, today: date) -> tuple[str, str]:
    """Return the file that a memory update is for, and its text without that name."""
    first, _, rest = update.strip().partition("\n")
    if (found := _NAMED.search(first)) and not _is_ours(found[1]):
        only = rest.strip() and _ONLY_NAMED.fullmatch(first)
        return found[1], rest.strip() if only else update.strip()
    if is_known(workspace, _CONTEXT):
        return _CONTEXT, update.strip()
    return f"{workspace.memory_folder}/{today.isoformat()}.md", update.strip()


def _is_ours(path: str) -> bool:
    return path.startswith(f"{handoff_format.FOLDER}/")


def _checked(handoff: Handoff, result: Result) -> Result:
    if result.status not in STATUSES:
        raise NotAllowed("handoff-status", status=result.status)
    if result.task_id not in {"", handoff.task_id}:
        raise NotAllowed("handoff-other-id", task_id=result.task_id)
    return replace(
        result,
        task_id=handoff.task_id,
        output=tidy(result.output),
        side_effects=tidy(result.side_effects),
        memory_update=tidy(result.memory_update),
    )


def _remember(handoff: Handoff, update: str, asked: Asked) -> Remembered:
    workspace = handoff.workspace
    key = f"{asked.key}-memory"
    before = Operation.objects.filter(workspace=workspace, key=key).first()
    today = asked.at.astimezone(ZoneInfo(workspace.time_zone)).date()
    path, text = memory_place(workspace, update, today)
    path = before.target if before else path
    payload = {"text": text, "label": handoff.task_id}
    edit = Edit(path, ADD_MEMORY, payload, asked.actor, key=key)
    try:
        operation = apply_edit(workspace, edit, clock=lambda: asked.at)
    except (Conflict, FormatError, FileError) as error:
        return Remembered(path, refused=str(error))
    return Remembered(path, operation.state == Operation.State.STAGED)
