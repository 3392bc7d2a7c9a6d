"""Follow-up edits of operations on handoffs, also done after a crash in between.

Stored in the operation's payload; the next holder of the lane completes them.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.handoffs.log_verbs import SEND, SIGN, STEP, TAKE_BACK, UNSEND
from memoryhub.handoffs.task_verbs import REVISE, UNREVISE
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.verbs import Payload, verb_of
from memoryhub.sync.edit.editing import apply_edit, undo
from memoryhub.sync.edit.edits import Conflict, Edit
from memoryhub.sync.edit.writing import read_newest

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
    newest = _NEWEST(workspace.pk)
    then = sequel_in(workspace, newest[0]) if newest else None
    if then is None:
        return None
    known = Operation.objects.filter(workspace=then.workspace, key=then.edit.key)
    return None if known.exists() else then


#: The payload of a lane's newest operation.
_NEWEST: Prepared[Payload] = Prepared(
    lambda workspace_id: (
        Operation.objects.filter(
            workspace_id=workspace_id, verb__in=IN_LANE, state=Operation.State.APPLIED
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
