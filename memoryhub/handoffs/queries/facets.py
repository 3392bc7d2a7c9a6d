"""Filter facets of handoffs, with counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Count, Q

from memoryhub.handoffs.queries.board import Filters, found, is_overdue
from memoryhub.handoffs.queries.figures import median_leads
from memoryhub.handoffs.queries.sides import called, handoffs_of
from memoryhub.handoffs.rules.acting import UNFINISHED
from memoryhub.handoffs.rules.standing import PERSON
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached

#: Most names per choice on a page.
_MOST = 200


@dataclass(frozen=True, slots=True)
class Counts:
    """Number of handoffs per filter value, the other filters applied."""

    types: Mapping[str, int]
    states: Mapping[str, int]
    for_person: int
    overdue: int


@dataclass(frozen=True, slots=True)
class Names:
    """Agents, and topics as (slug, name), that occur in handoffs."""

    agents: tuple[str, ...]
    topics: tuple[tuple[str, str], ...]


def counts(workspace: Workspace, filters: Filters, now: datetime) -> Counts:
    """Return the counts of filters and of columns, in two queries."""
    leads = median_leads([workspace])
    late = is_overdue(leads, now)
    # The condition on the state allows an index and skips finished rows.
    yours = Q(state__in=UNFINISHED) & Q(acts=PERSON)
    if_yours = yours if filters.for_person else Q()
    if_late = late if filters.overdue else Q()
    fewer = replace(filters, type="", for_person=False, overdue=False)
    rows = found([workspace], fewer, leads, now).order_by().values("type", "state")
    counted = rows.annotate(
        all=Count("state", filter=if_yours & if_late or None),
        yours=Count("state", filter=yours & if_late),
        late=Count("state", filter=late & if_yours),
    ).values_list("type", "state", "all", "yours", "late")
    types, states, others = Counter[str](), Counter[str](), Counter[str]()
    for kind, state, all_of, for_person, overdue in counted:
        types[kind] += all_of
        if filters.type in {"", kind}:
            states[state] += all_of
            others.update(for_person=for_person, overdue=overdue)
    return Counts(types, states, others["for_person"], others["overdue"])


def names(workspace: Workspace) -> Names:
    """Return the agents and topics of handoffs; cached until the journal grows."""
    return cached(workspace, "handoff names", lambda: _names(workspace))


def _names(workspace: Workspace) -> Names:
    columns = ("workspace__slug", "sender", "recipient", "topic__slug", "topic__name")
    rows = list(handoffs_of(workspace).order_by().values_list(*columns).distinct())
    here = workspace.slug
    agents = {
        name if home == here else called(name, home, here)
        for home, sender, recipient, *_ in rows
        for name in (sender, recipient)
        if name
    }
    topics = {slug: name for home, _, _, slug, name in rows if slug and home == here}
    return Names(
        tuple(sorted(agents)[:_MOST]),
        tuple(sorted(topics.items(), key=lambda topic: topic[1])[:_MOST]),
    )
