"""Which ids of tasks are taken in workspaces, and which handoffs have one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from django.db.models import Q, QuerySet
from django.db.models.functions import Length

from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.journal.models import Workspace
from memoryhub.values.identity import id_of

#: Numbers of more digits are somebody's own ids, not a count of a day's tasks.
_DIGITS = 6
#: Ids that are read at a time; the first is mostly the one.
_CHUNK = 50


def last_number(workspaces: Sequence[Workspace], day: str) -> int:
    """Return the highest number that an id of a day, ``YYYYMMDD-NN``, has had so far.

    It is 0 before the first. Steps of a task have its id, so only those without one
    are asked for theirs.
    """
    tasks = Handoff.objects.all()
    steps = HandoffStep.objects.filter(handoff__isnull=True)
    return max(_highest(rows, workspaces, day) for rows in (tasks, steps))


def _highest(
    rows: QuerySet[Handoff] | QuerySet[HandoffStep],
    workspaces: Sequence[Workspace],
    day: str,
) -> int:
    """Return the first id that is a number, of the longest and highest ones first."""
    prefix = f"{day}-"
    ids = (
        rows.filter(workspace__in=workspaces, task_id__gte=prefix)
        .filter(task_id__lt=f"{day}.")
        .alias(size=Length("task_id"))
        .filter(size__lte=len(prefix) + _DIGITS)
        .order_by("-size", "-task_id")
        .values_list("task_id", flat=True)
    )
    numbers = (task_id.removeprefix(prefix) for task_id in ids.iterator(_CHUNK))
    return next((int(n) for n in numbers if n.isascii() and n.isdigit()), 0)


def is_used(workspace: Workspace, task_id: str) -> bool:
    """Tell whether a task or a step had this id at any time."""
    return any(
        model._default_manager.filter(workspace=workspace, task_id=task_id).exists()
        for model in (Handoff, HandoffStep)
    )


def handoffs_named(workspace: Workspace, name: str) -> list[Handoff]:
    """Return the handoffs of a task id, or else the one of a row's code."""
    # The workspace stands in each part, so that each is looked up in an index.
    named = Q(workspace=workspace, task_id=name)
    with suppress(ValueError):
        named |= Q(workspace=workspace, pk=id_of(name))
    known = Handoff.objects.filter(named, last_seq__isnull=True)
    known = known.select_related("workspace", "file", "topic")
    found = list(known.order_by("first_seq", "position"))
    return [row for row in found if row.task_id == name] or found


def past_handoff(workspace: Workspace, code: str) -> Handoff | None:
    """Return the handoff of a row's code that no file has any longer."""
    try:
        row = id_of(code)
    except ValueError:
        return None
    past = Handoff.objects.filter(workspace=workspace, last_seq__isnull=False)
    return past.select_related("file").filter(pk=row).first()
