"""Presenter of other programs' tasks in the columns of the board."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from memoryhub.formats.others import agent_team, beads
from memoryhub.handoffs.queries.foreign import ForeignTask, foreign_tasks
from memoryhub.journal.models import Workspace
from memoryhub.web.kit.frame import Shell

#: The programs that own the files, by format.
PROGRAMS: dict[str, Promise] = {
    beads.NAME: gettext_lazy("beads"),
    agent_team.NAME: gettext_lazy("Claude Code task"),
}
#: Most tasks of a column.
_SHOWN = 6


def foreign_shown(
    workspace: Workspace, shell: Shell, wanted: Callable[[ForeignTask], bool]
) -> dict[str, dict[str, Any]]:
    """Return the newest wanted tasks by state, and how many more there are."""
    columns = {
        state: list(filter(wanted, tasks))
        for state, tasks in foreign_tasks(workspace).items()
    }
    return {
        state: {
            "foreign": [_shown(task, shell) for task in tasks[:_SHOWN]],
            "foreign_more": max(0, len(tasks) - _SHOWN),
        }
        for state, tasks in columns.items()
        if tasks
    }


def _shown(task: ForeignTask, shell: Shell) -> dict[str, Any]:
    return {
        "task": task,
        "program": str(PROGRAMS[task.source]),
        "url": shell.addresses.file(task.path, line=task.line),
        "age": shell.clock.age(task.at),
        "iso": task.at.isoformat(),
    }
