"""Handoffs between workspaces: one conversation with a file in each.

The work is done where the recipient is, and that workspace's lane decides. Whatever
one file says and the other does not is put behind what the other says, so a crash
between the two, or an edit by hand, is made good by the next change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from memoryhub.formats import handoff as handoff_format
from memoryhub.formats.base import NOWHERE, FormatError
from memoryhub.formats.handoff import (
    Fields,
    HandoffDocument,
    LogLine,
    Result,
    Task,
    render_log_line,
)
from memoryhub.handoffs.log_verbs import SEND, STEP, step_payload, task_payload
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules import standing
from memoryhub.handoffs.services_rows import certain
from memoryhub.sync.edits import Edit, apply_edit
from memoryhub.sync.writing import read_newest
from memoryhub.workspaces.models import Workspace

Item = TypeVar("Item", bound=Hashable)


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
            file__path=_twin_path(handoff),
        )
        .first()
    )


def level(handoff: Handoff, at: datetime) -> None:
    """Have both files of a handoff say the same; the caller is in both lanes."""
    pair = pair_of(handoff)
    if pair.other is None:
        return
    here = _Side(pair.workspace, handoff.file.path, at)
    there = _Side(pair.other, _twin_path(handoff), at)
    here.tell(there)
    there.tell(here)


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
        {**line, "actor": _called(line["actor"], here, there)}
        for line in edit.payload["lines"]
    ]
    payload = edit.payload | {"lines": lines, "row": twin.code, "of_twin": True}
    base = standing(handoff.moves, handoff.last_verb, lines[-1]["actor"])
    apply_edit(there, Edit(twin.file.path, edit.verb, payload, edit.actor, base))


def _twin_path(handoff: Handoff) -> str:
    return handoff_format.path_of(handoff.twin.partition("/")[2])


@dataclass(frozen=True, slots=True)
class _Side:
    """The file of a handoff in one of its workspaces."""

    workspace: Workspace
    path: str
    at: datetime

    def read(self) -> HandoffDocument:
        return handoff_format.parse(
            read_newest(self.workspace, self.path, self.at).text
        )

    def tell(self, other: _Side) -> None:
        """Put what this file says and the other does not behind what that says."""
        mine, theirs = self.read(), other.read()
        lines, results = _missing(self._as_seen_from(other, mine), theirs)
        if not mine.tasks or not (lines or results):
            return
        task = self._renamed(other, mine.tasks[0])
        # An open write beside another, or an odd file, is for people to sort out.
        with suppress(FormatError):
            if not theirs.tasks:
                twin = f"{self.workspace.slug}/{task.task_id}"
                other.make(task, replace(mine.fields, twin=twin), lines)
                lines = []
            if lines or results:
                other.step(task, lines, results)

    def make(self, task: Task, fields: Fields, lines: list[LogLine]) -> None:
        payload = task_payload(task, fields) | step_payload(*lines)
        self._write(SEND, payload, task.sender)

    def step(self, task: Task, lines: list[LogLine], results: list[Result]) -> None:
        said = task_payload(Task(task.task_id, "", "", ""), Fields())
        base = said | {"row": self._row(task.task_id).code, "label": task.context}
        actor = lines[-1].actor if lines else task.recipient
        for result in results[:-1]:
            self._write(STEP, base | step_payload(result=result), actor)
        newest = results[-1] if results else None
        self._write(STEP, base | step_payload(*lines, result=newest), actor)

    def _row(self, task_id: str) -> Handoff:
        """Return the row of a handoff; raise `FormatError` where it has another id."""
        rows = Handoff.objects.filter(workspace=self.workspace, last_seq__isnull=True)
        with certain(self.workspace):
            row = rows.filter(task_id=task_id, file__path=self.path).first()
        if row is None:
            raise FormatError("row-unknown", row=task_id)
        return row

    def _write(self, verb: str, payload: dict[str, object], actor: str) -> None:
        edit = Edit(self.path, verb, payload, actor)
        apply_edit(self.workspace, edit, clock=lambda: self.at)

    def _as_seen_from(self, other: _Side, document: HandoffDocument) -> HandoffDocument:
        here, there = self.workspace, other.workspace
        log = [
            replace(line, actor=_called(line.actor, here, there), lines=NOWHERE)
            for line in document.log
        ]
        return replace(document, log=tuple(log))

    def _renamed(self, other: _Side, task: Task) -> Task:
        here, there = self.workspace, other.workspace
        return replace(
            task,
            sender=_called(task.sender, here, there),
            recipient=_called(task.recipient, here, there),
            lines=NOWHERE,
            problems=(),
        )


def _called(name: str, here: Workspace, there: Workspace) -> str:
    """Return how an agent of one workspace is called in the other."""
    own = f"{there.slug}/"
    if name.startswith(own):
        return name.removeprefix(own)
    return name if "/" in name else f"{here.slug}/{name}"


def _missing(
    said: HandoffDocument, known: HandoffDocument
) -> tuple[list[LogLine], list[Result]]:
    """Return what a document says and another does not, however often."""
    lines = Counter(map(render_log_line, known.log))
    results = Counter(map(_plain, known.results))
    return (
        [line for line in said.log if not _taken(lines, render_log_line(line))],
        [r for r in map(_plain, said.results) if not _taken(results, r)],
    )


def _taken(left: Counter[Item], item: Item) -> bool:
    """Take an item out of those that are left, if it is one of them."""
    found = left[item] > 0
    left[item] -= found
    return found


def _plain(result: Result) -> Result:
    return replace(result, lines=NOWHERE, problems=())
