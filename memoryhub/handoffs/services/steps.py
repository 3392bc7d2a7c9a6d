"""Steps of a handoff after it was sent, each a line in its log."""

from __future__ import annotations

from collections.abc import Sequence

from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.agents import role_of
from memoryhub.handoffs.queries.lane import turns
from memoryhub.handoffs.queries.resends import why_not_again
from memoryhub.handoffs.rules.acting import (
    SIGNED_OFF,
    Lane,
    check,
    check_signer,
    depends_on_lane,
)
from memoryhub.handoffs.services.delivering import deliver
from memoryhub.handoffs.services.lane import lanes
from memoryhub.handoffs.services.logs import Log, Step, current, log_of
from memoryhub.handoffs.services.rows import certain
from memoryhub.handoffs.services.sending import Author, Done, done_for, operation_before
from memoryhub.journal.models import Workspace
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Conflict


def take(handoff: Handoff, author: Author, *, base: str | None = None) -> Done:
    """Take a handoff: writes one at a time in order, decisions once signed off."""
    return move(handoff, Step("taken", base=base), author)


def move(handoff: Handoff, step: Step, author: Author) -> Done:
    """Apply a step to a handoff's file, in the lane of the workspace that has it.

    Raises:
        Conflict: the handoff moved on since `step.base`; has the current standing.
        NotAllowed: a rule forbids it; names who may, or the handoff it waits for.
        FormatError: ``handoff-unknown``, the handoff is gone.
        FileError: its file cannot be read or written.
    """
    workspace, author = handoff.workspace, author.among(handoff.side, handoff.workspace)
    with lanes(workspace):
        operation = operation_before(workspace, author.key)
        if operation is None:
            now, log = checked(handoff, step, author)
            edit = log.step(now, author, step)
            operation = apply_edit(workspace, edit, clock=lambda: author.at)
        with certain(workspace):
            now = current(handoff)
        deliver(now, author.at)
    return done_for(handoff.side, now, operation)


def checked(handoff: Handoff, step: Step, author: Author) -> tuple[Handoff, Log]:
    """Return a handoff and its log, current and checked; the caller holds its lane.

    Raises:
        Conflict, NotAllowed, FormatError, FileError: as `move` raises them.
    """
    with certain(handoff.workspace):
        handoff = current(handoff)
    log = log_of(handoff, author.at)
    with certain(handoff.workspace):
        handoff = current(handoff)
        if step.base is not None and step.base != handoff.standing:
            raise Conflict(log.path, step.base, handoff.standing)
        lane = Lane()
        if depends_on_lane(step.verb, handoff):
            lane = turns(handoff.workspace, handoff.pk)
        who = author.who._replace(
            role=role_of(handoff.workspace, author.actor, handoff.recipient),
            signers=tuple(handoff.workspace.signers),
        )
        check(step.verb, handoff, who, lane, handoff.pk)
        if step.verb == SIGNED_OFF and (others := _signers_of_sender(handoff)):
            check_signer(author.actor, others)
        if against := why_not_again(step.verb, handoff):
            raise against
    return handoff, log


def _signers_of_sender(handoff: Handoff) -> Sequence[str]:
    """Return who signs decisions of the workspace that sent one; empty for everybody.

    A sign-off where the work is done counts for its decision too.
    """
    rows = Workspace.objects.filter(slug=handoff.origin) if handoff.origin else ()
    return [name for workspace in rows for name in workspace.signers]
