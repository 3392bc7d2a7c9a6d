"""Which agent waits for which because of handoffs, and deadlocks among them."""

from __future__ import annotations

from collections.abc import Iterable

from memoryhub.events.rules.waiting import circle_through, circles_of
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules.acting import BLOCKED, OPEN
from memoryhub.handoffs.rules.standing import PERSON
from memoryhub.journal.models import Workspace


def deadlocks(workspace: Workspace) -> tuple[tuple[str, ...], ...]:
    """Return the deadlocks: circles of waiting agents, each once; one query."""
    return circles_of(_waits(workspace))


def deadlock_with(handoff: Handoff) -> tuple[str, ...]:
    """Return the deadlock that a handoff closes, from its sender on, or ()."""
    if handoff.state not in (OPEN, BLOCKED) or handoff.acts in ("", PERSON):
        return ()
    return circle_through(_waits(handoff.workspace), handoff.sender, handoff.acts)


def _waits(workspace: Workspace) -> Iterable[tuple[str, str]]:
    """Return pairs of agents, the first waiting for the second, without duplicates.

    Work in progress will end, and work for a person is no wait on an agent: only open
    and blocked handoffs for agents count.
    """
    rows = Handoff.objects.filter(
        workspace=workspace, last_seq__isnull=True, state__in=(OPEN, BLOCKED)
    )
    named = rows.exclude(sender="").exclude(acts__in=("", PERSON)).order_by()
    return named.values_list("sender", "acts").distinct()
