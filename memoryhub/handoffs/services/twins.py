"""Handoffs between workspaces: one conversation with a file in each.

The work is done in the recipient's workspace, whose lane decides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from memoryhub.formats.hub import handoff as handoff_format
from memoryhub.formats.hub.handoff import Task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules.acting import standing
from memoryhub.journal.models import Workspace
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit


@dataclass(frozen=True, slots=True)
class Pair:
    """The workspace of a handoff, and that of its twin if it has one."""

    workspace: Workspace
    other: Workspace | None = None

    @property
    def others(self) -> tuple[Workspace, ...]:
        return (self.other,) if self.other else ()

    def twin(self, task_id: str) -> str:
        """Return the twin's name, ``slug/task_id``, or ""."""
        return f"{self.other.slug}/{task_id}" if self.other else ""


def pair_for(workspace: Workspace, task: Task) -> Pair:
    """Return the workspaces of a task; a recipient can be ``workspace/agent``."""
    slug, slash, agent = task.recipient.partition("/")
    if not slash or not agent:
        return Pair(workspace)
    return Pair(workspace, Workspace.objects.filter(slug=slug).first())


def at_home(workspace: Workspace, task: Task) -> Task:
    """Return a task without its own workspace's prefix in the recipient."""
    own = f"{workspace.slug}/"
    return replace(task, recipient=task.recipient.strip().removeprefix(own))


def pair_of(handoff: Handoff) -> Pair:
    """Return the workspaces of a handoff."""
    if not handoff.twin:
        return Pair(handoff.workspace)
    other = Workspace.objects.filter(slug=handoff.twin_slug).first()
    return Pair(handoff.workspace, other)


def twin_of(handoff: Handoff) -> Handoff | None:
    """Return the twin's row, if there is one."""
    pair = pair_of(handoff)
    if pair.other is None:
        return None
    return (
        Handoff.objects.select_related("workspace", "file")
        .filter(
            workspace=pair.other,
            task_id=handoff.twin.partition("/")[2],
            last_seq__isnull=True,
            file__path=twin_path(handoff),
        )
        .first()
    )


def take_back_there(handoff: Handoff, edit: Edit) -> None:
    """Apply in the twin's workspace an edit that is about to be taken back in this one.

    If killed in between, the next change inserts it into the other file again: then
    nothing was taken back.

    Raises:
        Conflict: the other file has later steps.
    """
    twin = twin_of(handoff)
    if twin is None or edit.payload.get("of_twin") or edit.base != handoff.standing:
        return
    here, there = handoff.workspace, twin.workspace
    lines = [
        {**line, "actor": called(line["actor"], here, there)}
        for line in edit.payload["lines"]
    ]
    payload = edit.payload | {"lines": lines, "row": twin.code, "of_twin": True}
    base = standing(handoff.moves, handoff.last_verb, lines[-1]["actor"])
    apply_edit(there, Edit(twin.file.path, edit.verb, payload, edit.actor, base))


def twin_path(handoff: Handoff) -> str:
    """Return the path of the twin's file in its workspace."""
    return handoff_format.path_of(handoff.twin.partition("/")[2])


def called(name: str, here: Workspace, there: Workspace) -> str:
    """Return the name of one workspace's agent as seen from the other."""
    whole = name if "/" in name else f"{here.slug}/{name}"
    return whole.removeprefix(f"{there.slug}/")
