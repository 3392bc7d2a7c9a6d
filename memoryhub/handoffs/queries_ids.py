"""Which ids of tasks are taken in workspaces, and which handoffs have one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.identity import id_of
from memoryhub.workspaces.models import Workspace

#: Numbers of more digits are somebody's own ids, not a count of a day's tasks.
_DIGITS = 6


def day_numbers(workspaces: Sequence[Workspace], day: str) -> Iterator[int]:
    """Give the numbers that ids of a day, ``YYYYMMDD-NN``, have had so far."""
    for model in (Handoff, HandoffStep):
        ids = model._default_manager.filter(
            workspace__in=[workspace.pk for workspace in workspaces],
            task_id__gte=f"{day}-",
            task_id__lt=f"{day}.",
        )
        for task_id in ids.values_list("task_id", flat=True).distinct():
            number = task_id.removeprefix(f"{day}-")
            if number.isascii() and number.isdigit() and len(number) <= _DIGITS:
                yield int(number)


def is_used(workspace: Workspace, task_id: str) -> bool:
    """Tell whether a task or a step had this id at any time."""
    return any(
        model._default_manager.filter(workspace=workspace, task_id=task_id).exists()
        for model in (Handoff, HandoffStep)
    )


def handoffs_named(workspace: Workspace, name: str) -> list[Handoff]:
    """Return the handoffs of a task id, or else the one of a row's code."""
    known = Handoff.objects.filter(workspace=workspace, last_seq__isnull=True)
    known = known.select_related("workspace", "file", "topic")
    found = list(known.filter(task_id=name).order_by("first_seq", "position"))
    if found:
        return found
    try:
        return list(known.filter(pk=id_of(name)))
    except ValueError:
        return []


def away_ids(workspace: Workspace) -> Iterator[int]:
    """Give the rows of handoffs whose work is done in another workspace."""
    rows = Handoff.objects.filter(workspace=workspace, last_seq__isnull=True, away=True)
    yield from rows.values_list("pk", flat=True)
