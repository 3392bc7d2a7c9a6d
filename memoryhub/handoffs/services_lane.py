"""The lane of a workspace: everything about its handoffs is decided one by one.

Who is in the lane has it alone, among all threads and processes, and sees rows that
say all that was written before. A process that dies leaves it with its lock.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar

from memoryhub.files import FileError, locked
from memoryhub.formats import handoff as handoff_format
from memoryhub.formats.base import FormatError
from memoryhub.handoffs.log_verbs import STEP, TAKE_BACK
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries_lane import lane
from memoryhub.handoffs.rules import (
    DECISION,
    IN_PROGRESS,
    WRITE,
    NotAllowed,
    check_free,
)
from memoryhub.identity import id_of
from memoryhub.sync.edits import Edit, settle
from memoryhub.sync.engine import workspace_lock
from memoryhub.sync.projection import catch_up
from memoryhub.sync.writing import file_lock
from memoryhub.workspaces.models import Operation, Workspace
from memoryhub.workspaces.verbs import Limits, verb_of
from memoryhub.workspaces.versions import newest_text

#: The workspaces whose lane this thread is in.
_inside: ContextVar[frozenset[int]] = ContextVar("lanes", default=frozenset())


@contextmanager
def lanes(*workspaces: Workspace) -> Iterator[None]:
    """Be alone with the handoffs of these workspaces; inside of it again it is free.

    Raises:
        FileError: an operation that a crash left cannot be finished now, so that
            nobody knows what is in progress.
    """
    wanted = {w.pk: w for w in workspaces if w.pk not in _inside.get()}
    with ExitStack() as stack:
        for _, workspace in sorted(wanted.items()):
            stack.enter_context(file_lock(workspace, "lane of handoffs"))
        token = _inside.set(_inside.get() | wanted.keys())
        stack.callback(_inside.reset, token)
        for workspace in wanted.values():
            _make_certain(workspace)
        yield


def _make_certain(workspace: Workspace) -> None:
    """Finish what a crash left, and wait for rows that are being made anew."""
    settle(workspace)
    left = Operation.objects.filter(
        workspace=workspace,
        state=Operation.State.PENDING,
        target__contains=f"{handoff_format.FOLDER}/",
    ).first()
    if left is not None:
        raise FileError(left.target, "an operation on it is not finished")
    workspace.refresh_from_db(fields=["projected_seq", "last_seq"])
    if workspace.projected_seq < workspace.last_seq:
        with locked(workspace_lock(workspace)):
            catch_up(workspace)


@contextmanager
def in_lane(workspace: Workspace, edit: Edit) -> Iterator[None]:
    """Have an operation on a handoff's file done in the lane, whoever asks for it.

    Raises:
        NotAllowed: it would begin a write beside another, or a decision unsigned, as
            taking something back can.
    """
    with lanes(workspace):
        if edit.verb in {STEP, TAKE_BACK}:
            _check_begun(workspace, edit)
        yield


def _check_begun(workspace: Workspace, edit: Edit) -> None:
    handoff = Handoff.objects.filter(
        workspace=workspace, pk=id_of(edit.payload["row"]), last_seq__isnull=True
    ).first()
    if handoff is None or _state_after(workspace, edit) != IN_PROGRESS:
        return
    if handoff.type == WRITE and not handoff.away:
        check_free(lane(workspace), handoff.pk)
    if handoff.type == DECISION and not handoff.signed_by:
        raise NotAllowed("handoff-not-signed", task_id=handoff.task_id)


def _state_after(workspace: Workspace, edit: Edit) -> str:
    """Return the state that an edit leads to; nothing where it cannot be done."""
    limits = Limits(workspace.max_decisions, workspace.max_history)
    text = newest_text(workspace, edit.path)
    try:
        after = verb_of(edit.verb).apply(text, edit.payload, limits)
    except FormatError:
        return ""
    return handoff_format.state_of(handoff_format.parse(after))
