"""Memory updates of results: written to the agents' memory and taken out again.

Follow-up edits of an operation are stored in its payload, and done also after a crash
in between: the next holder of the lane completes them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import Q

from memoryhub.dialects import handoff as handoff_format
from memoryhub.dialects.active_context import is_task_file
from memoryhub.dialects.agent_team import is_inbox
from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.handoffs.log_verbs import (
    ADD_MEMORY,
    REDONE,
    REVISE,
    SEND,
    SIGN,
    STEP,
    TAKE_BACK,
    UNREVISE,
    UNSEND,
)
from memoryhub.handoffs.models import Handoff
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.scopes import Scope, scope_to_write
from memoryhub.journal.verbs import Payload, verb_of
from memoryhub.journal.versions import newest_text
from memoryhub.sync.edit.editing import apply_edit, undo
from memoryhub.sync.edit.edits import (
    Conflict,
    Edit,
    undo_key,
)
from memoryhub.sync.edit.writing import read_newest
from memoryhub.values.identity import id_of

_THEN, _WORKSPACE = "then", "workspace"
#: Verbs whose operations are made in the lane.
IN_LANE = (SEND, STEP, SIGN, TAKE_BACK, UNSEND, REVISE, UNREVISE)


class Sequel(NamedTuple):
    """An edit that has to follow an operation, and its workspace."""

    workspace: Workspace
    edit: Edit


def with_sequel(payload: Payload, then: Sequel | None) -> Payload:
    """Add a required follow-up edit, if any, to an operation's payload."""
    if then is None:
        return payload
    return payload | {_THEN: then.edit.as_fields() | {_WORKSPACE: then.workspace.slug}}


def sequel_in(workspace: Workspace, payload: Payload) -> Sequel | None:
    """Return the edit that has to follow an operation of a workspace.

    None if there is none, or if its workspace is gone.
    """
    if not (said := payload.get(_THEN)):
        return None
    parts = {name: value for name, value in said.items() if name != _WORKSPACE}
    slug = said.get(_WORKSPACE, workspace.slug)
    place: Workspace | None = workspace
    if slug != workspace.slug:
        place = Workspace.objects.filter(slug=slug).first()
    return Sequel(place, Edit(**parts)) if place else None


def follow(operation: Operation, at: datetime) -> Operation | None:
    """Apply the edit that has to follow an operation; idempotent.

    Raises:
        Conflict, FormatError, FileError: as `apply_edit` raises them.
    """
    then = sequel_in(operation.workspace, operation.payload)
    return apply_edit(then.workspace, then.edit, clock=lambda: at) if then else None


def unfinished_sequel(workspace: Workspace) -> Sequel | None:
    """Return the follow-up of a lane's newest operation if a crash prevented it.

    Earlier operations have theirs: their caller or the next holder of the lane did it.
    """
    newest = next(iter(_NEWEST(workspace.pk)), None)
    then = sequel_in(workspace, newest) if newest else None
    if then is None:
        return None
    known = Operation.objects.filter(workspace=then.workspace, key=then.edit.key)
    return None if known.exists() else then


#: The payload of a lane's newest operation.
_NEWEST: Prepared[Payload] = Prepared(
    lambda workspace_id: (
        Operation.objects.filter(
            state=Operation.State.APPLIED, workspace_id=workspace_id, verb__in=IN_LANE
        )
        .order_by("-seq")
        .values_list("payload", flat=True)[:1]
    ),
    int,
)


def finish_sequel(workspace: Workspace, held: Collection[int]) -> None:
    """Apply a follow-up that a crash prevented, if its workspace's lane is held, too.

    Errors are for the original caller, not for the next one in the lane.
    """
    then = unfinished_sequel(workspace)
    if then is not None and then.workspace.pk in held:
        with suppress(Conflict, FormatError, FileError):
            apply_edit(then.workspace, then.edit)


def sequel_taken_back(workspace: Workspace, edit: Edit) -> Sequel | None:
    """Return the follow-up of the sending that an edit takes back, if it has one."""
    return sequel_in(workspace, edit.payload) if edit.verb == UNSEND else None


def take_back_sequel(workspace: Workspace, edit: Edit, at: datetime) -> None:
    """Take back the follow-up of a sending that an edit is about to take back.

    If killed in between, both handoffs exist and nothing is lost. If the handoff that
    was sent has moved on, its sending cannot be taken back, and nothing is done.

    Raises:
        Conflict, FormatError, FileError: as `undo` raises them.
    """
    sequel = sequel_taken_back(workspace, edit)
    if sequel is None:
        return
    text = read_newest(workspace, edit.path, at).text
    if verb_of(edit.verb).value(text, edit.payload) != edit.base:
        return
    applied = Operation.objects.filter(state=Operation.State.APPLIED)
    known = applied.filter(workspace=sequel.workspace, key=sequel.edit.key)
    if done := known.first():
        undo(sequel.workspace, done, edit.actor, clock=lambda: at)


#: A memory file named in an update's first line: the update's target.
_NAMED = re.compile(
    r"(?:^|[\s`(\[])(memor(?:y|ies)(?:/[\w@+-][\w.@+-]*)+\.md)\b", re.ASCII
)
#: A first line with nothing but a file name.
_ONLY_NAMED = re.compile(r"[\s`*#>-]*memor(?:y|ies)/[\w./@+-]+\.md[\s`*:]*", re.ASCII)
_STAGED, _WITHDRAWN = Operation.State.STAGED, Operation.State.WITHDRAWN


@dataclass(frozen=True, slots=True)
class Remembered:
    """The outcome of a memory update: written, `staged` for review, or `refused`.

    The result stands in any case.
    """

    path: str
    staged: bool = False
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Update:
    """The memory update of a handoff's result, for files of a workspace."""

    workspace: Workspace
    handoff: Handoff
    text: str

    def edit(self, actor: str, key: str, at: datetime) -> Edit:
        """Return the edit that appends it to its target file."""
        workspace = self.workspace
        today = at.astimezone(ZoneInfo(workspace.time_zone)).date()
        path, text = memory_place(workspace, self.text, today)
        said = {"row": self.handoff.code, "label": self.handoff.task_id, "text": text}
        return Edit(path, ADD_MEMORY, said, actor, key=key)

    def forget(self, actor: str, at: datetime) -> None:
        """Take out the text that was inserted last, if it is unchanged."""
        written = (operation for operation, undone in self._written() if not undone)
        if (operation := next(written, None)) is not None:
            with suppress(Conflict, FormatError, FileError):
                undo(self.workspace, operation, actor, clock=lambda: at)

    def bring_back(self, actor: str, key: str, at: datetime) -> None:
        """Insert the undone memory update again."""
        if any(undone for _, undone in self._written()):
            with suppress(Conflict, FormatError, FileError):
                edit = self.edit(actor, key, at)
                apply_edit(self.workspace, edit, clock=lambda: at)

    def left(self) -> Iterator[Remembered]:
        """Yield the files that still contain it, or whose removal is only staged."""
        workspace, count = self.workspace, verb_of(ADD_MEMORY).value
        for operation, undone in self._written():
            text = newest_text(workspace, operation.target)
            staged = undone is not None and undone.state == _STAGED
            if (staged or undone is None) and count(text, operation.payload):
                yield Remembered(operation.target, staged)

    def _written(self) -> Iterator[tuple[Operation, Operation | None]]:
        """Yield operations that inserted it, newest first, with each one's undo."""
        said = {
            "payload__row": self.handoff.code,
            "payload__text": _named(self.text)[1],
        }
        known = Operation.objects.filter(workspace=self.workspace)
        done = known.exclude(state=_WITHDRAWN)
        for operation in done.filter(verb=ADD_MEMORY, **said).order_by("-seq"):
            yield operation, done.filter(key=undo_key(operation.seq)).first()


def remembered(operation: Operation, at: datetime) -> Remembered | None:
    """Write the memory update of a result; return its outcome, None if it has none."""
    then = sequel_in(operation.workspace, operation.payload)
    if then is None:
        return None
    edit = then.edit
    try:
        written = follow(operation, at)
    except (Conflict, FormatError, FileError) as error:
        return Remembered(edit.path, refused=str(error))
    return Remembered(edit.path, bool(written and written.state == _STAGED))


def memory_place(workspace: Workspace, update: str, today: date) -> tuple[str, str]:
    """Return the target file of a memory update, and its text without the file name."""
    path, text = _named(update)
    if path:
        return path, text
    return f"{workspace.memory_folder}/{today.isoformat()}.md", text


def _named(update: str) -> tuple[str, str]:
    """Split a memory update into the named file, or "", and the text to write."""
    first, _, rest = update.strip().partition("\n")
    found = _NAMED.search(first)
    if not found or _is_kept_apart(found[1]):
        return "", update.strip()
    only = rest.strip() and _ONLY_NAMED.fullmatch(first)
    return found[1], rest.strip() if only else update.strip()


def takes_results(path: str, *, is_local: bool) -> bool:
    """Return whether a sender can name a file that gets the result of its handoff.

    Any inbox of an agent; a memory file only where the work is not `is_local`, since
    a result's `memory_update` is written to the memory of its own workspace.
    """
    if is_inbox(path):
        return True
    is_memory = bool(_NAMED.fullmatch(path)) and not _is_kept_apart(path)
    return is_memory and not is_local


def _is_kept_apart(path: str) -> bool:
    """Return whether a path is no memory file, such as a handoff log.

    Neither is one that a compaction overwrites with an agent's task.
    """
    if is_task_file(path):
        return True
    folder = f"{handoff_format.FOLDER}/"
    is_log = path.casefold().startswith(folder)
    return is_log or scope_to_write(path) is not Scope.MEMORY


def take_along(handoff: Handoff, edit: Edit, at: datetime) -> None:
    """Take out a result's memory update when it is taken back; insert it when redone.

    If the file has changed there, the text stays: see `left_behind`.
    """
    result = edit.payload.get("result") or {}
    if not result.get("memory_update"):
        return
    for update in _updates(handoff, result["memory_update"]):
        if edit.verb == TAKE_BACK:
            update.forget(edit.actor, at)
        elif edit.verb == STEP and edit.payload.get(REDONE):
            update.bring_back(edit.actor, f"{edit.key}-memory", at)


def left_behind(workspace: Workspace, operation: Operation) -> tuple[Remembered, ...]:
    """Return the remains of a withdrawn result's memory update."""
    result = operation.payload.get("result") or {}
    if operation.verb != STEP or not result.get("memory_update"):
        return ()
    handoff = _handoff_of(workspace, operation.payload)
    updates = _updates(handoff, result["memory_update"]) if handoff else ()
    return tuple(left for update in updates for left in update.left())


def _handoff_of(workspace: Workspace, payload: Payload) -> Handoff | None:
    rows = Handoff.objects.select_related("workspace")
    return rows.filter(workspace=workspace, pk=id_of(payload["row"])).first()


def _updates(handoff: Handoff, text: str) -> Iterator[Update]:
    """Yield the update for each workspace in which it can have been reported."""
    sides = Q(pk=handoff.workspace_id) | Q(slug=handoff.origin)
    for workspace in Workspace.objects.filter(sides):
        yield Update(workspace, handoff, text)
