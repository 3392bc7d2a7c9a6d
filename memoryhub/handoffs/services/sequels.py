"""What has to follow an operation on a handoff, also where a crash comes between.

The operation itself says what that is, and whoever is in the lane next sees to it.
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
    """Return the payload of an operation that an edit has to follow, if one has."""
    return payload | {_THEN: asdict(edit)} if edit else payload


def sequel_of(operation: Operation) -> Edit | None:
    """Return what has to follow an operation."""
    said = operation.payload.get(_THEN)
    return Edit(**said) if said else None


def follow(operation: Operation, at: datetime) -> Operation | None:
    """Do what has to follow an operation; it is done once.

    Raises:
        Conflict, FormatError, FileError: as `apply_edit` raises them.
    """
    edit = sequel_of(operation)
    if edit is None:
        return None
    return apply_edit(operation.workspace, edit, clock=lambda: at)


def finish_sequel(workspace: Workspace) -> None:
    """Do what has to follow the newest operation of a lane, if a crash came between.

    Each before it was followed by then: its caller or the next in the lane saw to it.
    """
    done = Operation.objects.filter(workspace=workspace, verb__in=_IN_LANE)
    newest = done.filter(state=Operation.State.APPLIED).order_by("-seq").first()
    edit = sequel_of(newest) if newest else None
    if edit is None or Operation.objects.filter(workspace=workspace, key=edit.key):
        return
    # What its caller would have been told of is not for whoever is next.
    with suppress(Conflict, FormatError, FileError):
        apply_edit(workspace, edit)


def sequel_taken_back(edit: Edit) -> Edit | None:
    """Return what goes when an edit takes back that a handoff was sent, if anything."""
    said = edit.payload.get(_THEN) if edit.verb == UNSEND else None
    return Edit(**said) if said else None


def take_back_sequel(workspace: Workspace, edit: Edit, at: datetime) -> None:
    """Take back what followed a sending that an edit is about to take back.

    Killed in between, both handoffs are there, and nothing is lost. Where the one that
    was sent moved on, its sending is not taken back, and nothing is done.

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
