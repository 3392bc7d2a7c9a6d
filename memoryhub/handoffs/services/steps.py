"""Steps of a handoff after it was sent, each a line in its log."""

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
    """Take a handoff: writes one at a time in order, decisions once signed off."""
    return move(handoff, Step("taken", base=base), asked)


def move(handoff: Handoff, step: Step, asked: Asked) -> Done:
    """Apply a step, in the lane of the workspace where the work is done.

    Raises:
        Conflict: the handoff moved on since `step.base`; has the current standing.
        NotAllowed: a rule forbids it; names who may, or the handoff it waits for.
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
    """Return a handoff and its log, current and checked; the caller holds its lanes.

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
    """Check the rules for a step, in the workspace where the work is done."""
    row = (twin_of(handoff) if handoff.away else None) or handoff
    lane = turns(row.workspace, row.pk) if verb == "taken" else Lane()
    check(verb, handoff, asked.who, lane, row.pk)
    if against := why_not_again(verb, handoff):
        raise against
