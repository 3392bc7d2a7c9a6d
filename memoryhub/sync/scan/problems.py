"""Problems of scans: opened when first found, deleted when no longer found."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from memoryhub.journal.models import Problem, Workspace
from memoryhub.journal.prepared import Prepared
from memoryhub.sync.scan.walk import ScanProblem
from memoryhub.values.identity import derive


def note_problems(
    workspace: Workspace,
    problems: Iterable[ScanProblem],
    at: datetime,
    *,
    only: Collection[str] = (),
    but: Collection[str] = (),
) -> None:
    """Replace the workspace's scan problems by these; only differences are written.

    `only` limits this to some codes, `but` excludes some.
    """
    found = {_id_of(workspace, problem): problem for problem in problems}
    known = {
        row.pk: row
        for row in _OF_SCANS(workspace.pk)
        if row.code_name not in but and (not only or row.code_name in only)
    }
    if gone := known.keys() - found.keys():
        Problem.objects.filter(id__in=gone).delete()
    for row_id in found.keys() & known.keys():
        row = known[row_id]
        if row.parameters != parameters_of(found[row_id]):
            row.parameters = parameters_of(found[row_id])
            row.save(update_fields=["parameters"])
    if new := found.keys() - known.keys():
        Problem.objects.bulk_create(
            Problem(
                id=row_id,
                workspace=workspace,
                code_name=found[row_id].code,
                path=found[row_id].path,
                parameters=parameters_of(found[row_id]),
                run_number=workspace.last_run,
                recorded_at=at,
            )
            for row_id in sorted(new)
        )


_OF_SCANS: Prepared[Problem] = Prepared(
    lambda workspace_id: Problem.objects.filter(
        workspace_id=workspace_id, seq__isnull=True
    ),
    int,
)


def _id_of(workspace: Workspace, problem: ScanProblem) -> int:
    about = (problem.about,) if problem.about else ()
    key = ("scan", problem.path, problem.code, *about)
    return derive(workspace.uuid.bytes, "Problem", *key)


def parameters_of(problem: ScanProblem) -> dict[str, str]:
    """Return the parameters of the problem's text."""
    about = {"about": problem.about} if problem.about else {}
    return {"reason": problem.reason, **about, **problem.more}
