"""Handoffs between workspaces whose two files differ: made good after a sync."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from memoryhub.files import FileError
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules import UNFINISHED, NotAllowed
from memoryhub.handoffs.services_lane import lanes
from memoryhub.handoffs.services_level import level
from memoryhub.handoffs.services_twins import pair_of, twin_path
from memoryhub.sync.scan import ScanProblem
from memoryhub.workspaces.models import Workspace

#: What keeps two files apart: no other file, the rules, what is said in it.
GONE, REFUSED, APART = "twin-gone", "twin-refused", "twin-apart"


def level_all(workspace: Workspace, at: datetime) -> list[ScanProblem]:
    """Have what one file of a handoff says in the other, too; return what cannot be.

    An edit by hand is so carried over; files that say the same are not touched.
    """
    rows = Handoff.objects.select_related("workspace", "file")
    found = rows.filter(pk__in=list(_apart(workspace))).order_by("first_seq", "id")
    return [problem for handoff in found for problem in _levelled(handoff, at)]


def _apart(workspace: Workspace) -> Iterator[int]:
    """Give the rows of handoffs of which the other workspace has not the same."""
    alive = Handoff.objects.filter(last_seq__isnull=True).exclude(twin="")
    here = alive.filter(workspace=workspace)
    mine = list(here.values_list("pk", "task_id", "twin", "said_key"))
    if not mine:
        return
    slugs = {twin.partition("/")[0] for _, _, twin, _ in mine}
    theirs = alive.filter(workspace__slug__in=slugs)
    theirs = theirs.filter(twin__startswith=f"{workspace.slug}/")
    columns = ("workspace__slug", "task_id", "twin", "said_key")
    known = set(theirs.values_list(*columns))
    for row_id, task_id, twin, said in mine:
        slug, _, name = twin.partition("/")
        if (slug, name, f"{workspace.slug}/{task_id}", said) not in known:
            yield row_id


def _levelled(handoff: Handoff, at: datetime) -> Iterator[ScanProblem]:
    """Bring a handoff's files together; give what is against it."""
    other = pair_of(handoff).other
    if other is None or _was_taken_away(handoff, other):
        if handoff.state in UNFINISHED:
            yield _problem(handoff, GONE)
        return
    try:
        with lanes(handoff.workspace, other):
            against: Sequence[Exception] = level(handoff, at)
    except FileError as error:
        against = (error,)
    for first in against[:1]:
        yield _problem(handoff, _code_of(first))


def _was_taken_away(handoff: Handoff, other: Workspace) -> bool:
    """Tell whether the other file was there once: a person may have wanted that."""
    rows = Handoff.objects.filter(workspace=other, file__path=twin_path(handoff))
    return rows.exists() and not rows.filter(last_seq__isnull=True).exists()


def _code_of(error: Exception) -> str:
    if isinstance(error, FileError):
        return GONE
    return REFUSED if isinstance(error, NotAllowed) else APART


def _problem(handoff: Handoff, code: str) -> ScanProblem:
    return ScanProblem(handoff.file.path, code, handoff.twin)
