"""Problems as pages show them: in words, each with what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from memoryhub.wording import problem_text
from memoryhub.workspaces.models import Workspace
from memoryhub.workspaces.problems import LOG_SHRANK
from memoryhub.workspaces.queries import ProblemRow
from memoryhub.workspaces.shell import Shell
from memoryhub.workspaces.versions import known_paths


@dataclass(frozen=True, slots=True)
class ShownProblem:
    """A problem with the address of what it is about and of what helps."""

    path: str
    place: str
    text: str
    url: str
    action: str
    action_url: str
    since: str
    run: int | None
    run_url: str


def shown_problems(
    workspace: Workspace, rows: Sequence[ProblemRow], shell: Shell
) -> list[ShownProblem]:
    """Return problems in words; files that were never read have no page to open."""
    known = known_paths(workspace, {row.path for row in rows}) if rows else set()
    return [_shown(row, shell, known=row.path in known) for row in rows]


def _shown(row: ProblemRow, shell: Shell, *, known: bool) -> ShownProblem:
    addresses = shell.addresses
    url = addresses.file(row.path, line=row.line) if known else ""
    action, action_url = (gettext("Open"), url) if known else ("", "")
    seq = row.parameters.get("seq")
    if known and row.code == LOG_SHRANK and isinstance(seq, int):
        action = gettext("See the lost lines")
        action_url = addresses.file(row.path, view="history", vs=seq)
    line = gettext("line %(n)s") % {"n": row.line} if row.line else ""
    return ShownProblem(
        path=row.path,
        place=line,
        text=problem_text(row.code, row.parameters),
        url=url,
        action=action,
        action_url=action_url,
        since=shell.clock.moment(row.recorded_at),
        run=row.run_number,
        run_url=addresses.run(row.run_number) if row.run_number else "",
    )
