"""Who waits for whom because of handoffs, and where that goes round in a circle."""

from __future__ import annotations

from collections.abc import Iterable

from memoryhub.events.rules.waiting import circle_through, circles_of
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules.acting import BLOCKED, OPEN
from memoryhub.handoffs.rules.standing import PERSON
from memoryhub.journal.models import Workspace


def deadlocks(workspace: Workspace) -> tuple[tuple[str, ...], ...]:
    """Return the circles of agents that wait for each other, each once; one query."""
    return circles_of(_waits(workspace))


def deadlock_with(handoff: Handoff) -> tuple[str, ...]:
    """Return the circle that a handoff closes, from its sender on, or nothing."""
    if handoff.state not in (OPEN, BLOCKED) or handoff.acts in ("", PERSON):
        return ()
    return circle_through(_waits(handoff.workspace), handoff.sender, handoff.acts)


def _waits(workspace: Workspace) -> Iterable[tuple[str, str]]:
    """Return which agent waits for which, each pair once.

    Who does the work holds nobody up for good; only what nobody does can, and what a
    person has to do holds nobody up.
    """
    rows = Handoff.objects.filter(
        workspace=workspace, last_seq__isnull=True, state__in=(OPEN, BLOCKED)
    )
    named = rows.exclude(sender="").exclude(acts__in=("", PERSON)).order_by()
    return named.values_list("sender", "acts").distinct()
