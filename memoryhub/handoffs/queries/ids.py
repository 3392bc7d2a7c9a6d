"""Task ids in use, and lookup of handoffs by id."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
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
        _highest(ids, place, day)
        for one in workspaces
        for ids, place in ((_TASKS, one.pk), (_SENT, one.slug), (_STEPS, one.pk))
    )


class _Ids:
    """Ids of a day among some rows: the longest first, then the highest."""

    def __init__(self, rows: Callable[[Any], QuerySet[Any]], kind: type) -> None:
        self._rows = rows
        self._first: Prepared[str] = Prepared(
            lambda place, *day: self._of(place, *day)[:_CHUNK], kind, str, str, int
        )

    def of_day(self, place: int | str, day: str) -> Iterable[str]:
        """Yield the ids of a day in a workspace, by its key or its slug."""
        asked = (f"{day}-", f"{day}.", len(day) + 1 + _DIGITS)
        first = self._first(place, *asked)
        yield from first
        if len(first) == _CHUNK:
            yield from self._of(place, *asked)[_CHUNK:].iterator(_CHUNK)

    def _of(self, place: int | str, start: str, end: str, size: int) -> QuerySet[Any]:
        rows: QuerySet[Any] = self._rows(place)
        found: QuerySet[Any] = (
            rows.filter(task_id__gte=start, task_id__lt=end)
            .alias(size=Length("task_id"))
            .filter(size__lte=size)
            .order_by("-size", "-task_id")
            .values_list("task_id", flat=True)
        )
        return found


_TASKS = _Ids(lambda place: Handoff.objects.filter(workspace_id=place), int)
_SENT = _Ids(lambda slug: Handoff.objects.filter(origin=slug), str)
_STEPS = _Ids(
    lambda place: HandoffStep.objects.filter(handoff__isnull=True, workspace_id=place),
    int,
)


def _highest(ids: _Ids, place: int | str, day: str) -> int:
    """Return the highest number among ids; 0 if none is a number."""
    numbers = (task_id.removeprefix(f"{day}-") for task_id in ids.of_day(place, day))
    return next((int(n) for n in numbers if n.isascii() and n.isdigit()), 0)


def is_used(workspace: Workspace, task_id: str) -> bool:
    """Return whether a task or a step has ever had this id, or one sent elsewhere.

    In any case, as some systems would give both the same file.
    """
    if not can_differ_by_case(task_id):
        return bool(
            _USED(workspace.pk, workspace.slug, task_id)
            or _USED_STEP(workspace.pk, task_id)
        )
    same = {"task_id__iexact": task_id}
    here = {"workspace": workspace, **same}
    return (
        Handoff.objects.filter(**here).exists()
        or HandoffStep.objects.filter(**here).exists()
        or Handoff.objects.filter(origin=workspace.slug, **same).exists()
    )


_USED: Prepared[int] = Prepared(
    lambda workspace_id, slug, task_id: (
        Handoff.objects.filter(
            Q(workspace_id=workspace_id) | Q(origin=slug), task_id=task_id
        )
        .order_by()
        .values_list("pk", flat=True)[:1]
    ),
    int,
    str,
    str,
)
_USED_STEP: Prepared[int] = Prepared(
    lambda workspace_id, task_id: (
        HandoffStep.objects.filter(workspace_id=workspace_id, task_id=task_id)
        .order_by()
        .values_list("pk", flat=True)[:1]
    ),
    int,
    str,
)


_NAMED: Prepared[int] = Prepared(
    lambda workspace_id, slug, task_id: (
        Handoff.objects.filter(
            Q(workspace_id=workspace_id) | Q(origin=slug),
            task_id=task_id,
            last_seq__isnull=True,
        )
        .order_by()
        .values_list("pk", flat=True)
    ),
    int,
    str,
    str,
)


def ids_named(workspace: Workspace, name: str) -> list[int]:
    """Return the ids of handoffs in a workspace or sent from it, by their task id."""
    return _NAMED(workspace.pk, workspace.slug, name)


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
