"""Problems of scans: opened when first found, deleted when no longer found."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from memoryhub.journal.models import Problem, Workspace
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
    stored = Problem.objects.filter(workspace=workspace, seq__isnull=True)
    stored = stored.filter(code_name__in=only) if only else stored
    stored = stored.exclude(code_name__in=but)
    known = set(stored.values_list("id", flat=True))
    if gone := known - found.keys():
        stored.filter(id__in=gone).delete()
    both = found.keys() & known
    for row in stored.filter(id__in=both) if both else ():
        if row.parameters != parameters_of(found[row.id]):
            row.parameters = parameters_of(found[row.id])
            row.save(update_fields=["parameters"])
    if new := found.keys() - known:
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


def _id_of(workspace: Workspace, problem: ScanProblem) -> int:
    about = (problem.about,) if problem.about else ()
    key = ("scan", problem.path, problem.code, *about)
    return derive(workspace.uuid.bytes, "Problem", *key)


def parameters_of(problem: ScanProblem) -> dict[str, str]:
    """Return the parameters of the problem's text."""
    about = {"about": problem.about} if problem.about else {}
    return {"reason": problem.reason, **about, **problem.more}
