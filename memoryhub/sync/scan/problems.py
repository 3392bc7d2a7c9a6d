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
    met = {_id_of(workspace, problem): problem for problem in problems}
    stored = Problem.objects.filter(workspace=workspace, seq__isnull=True)
    stored = stored.filter(code_name__in=only) if only else stored
    stored = stored.exclude(code_name__in=but)
    known = set(stored.values_list("id", flat=True))
    if gone := known - met.keys():
        stored.filter(id__in=gone).delete()
    for row in stored.filter(id__in=met.keys() & known):
        if row.parameters != _parameters(met[row.id]):
            row.parameters = _parameters(met[row.id])
            row.save(update_fields=["parameters"])
    if new := met.keys() - known:
        Problem.objects.bulk_create(
            Problem(
                id=row_id,
                workspace=workspace,
                code_name=met[row_id].code,
                path=met[row_id].path,
                parameters=_parameters(met[row_id]),
                run_number=workspace.last_run,
                recorded_at=at,
            )
            for row_id in sorted(new)
        )


def _id_of(workspace: Workspace, problem: ScanProblem) -> int:
    about = (problem.about,) if problem.about else ()
    key = ("scan", problem.path, problem.code, *about)
    return derive(workspace.uuid.bytes, "Problem", *key)


def _parameters(problem: ScanProblem) -> dict[str, str]:
    about = {"about": problem.about} if problem.about else {}
    return {"reason": problem.reason, **about, **problem.more}
