"""Follow-up edits of operations on handoffs, also done after a crash in between.

Stored in the operation's payload; the next holder of the lane completes them.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from datetime import datetime

from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.handoffs.log_verbs import SEND, SIGN, STEP, TAKE_BACK, UNSEND
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.verbs import Payload, verb_of
from memoryhub.sync.edit.editing import apply_edit, undo
from memoryhub.sync.edit.edits import Conflict, Edit
from memoryhub.sync.edit.writing import read_newest

_THEN = "then"
_IN_LANE = (SEND, STEP, SIGN, TAKE_BACK, UNSEND)


def with_sequel(payload: Payload, edit: Edit | None) -> Payload:
    """Add an edit that has to follow to an operation's payload, if there is one."""
    return payload | {_THEN: asdict(edit)} if edit else payload


def sequel_of(operation: Operation) -> Edit | None:
    """Return the edit that has to follow an operation."""
    said = operation.payload.get(_THEN)
    return Edit(**said) if said else None


def follow(operation: Operation, at: datetime) -> Operation | None:
    """Apply the edit that has to follow an operation; idempotent.

    Raises:
        Conflict, FormatError, FileError: as `apply_edit` raises them.
    """
    edit = sequel_of(operation)
    if edit is None:
        return None
    return apply_edit(operation.workspace, edit, clock=lambda: at)


def finish_sequel(workspace: Workspace) -> None:
    """Apply the follow-up of a lane's newest operation if a crash prevented it.

    Earlier operations have theirs: their caller or the next holder of the lane did it.
    """
    done = Operation.objects.filter(workspace=workspace, verb__in=_IN_LANE)
    newest = done.filter(state=Operation.State.APPLIED).order_by("-seq").first()
    edit = sequel_of(newest) if newest else None
    if edit is None or Operation.objects.filter(workspace=workspace, key=edit.key):
        return
    # Errors are for the original caller, not for the next one in the lane.
    with suppress(Conflict, FormatError, FileError):
        apply_edit(workspace, edit)


def sequel_taken_back(edit: Edit) -> Edit | None:
    """Return the follow-up of the sending that an edit takes back, if it has one."""
    said = edit.payload.get(_THEN) if edit.verb == UNSEND else None
    return Edit(**said) if said else None


def take_back_sequel(workspace: Workspace, edit: Edit, at: datetime) -> None:
    """Take back the follow-up of a sending that an edit is about to take back.

    If killed in between, both handoffs exist and nothing is lost. If the handoff that
    was sent has moved on, its sending cannot be taken back, and nothing is done.

    Raises:
        Conflict, FormatError, FileError: as `undo` raises them.
    """
    sequel = sequel_taken_back(edit)
    if sequel is None:
        return
    text = read_newest(workspace, edit.path, at).text
    if verb_of(edit.verb).value(text, edit.payload) != edit.base:
        return
    applied = Operation.objects.filter(state=Operation.State.APPLIED)
    if done := applied.filter(workspace=workspace, key=sequel.key).first():
        undo(workspace, done, edit.actor, clock=lambda: at)
