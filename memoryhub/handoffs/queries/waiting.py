"""Which agent waits for which because of handoffs, and deadlocks among them."""

from __future__ import annotations

from collections.abc import Iterator

from memoryhub.events.rules.waiting import circle_through, circles_of
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.sides import called, handoffs_of
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
    return circle_through(_waits(handoff.side), handoff.sender, handoff.acts)


def _waits(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """Yield pairs of agents, the first waiting for the second, without duplicates.

    Work in progress will end, and work for a person is no wait on an agent: only open
    and blocked handoffs for agents count.
    """
    rows = handoffs_of(workspace).filter(state__in=(OPEN, BLOCKED)).order_by()
    named = rows.exclude(sender="").exclude(acts__in=("", PERSON))
    here = workspace.slug
    for home, *pair in named.values_list(
        "workspace__slug", "sender", "acts"
    ).distinct():
        waiting, on = (n if home == here else called(n, home, here) for n in pair)
        yield waiting, on
