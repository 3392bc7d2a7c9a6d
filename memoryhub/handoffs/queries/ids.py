"""Task ids in use, and lookup of handoffs by id."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from django.db.models import Q, QuerySet
from django.db.models.functions import Length

from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.queries.sides import of_sides, seen_from
from memoryhub.handoffs.rules.ids import can_differ_by_case
from memoryhub.journal.models import Workspace
from memoryhub.values.identity import id_of

#: More digits than this are another numbering, not a day's count.
_DIGITS = 6
#: Ids fetched at a time; mostly the first one decides.
_CHUNK = 50


def last_number(workspaces: Sequence[Workspace], day: str) -> int:
    """Return the highest number used in a day's ids, ``YYYYMMDD-NN``; 0 if none.

    Steps of a task share its id, so only steps without a task are searched as well.
    """
    here = {"workspace__in": workspaces}
    tasks = Handoff.objects.filter(**here)
    sent = Handoff.objects.filter(origin__in=[one.slug for one in workspaces])
    steps = HandoffStep.objects.filter(handoff__isnull=True, **here)
    return max(_highest(rows, day) for rows in (tasks, sent, steps))


def _highest(rows: QuerySet[Handoff] | QuerySet[HandoffStep], day: str) -> int:
    """Return the highest number among ids: the longest first, then the highest."""
    prefix = f"{day}-"
    ids = (
        rows.filter(task_id__gte=prefix, task_id__lt=f"{day}.")
        .alias(size=Length("task_id"))
        .filter(size__lte=len(prefix) + _DIGITS)
        .order_by("-size", "-task_id")
        .values_list("task_id", flat=True)
    )
    numbers = (task_id.removeprefix(prefix) for task_id in ids.iterator(_CHUNK))
    return next((int(n) for n in numbers if n.isascii() and n.isdigit()), 0)


def is_used(workspace: Workspace, task_id: str) -> bool:
    """Return whether a task or a step has ever had this id, or one sent elsewhere.

    In any case, as some systems would give both the same file.
    """
    same = {"task_id": task_id}
    if can_differ_by_case(task_id):
        same = {"task_id__iexact": task_id}
    here = {"workspace": workspace, **same}
    return (
        Handoff.objects.filter(**here).exists()
        or HandoffStep.objects.filter(**here).exists()
        or Handoff.objects.filter(origin=workspace.slug, **same).exists()
    )


def handoffs_named(workspace: Workspace, name: str) -> list[Handoff]:
    """Return the handoffs with a task id, else the one with that row code."""
    named = Q(task_id=name)
    with suppress(ValueError):
        named |= Q(pk=id_of(name))
    alive = Handoff.objects.filter(named, last_seq__isnull=True)
    known = alive.select_related("workspace", "file", "topic")
    rows = of_sides(known, [workspace]).order_by("first_seq", "position")
    found = seen_from([workspace], rows)
    if not found and (copy := alive.filter(workspace=workspace).first()):
        return handoffs_named(workspace, copy.task_id)
    return [row for row in found if row.task_id == name] or found


def past_handoff(workspace: Workspace, code: str) -> Handoff | None:
    """Return the handoff with a row code that is no longer in any file."""
    try:
        row = id_of(code)
    except ValueError:
        return None
    past = Handoff.objects.filter(pk=row, last_seq__isnull=False)
    return of_sides(past.select_related("workspace", "file"), [workspace]).first()
