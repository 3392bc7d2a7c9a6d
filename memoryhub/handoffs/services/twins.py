"""Handoffs between workspaces: one conversation with a file in each.

The work is done where the recipient is, and that workspace's lane decides.
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
    """The workspace of a handoff, and the other one where it has two."""

    workspace: Workspace
    other: Workspace | None = None

    @property
    def others(self) -> tuple[Workspace, ...]:
        return (self.other,) if self.other else ()

    def twin(self, task_id: str) -> str:
        """Return how the handoff in the other workspace is named, if there is one."""
        return f"{self.other.slug}/{task_id}" if self.other else ""


def pair_for(workspace: Workspace, task: Task) -> Pair:
    """Return where a task goes: ``workspace/agent`` names an agent of another one."""
    slug, slash, agent = task.recipient.partition("/")
    if not slash or not agent:
        return Pair(workspace)
    return Pair(workspace, Workspace.objects.filter(slug=slug).first())


def at_home(workspace: Workspace, task: Task) -> Task:
    """Return a task whose recipient is called as in its own workspace."""
    own = f"{workspace.slug}/"
    return replace(task, recipient=task.recipient.strip().removeprefix(own))


def pair_of(handoff: Handoff) -> Pair:
    """Return the workspaces that have a handoff."""
    if not handoff.twin:
        return Pair(handoff.workspace)
    other = Workspace.objects.filter(slug=handoff.twin_slug).first()
    return Pair(handoff.workspace, other)


def twin_of(handoff: Handoff) -> Handoff | None:
    """Return the row of the same handoff in the other workspace."""
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
    """Do in the other workspace what is about to be taken back in this one.

    Killed in between, the next change puts it into the other file again: then nothing
    was taken back.

    Raises:
        Conflict: the other file says more by now.
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
    """Return where the other workspace has its file of a handoff."""
    return handoff_format.path_of(handoff.twin.partition("/")[2])


def called(name: str, here: Workspace, there: Workspace) -> str:
    """Return how an agent of one workspace is called in the other."""
    whole = name if "/" in name else f"{here.slug}/{name}"
    return whole.removeprefix(f"{there.slug}/")
