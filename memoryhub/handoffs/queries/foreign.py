"""Tasks of other programs for the board: issues of beads, tasks of Claude Code.

They are open items of files that the other program owns: the hub never writes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from memoryhub.dialects.registry import DIALECTS
from memoryhub.handoffs.rules.acting import BLOCKED, DONE, IN_PROGRESS, OPEN
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.sync.edit.gate import PRIVATE
from snapshots.models import NEWEST_FIRST, OpenItem, Ownership

#: Formats of the files, in the order of the board.
SOURCES = tuple(dialect.name for dialect in DIALECTS if dialect.program)
#: Most tasks that are read, newest first.
_MOST = 2_000
#: Rules that give a task without an owner to the agent of the workspace.
_GUESSED = (Ownership.WORKSPACE, Ownership.ONLY)
#: States by the mark of the open item.
_STATES = {"/": IN_PROGRESS, "!": BLOCKED}


class ForeignTask(NamedTuple):
    """A task of another program; `source` is the format of its file."""

    text: str
    agent: str
    state: str
    source: str
    path: str
    line: int
    at: datetime


def foreign_tasks(workspace: Workspace) -> Mapping[str, tuple[ForeignTask, ...]]:
    """Return the tasks by the board's states, newest first; private files have none."""
    found: Mapping[str, tuple[ForeignTask, ...]] = cached(
        workspace, "foreign tasks", lambda: _by_state(workspace)
    )
    return found


def _by_state(workspace: Workspace) -> dict[str, tuple[ForeignTask, ...]]:
    rows = (
        OpenItem.objects.filter(
            workspace=workspace,
            last_seq__isnull=True,
            file__present=True,
            file__format__in=SOURCES,
        )
        .exclude(file__path__iexact=PRIVATE)
        .order_by(*NEWEST_FIRST)
        .values_list(
            "text",
            "agent__name",
            "agent_rule",
            "done",
            "mark",
            "file__format",
            "file__path",
            "first_line",
            "occurred_at",
        )
    )
    found: dict[str, list[ForeignTask]] = {}
    for text, agent, rule, done, mark, source, path, line, at in rows[:_MOST]:
        state = DONE if done else _STATES.get(mark, OPEN)
        owner = "" if rule in _GUESSED else agent or ""
        task = ForeignTask(text, owner, state, source, path, line, at)
        found.setdefault(state, []).append(task)
    return {state: tuple(tasks) for state, tasks in found.items()}
