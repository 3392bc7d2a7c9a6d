"""What becomes of a handoff that was sent: each step is a line in its log."""

from __future__ import annotations

from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.lane import turns
from memoryhub.handoffs.queries.resends import why_not_again
from memoryhub.handoffs.queries.waiting import deadlock_with
from memoryhub.handoffs.rules.acting import Lane, check
from memoryhub.handoffs.services.lane import lanes
from memoryhub.handoffs.services.logs import Log, Step, current, log_of
from memoryhub.handoffs.services.reconciling import reconcile
from memoryhub.handoffs.services.rows import certain
from memoryhub.handoffs.services.sending import Asked, Done, operation_before
from memoryhub.handoffs.services.twins import pair_of, twin_of
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Conflict


def take(handoff: Handoff, asked: Asked, *, base: str | None = None) -> Done:
    """Begin the work: writes one by one in their order, decisions once signed off."""
    return move(handoff, Step("taken", base=base), asked)


def move(handoff: Handoff, step: Step, asked: Asked) -> Done:
    """Do a step, in the lane of the workspace where the work is done.

    Raises:
        Conflict: the handoff moved on since `step.base`, which says to where.
        NotAllowed: a rule is against it, named with whom or what it waits for.
        FormatError: ``handoff-unknown``, the handoff is gone.
        FileError: its file cannot be read or written.
    """
    workspaces = (handoff.workspace, *pair_of(handoff).others)
    with lanes(*workspaces):
        operation = operation_before(handoff.workspace, asked.key)
        if operation is None:
            handoff, log = checked(handoff, step, asked)
            edit = log.step(handoff, asked, step)
            operation = apply_edit(handoff.workspace, edit, clock=lambda: asked.at)
        reconcile(handoff, asked.at)
        with certain(*workspaces):
            handoff = current(handoff)
    return Done(handoff, operation, deadlock_with(handoff))


def checked(handoff: Handoff, step: Step, asked: Asked) -> tuple[Handoff, Log]:
    """Return a handoff as it is now, and its log; the caller is in its lanes.

    Raises:
        Conflict, NotAllowed, FormatError, FileError: as `move` raises them.
    """
    workspaces = (handoff.workspace, *pair_of(handoff).others)
    with certain(*workspaces):
        handoff = current(handoff)
    reconcile(handoff, asked.at)
    log = log_of(handoff, asked.at)
    with certain(*workspaces):
        handoff = current(handoff)
        if step.base is not None and step.base != handoff.standing:
            raise Conflict(log.path, step.base, handoff.standing)
        _check(handoff, step.verb, asked)
    return handoff, log


def _check(handoff: Handoff, verb: str, asked: Asked) -> None:
    """Tell whether the rules allow a step, where the work is done."""
    row = (twin_of(handoff) if handoff.away else None) or handoff
    lane = turns(row.workspace, row.pk) if verb == "taken" else Lane()
    check(verb, handoff, asked.who, lane, row.pk)
    if against := why_not_again(verb, handoff):
        raise against
