"""Which file has the task that an agent works on.

context-memory-optimizer has one, ``memories/context.md``, for the one agent of its
folder; here several agents can share a workspace.
"""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q

from memoryhub.dialects.active_context import TASK_FILE, task_file_of
from memoryhub.events.models import Event
from memoryhub.journal.models import Agent, Operation, Workspace
from memoryhub.journal.versions import is_known


class TaskFile(NamedTuple):
    """The file with an agent's task; `agent` is whose it is, "" if nobody knows."""

    path: str
    agent: str


def task_file_to_write(workspace: Workspace, agent: str) -> str:
    """Return the path of an agent's task: its own file once there are several agents.

    The skill's one file stays that of an agent that is alone in the workspace.
    """
    own = task_file_of(agent)
    if not agent or is_known(workspace, own):
        return own
    others = {_writer_of(workspace, TASK_FILE)} - {"", agent}
    return own if others or _has_others(workspace, agent) else TASK_FILE


def task_file_to_read(workspace: Workspace, agent: str) -> TaskFile:
    """Return the file with an agent's task; never that of another agent."""
    own = task_file_of(agent)
    if own != TASK_FILE and is_known(workspace, own):
        return TaskFile(own, agent)
    writer = _writer_of(workspace, TASK_FILE)
    is_ours = not agent or writer in ("", agent)
    return TaskFile(TASK_FILE, writer) if is_ours else TaskFile(own, agent)


def _writer_of(workspace: Workspace, path: str) -> str:
    """Return who wrote a task file last through the hub; "" if nobody did."""
    written = Operation.objects.filter(
        workspace=workspace, target=path, verb="replace_file"
    )
    done = written.exclude(state=Operation.State.WITHDRAWN).order_by("-seq")
    return done.values_list("actor", flat=True).first() or ""


def _has_others(workspace: Workspace, agent: str) -> bool:
    """Return whether files declare other agents, or others did something."""
    others = Agent.objects.filter(workspace=workspace).exclude(name=agent)
    acted = Event.objects.filter(agent=OuterRef("pk"))
    return others.filter(Q(declared=True) | Exists(acted)).exists()
