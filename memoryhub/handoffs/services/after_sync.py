"""Reconciliation of handoffs between workspaces whose files differ, after a sync.

A handoff to another workspace's agent that exists in one file alone is a problem: a
read never causes a write there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice

from memoryhub.disk.files import FileError
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules.acting import UNFINISHED, NotAllowed
from memoryhub.handoffs.services.lane import lanes
from memoryhub.handoffs.services.reconciling import reconcile
from memoryhub.handoffs.services.twins import pair_of, twin_path
from memoryhub.journal.models import Workspace
from memoryhub.journal.problems import TWIN_MISSING
from memoryhub.sync.scan.walk import ScanProblem
from memoryhub.values.identity import code_of

#: Why two files stay apart: no other file, a rule refuses, conflicting content.
GONE, REFUSED, APART = "twin-gone", "twin-refused", "twin-apart"
#: Most problems per sync for handoffs that are missing in the other workspace.
_MOST = 50


def reconcile_all(workspace: Workspace, at: datetime) -> list[ScanProblem]:
    """Reconcile all twins that differ; return problems for those that cannot be.

    Carries an edit by hand to the other file; files with equal content are not touched.
    """
    rows = Handoff.objects.select_related("workspace", "file")
    found = rows.filter(pk__in=list(_apart(workspace))).order_by("first_seq", "id")
    reconciled = [problem for handoff in found for problem in _reconciled(handoff, at)]
    return [*reconciled, *islice(_not_sent(workspace), _MOST)]


def _not_sent(workspace: Workspace) -> Iterator[ScanProblem]:
    """Yield a problem per handoff to another workspace without a twin there."""
    rows = Handoff.objects.filter(
        workspace=workspace,
        last_seq__isnull=True,
        state__in=UNFINISHED,
        twin="",
        recipient__contains="/",
    )
    said = rows.order_by("first_seq", "position").values_list(
        "pk", "recipient", "file__path"
    )
    others = Workspace.objects.exclude(pk=workspace.pk) if said else ()
    slugs = {other.slug for other in others}
    for row_id, recipient, path in said:
        slug, _, agent = recipient.partition("/")
        if agent and slug in slugs:
            yield ScanProblem(path, TWIN_MISSING, recipient, code_of(row_id))


def _apart(workspace: Workspace) -> Iterator[int]:
    """Yield row ids of handoffs that have no equal twin in the other workspace."""
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


def _reconciled(handoff: Handoff, at: datetime) -> Iterator[ScanProblem]:
    """Reconcile a handoff's files; yield the problem if that fails."""
    other = pair_of(handoff).other
    if other is None or _was_taken_away(handoff, other):
        if handoff.state in UNFINISHED:
            yield _problem(handoff, GONE)
        return
    try:
        with lanes(handoff.workspace, other):
            against: Sequence[Exception] = reconcile(handoff, at)
    except FileError as error:
        against = (error,)
    for first in against[:1]:
        yield _problem(handoff, _code_of(first))


def _was_taken_away(handoff: Handoff, other: Workspace) -> bool:
    """Return whether the other file existed once: removal may have been on purpose."""
    rows = Handoff.objects.filter(workspace=other, file__path=twin_path(handoff))
    return rows.exists() and not rows.filter(last_seq__isnull=True).exists()


def _code_of(error: Exception) -> str:
    if isinstance(error, FileError):
        return GONE
    return REFUSED if isinstance(error, NotAllowed) else APART


def _problem(handoff: Handoff, code: str) -> ScanProblem:
    return ScanProblem(handoff.file.path, code, handoff.twin)
