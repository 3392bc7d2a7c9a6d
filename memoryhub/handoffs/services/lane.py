"""The write lane of a workspace: a lock under which its handoffs change one by one.

Exclusive among all threads and processes. A process that dies releases it with its
lock.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar

from django.db import transaction
from django.utils import timezone

from memoryhub.dialects import handoff as handoff_format
from memoryhub.disk.files import FileError, locked
from memoryhub.formats.base import FormatError
from memoryhub.handoffs.log_verbs import REDONE, SIGN, SIGNED, UNSEND
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.lane import turns
from memoryhub.handoffs.rules.acting import (
    DECISION,
    IN_PROGRESS,
    WRITE,
    NotAllowed,
    check_free,
    check_signer,
)
from memoryhub.handoffs.services.memory import (
    IN_LANE,
    finish_sequel,
    sequel_taken_back,
    take_along,
    take_back_sequel,
    unfinished_sequel,
)
from memoryhub.journal.models import Workspace
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.verbs import Limits, verb_of
from memoryhub.journal.versions import newest_text
from memoryhub.sync.edit.editing import settle
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.edit.writing import file_lock
from memoryhub.sync.engine import workspace_lock
from memoryhub.sync.record.projection import catch_up
from memoryhub.values.identity import id_of

#: Seconds to wait for rows, and between two looks: other writers wait as long.
_PATIENCE, _STEP = 5.0, 0.05


@contextmanager
def certain(*workspaces: Workspace) -> Iterator[None]:
    """Read rows that are up to date with the journal, in one transaction.

    During a first import or a rebuild rows are missing: waits a while for the
    workspace's lock, and catches up.

    Raises:
        FileError: they are still being made.
    """
    while True:
        with transaction.atomic():
            behind = [workspace for workspace in workspaces if _is_behind(workspace)]
            if not behind:
                yield
                return
        for workspace in behind:
            _catch_up(workspace)


def _catch_up(workspace: Workspace) -> None:
    until = time.monotonic() + _PATIENCE
    while _is_behind(workspace):
        try:
            with locked(workspace_lock(workspace), wait=False):
                catch_up(workspace)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise FileError(workspace.slug, "its files are still read") from None
            time.sleep(_STEP)


def _is_behind(workspace: Workspace) -> bool:
    workspace.refresh_from_db(fields=["projected_seq", "last_seq"])
    return workspace.projected_seq < workspace.last_seq


#: Ids of the workspaces whose lane this thread holds.
_inside: ContextVar[frozenset[int]] = ContextVar("lanes", default=frozenset())


@contextmanager
def lanes(*workspaces: Workspace) -> Iterator[None]:
    """Hold the lanes of these workspaces; reentrant.

    Raises:
        FileError: an operation that a crash left cannot be finished now, so that nobody
            knows what is in progress.
    """
    held = _inside.get()
    asked = [workspace for workspace in workspaces if workspace.pk not in held]
    left = filter(None, map(unfinished_sequel, asked))
    around = (*asked, *(sequel.workspace for sequel in left))
    wanted = {w.pk: w for w in around if w.pk not in held}
    with ExitStack() as stack:
        for _, workspace in sorted(wanted.items()):
            stack.enter_context(file_lock(workspace, "lane of handoffs"))
        token = _inside.set(held | wanted.keys())
        stack.callback(_inside.reset, token)
        for workspace in wanted.values():
            _finish_cut_off(workspace)
        yield


def _finish_cut_off(workspace: Workspace) -> None:
    """Finish operations that a crash left: they were decided, so they count.

    They are made in the lane alone, so none of them is in progress.
    """
    for path in settle(workspace, verbs=IN_LANE):
        if f"{handoff_format.FOLDER}/" in path:
            raise FileError(path, "an operation on it is not finished")
    finish_sequel(workspace, _inside.get())


@contextmanager
def in_lane(workspace: Workspace, edit: Edit) -> Iterator[None]:
    """Apply an operation on a handoff's file in the lane, for any caller.

    A result's memory update is taken back with it. Before a handoff is unsent that
    another was handed off as, the other one is restored.

    Raises:
        NotAllowed: it would begin a write while another is in progress, or an unsigned
            decision, as taking something back can; or bring back another's sign-off.
    """
    with certain(workspace):
        handoff = _handoff_of(workspace, edit)
    restored = sequel_taken_back(workspace, edit)
    with lanes(workspace, *([restored.workspace] if restored else ())):
        if handoff is not None:
            _check_signed_again(workspace, edit)
            _check_begun(handoff, edit)
            take_back_sequel(workspace, edit, timezone.now())
        yield
        if handoff is not None:
            take_along(handoff, edit, timezone.now())


def _handoff_of(workspace: Workspace, edit: Edit) -> Handoff | None:
    """Return the handoff that an operation changes; None if it creates one."""
    if "row" in edit.payload:
        found = _OF_ID(workspace.pk, id_of(edit.payload["row"]))
    else:
        found = _FIRST_IN(workspace.pk, edit.path)
    return next(iter(found), None)


_OF_ID: Prepared[Handoff] = Prepared(
    lambda workspace_id, pk: Handoff.objects.select_related("workspace", "file").filter(
        workspace_id=workspace_id, last_seq__isnull=True, pk=pk
    ),
    int,
    int,
)
_FIRST_IN: Prepared[Handoff] = Prepared(
    lambda workspace_id, path: (
        Handoff.objects.select_related("workspace", "file")
        .filter(
            workspace_id=workspace_id,
            last_seq__isnull=True,
            file__path=path,
            position=0,
        )
        .order_by("pk")[:1]
    ),
    int,
    str,
)


def _check_signed_again(workspace: Workspace, edit: Edit) -> None:
    """Check that a sign-off that was taken back is brought back by its own person."""
    if edit.verb != SIGN or not edit.payload.get(REDONE):
        return
    own = [line["actor"] for line in edit.payload["lines"] if line.get(SIGNED)]
    check_signer(edit.actor, own)
    if workspace.signers:
        check_signer(edit.actor, workspace.signers)


def _check_begun(handoff: Handoff, edit: Edit) -> None:
    """Check that work can begin, if an edit begins it; a message to it does not.

    Lines of strangers, which do not count in rows, count before and after alike.
    """
    workspace, is_begun = handoff.workspace, handoff.state == IN_PROGRESS
    if edit.verb == UNSEND or is_begun or handoff.type not in {WRITE, DECISION}:
        return
    text = newest_text(workspace, edit.path)
    begins = _state_after(workspace, edit, text) == IN_PROGRESS
    if not begins or _state_of(text) == IN_PROGRESS:
        return
    if handoff.type == WRITE and not handoff.twin:
        with certain(workspace):
            check_free(handoff, turns(workspace, handoff.pk), handoff.pk)
    if handoff.type == DECISION and not handoff.signed_by:
        raise NotAllowed("handoff-not-signed", task_id=handoff.task_id)


def _state_after(workspace: Workspace, edit: Edit, text: str) -> str:
    """Return the state that an edit of a text leads to; "" if it cannot be applied."""
    limits = Limits(workspace.max_decisions, workspace.max_history)
    try:
        return _state_of(verb_of(edit.verb).apply(text, edit.payload, limits))
    except FormatError:
        return ""


def _state_of(text: str) -> str:
    return handoff_format.state_of(handoff_format.parse(text))
