"""Task ids in use, and lookup of handoffs by id."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

from django.db.models import Q, QuerySet
from django.db.models.functions import Length

from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.queries.sides import of_sides, seen_from
from memoryhub.handoffs.rules.fields import can_differ_by_case
from memoryhub.journal.models import Workspace
from memoryhub.journal.prepared import Prepared
from memoryhub.values.identity import id_of

#: More digits than this are another numbering, not a day's count.
_DIGITS = 6
#: Ids fetched at a time; mostly the first one decides.
_CHUNK = 50


def last_number(workspaces: Sequence[Workspace], day: str) -> int:
    """Return the highest number used in a day's ids, ``YYYYMMDD-NN``; 0 if none.

    Steps of a task share its id, so only steps without a task are searched as well.
    """
    return max(
        _highest(rows, day)
        for one in workspaces
        for rows in (
            Handoff.objects.filter(workspace=one),
            Handoff.objects.filter(origin=one.slug),
            HandoffStep.objects.filter(handoff__isnull=True, workspace=one),
        )
    )


def _highest(rows: QuerySet[Any], day: str) -> int:
    """Return the highest number among a day's ids; 0 if none is a number."""
    found = (
        rows.filter(task_id__gte=f"{day}-", task_id__lt=f"{day}.")
        .alias(size=Length("task_id"))
        .filter(size__lte=len(day) + 1 + _DIGITS)
        .order_by("-size", "-task_id")
        .values_list("task_id", flat=True)
    )
    first = list(found[:_CHUNK])
    rest = found[_CHUNK:].iterator(_CHUNK) if len(first) == _CHUNK else ()
    numbers = (task_id.removeprefix(f"{day}-") for task_id in chain(first, rest))
    return next((int(n) for n in numbers if n.isascii() and n.isdigit()), 0)


def is_used(workspace: Workspace, task_id: str) -> bool:
    """Return whether a task or a step has ever had this id, or one sent elsewhere.

    In any case, as some systems would give both the same file.
    """
    case = "__iexact" if can_differ_by_case(task_id) else ""
    same = Q(**{f"task_id{case}": task_id})
    return (
        Handoff.objects.filter(same, workspace=workspace).exists()
        or HandoffStep.objects.filter(same, workspace=workspace).exists()
        or Handoff.objects.filter(same, origin=workspace.slug).exists()
    )


def ids_named(workspace: Workspace, name: str) -> list[int]:
    """Return the ids of handoffs in a workspace or sent from it, by their task id."""
    return _NAMED(workspace.pk, workspace.slug, name)


_NAMED: Prepared[int] = Prepared(
    lambda workspace_id, slug, name: (
        Handoff.objects.filter(
            Q(workspace_id=workspace_id) | Q(origin=slug),
            task_id=name,
            last_seq__isnull=True,
        )
        .order_by()
        .values_list("pk", flat=True)
    ),
    int,
    str,
    str,
)


def handoffs_named(workspace: Workspace, name: str) -> list[Handoff]:
    """Return the handoffs with a task id, else the one with that row code."""
    ids = ids_named(workspace, name)
    with suppress(ValueError):
        ids.append(id_of(name))
    alive = Handoff.objects.filter(pk__in=ids, last_seq__isnull=True)
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
