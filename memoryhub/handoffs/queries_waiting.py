"""Who waits for whom because of handoffs, and where that goes round in a circle."""

from __future__ import annotations

from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules import DECISION, PEOPLE, UNFINISHED
from memoryhub.timeline.waiting import Wait, cycles_of
from memoryhub.workspaces.models import Workspace

#: In a list of waits: a person, who has no name of an agent.
PERSON = ""
_COLUMNS = (
    "sender", "recipient", "signed_by", "task_id", "type", "state", "occurred_at", "id",
)  # fmt: skip


def waits(workspace: Workspace) -> tuple[Wait, ...]:
    """Return every wait, the longest first: a sender's for the recipient.

    A decision that is not signed off waits for a person, and so does what is
    addressed to one.
    """
    rows = Handoff.objects.filter(
        workspace=workspace, last_seq__isnull=True, state__in=UNFINISHED
    )
    named = rows.exclude(sender="").exclude(recipient="")
    ordered = named.order_by("occurred_at", "task_id", "id")
    return tuple(
        Wait(sender, waited_on(recipient, kind, signed_by), task_id, kind, *rest)
        for sender, recipient, signed_by, task_id, kind, *rest in ordered.values_list(
            *_COLUMNS
        )
    )


def waited_on(recipient: str, kind: str, signed_by: str) -> str:
    """Return who has to act on what is not finished: the recipient, or a person."""
    unsigned = kind == DECISION and not signed_by
    to_person = recipient.strip().casefold() in PEOPLE
    return PERSON if unsigned or to_person else recipient


def deadlocks(workspace: Workspace) -> tuple[tuple[str, ...], ...]:
    """Return the circles of agents that wait for each other, each once."""
    named = [wait for wait in waits(workspace) if wait.on != PERSON]
    return cycles_of(named)


def deadlock_with(handoff: Handoff) -> tuple[str, ...]:
    """Return the circle that a handoff is part of, or nothing."""
    if handoff.state not in UNFINISHED:
        return ()
    both = {handoff.sender, handoff.recipient}
    circles = deadlocks(handoff.workspace)
    return next((circle for circle in circles if both <= {*circle}), ())
