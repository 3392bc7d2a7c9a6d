"""Who waits for whom because of handoffs, and where that goes round in a circle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memoryhub.events.rules.waiting import circle_through, circles_of
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules.acting import BLOCKED, DECISION, OPEN
from memoryhub.journal.ownership import is_person

#: In a list of waits: a person, who has no name of an agent.
PERSON = ""
#: Who does the work holds nobody up for good; only what nobody does can.
_WAITING = (OPEN, BLOCKED)


def waited_on(recipient: str, kind: str, signed_by: str) -> str:
    """Return who has to act on what is not finished: the recipient, or a person."""
    unsigned = kind == DECISION and not signed_by
    to_person = is_person(recipient)
    return PERSON if unsigned or to_person else recipient


def deadlocks(said: Iterable[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the circles of agents that wait for each other, each once.

    A wait is said by the sender, recipient and type of a handoff, and who signed it.
    """
    return circles_of(_waits(said))


def deadlock_with(handoff: Handoff) -> tuple[str, ...]:
    """Return the circle that a handoff closes, from its sender on, or nothing."""
    on = waited_on(handoff.recipient, handoff.type, handoff.signed_by)
    if handoff.state not in _WAITING or PERSON in (handoff.sender, on):
        return ()
    rows = Handoff.objects.filter(
        workspace=handoff.workspace, last_seq__isnull=True, state__in=_WAITING
    ).exclude(sender="")
    said = rows.values_list("sender", "recipient", "type", "signed_by").distinct()
    return circle_through(_waits(said), handoff.sender, on)


def _waits(said: Iterable[Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Give who waits for whom; nobody is held up by what a person has to do."""
    for sender, *about in said:
        if (on := waited_on(*about)) != PERSON:
            yield sender, on
