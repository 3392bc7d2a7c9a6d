"""Who waits for whom because of handoffs, and where that goes round in a circle."""

from __future__ import annotations

from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules import BLOCKED, DECISION, OPEN, UNFINISHED, is_person
from memoryhub.timeline.waiting import circles_of
from memoryhub.workspaces.models import Workspace

#: In a list of waits: a person, who has no name of an agent.
PERSON = ""


def waited_on(recipient: str, kind: str, signed_by: str) -> str:
    """Return who has to act on what is not finished: the recipient, or a person."""
    unsigned = kind == DECISION and not signed_by
    to_person = is_person(recipient)
    return PERSON if unsigned or to_person else recipient


def deadlocks(workspace: Workspace) -> tuple[tuple[str, ...], ...]:
    """Return the circles of agents that wait for each other, each once.

    However many handoffs wait, only who waits for whom is read.
    """
    rows = Handoff.objects.filter(
        workspace=workspace, last_seq__isnull=True, state__in=(OPEN, BLOCKED)
    ).exclude(sender="")
    said = rows.values_list("sender", "recipient", "type", "signed_by").distinct()
    waiting = ((sender, waited_on(*on)) for sender, *on in said)
    return circles_of((sender, on) for sender, on in waiting if on != PERSON)


def deadlock_with(handoff: Handoff) -> tuple[str, ...]:
    """Return the circle that a handoff is part of, or nothing."""
    if handoff.state not in UNFINISHED:
        return ()
    both = {handoff.sender, handoff.recipient}
    circles = deadlocks(handoff.workspace)
    return next((circle for circle in circles if both <= {*circle}), ())
