"""Who waits for whom because of handoffs, and where that goes round in a circle."""

from __future__ import annotations

from collections.abc import Iterator

from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules import BLOCKED, DECISION, OPEN, is_person
from memoryhub.timeline.waiting import circle_through, circles_of
from memoryhub.workspaces.models import Workspace

#: In a list of waits: a person, who has no name of an agent.
PERSON = ""
#: Who does the work holds nobody up for good; only what nobody does can.
_WAITING = (OPEN, BLOCKED)


def waited_on(recipient: str, kind: str, signed_by: str) -> str:
    """Return who has to act on what is not finished: the recipient, or a person."""
    unsigned = kind == DECISION and not signed_by
    to_person = is_person(recipient)
    return PERSON if unsigned or to_person else recipient


def deadlocks(workspace: Workspace) -> tuple[tuple[str, ...], ...]:
    """Return the circles of agents that wait for each other, each once."""
    return circles_of(_waits(workspace))


def deadlock_with(handoff: Handoff) -> tuple[str, ...]:
    """Return the circle that a handoff closes, from its sender on, or nothing."""
    on = waited_on(handoff.recipient, handoff.type, handoff.signed_by)
    if handoff.state not in _WAITING or PERSON in (handoff.sender, on):
        return ()
    return circle_through(_waits(handoff.workspace), handoff.sender, on)


def _waits(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """Give who waits for whom, each once, however many handoffs wait."""
    rows = Handoff.objects.filter(
        workspace=workspace, last_seq__isnull=True, state__in=_WAITING
    ).exclude(sender="")
    said = rows.values_list("sender", "recipient", "type", "signed_by").distinct()
    for sender, *about in said:
        if (on := waited_on(*about)) != PERSON:
            yield sender, on
