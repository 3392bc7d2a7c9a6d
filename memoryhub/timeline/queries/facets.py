"""Filter options of a timeline, and the number of things of each kind with events.

Counts are capped, and cached until the journal grows: counting all events of a large
workspace would take longer than everything else on the page.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Count as Counted
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce

from memoryhub.events.models import Event
from memoryhub.journal.agents import agent_id_named
from memoryhub.journal.models import Agent, Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.timeline.queries.elsewhere import count_elsewhere, events_elsewhere
from memoryhub.timeline.queries.events import (
    BY_TIME,
    Count,
    first_import,
)
from memoryhub.timeline.queries.filters import Filter, indexed_part, listed_part
from topics.models import Topic

#: Counts stop here: "1000+".
COUNT_LIMIT = 1_000
_OPTIONS = 200
#: What an event is about: a row, else the event itself.
_THING = Coalesce(F("target_id"), -F("pk"))


Counts = dict[str, Count]


def kind_counts(
    workspace: Workspace, filters: Filter, everything: Counts | None = None
) -> Counts | None:
    """Return the number of things of each kind; None where counting would be slow.

    A handoff with five events is one thing, as in lists of handoffs.

    The key "" is all kinds: the sum of the others, with what the first import found
    without a time, which one row of the timeline stands for.
    Counts stop at `COUNT_LIMIT`. `everything` are the counts of the whole workspace,
    if known.
    """
    if filters.text:
        return None
    filters = replace(filters, kind="")
    if filters.after is None and filters.topic_ids is None and filters.agent_id is None:
        return filter_options(workspace).kinds if everything is None else everything
    indexed, rest = indexed_part(filters)
    if rest and filters.after is None:
        return None
    order = ("-position",) if filters.after is not None else BY_TIME
    rows = Event.objects.filter(indexed & rest).order_by(*order)
    return cached(
        workspace,
        f"kinds:{filters}",
        lambda: _with_sent(_newest_counts(rows), filters),
    )


def _capped(number: int) -> Count:
    return Count(min(number, COUNT_LIMIT), number > COUNT_LIMIT)


def _newest_counts(rows: QuerySet[Event]) -> Counts:
    """Count the things of each kind that the newest of some events are about."""
    found = list(rows.values_list("kind", _THING)[: COUNT_LIMIT + 1])
    more, found = len(found) > COUNT_LIMIT, found[:COUNT_LIMIT]
    kinds = Counter(kind for kind, _ in set(found))
    counts = {kind: Count(number, more) for kind, number in kinds.items()}
    return {"": Count(kinds.total(), more), **counts}


def _number_of(rows: QuerySet[Event]) -> Count:
    """Return the number of things that events of one kind are about."""
    things = rows.annotate(thing=_THING).values("thing")[: COUNT_LIMIT + 1]
    found = things.aggregate(
        things=Counted("thing", distinct=True), events=Counted("*")
    )
    return Count(min(found["things"], COUNT_LIMIT), found["events"] > COUNT_LIMIT)


def _with_sent(counts: Counts, filters: Filter) -> Counts:
    """Return the counts with the handoffs that the workspace sent elsewhere."""
    sent = count_elsewhere(filters)
    kinds = ("", Event.Kind.HANDOFF.value)
    more = {kind: counts.get(kind, Count(0)) for kind in kinds if sent}
    return counts | {k: Count(n.number + sent, n.more) for k, n in more.items()}


def count_between(
    workspace: Workspace, filters: Filter, start: datetime, end: datetime
) -> Count | None:
    """Return the number of events from `start` to before `end`."""
    indexed, rest = listed_part(filters)
    if rest:
        return None
    field = "occurred_at" if filters.after is None else "recorded_at"
    between = Q(**{f"{field}__gte": start, f"{field}__lt": end})
    rows = Event.objects.filter(indexed & between).order_by()
    sent = events_elsewhere(filters).filter(between)

    def counted() -> Count:
        standing = sum(start <= row.occurred_at < end for row in first_import(filters))
        return _capped(rows[: COUNT_LIMIT + 1].count() + sent.count() + standing)

    return cached(workspace, f"between:{filters}:{start.timestamp()}", counted)


@dataclass(frozen=True, slots=True)
class Options:
    """Filter options of a timeline, and the number of things of each kind."""

    agents: tuple[tuple[int, str], ...]
    topics: tuple[tuple[int, str, str], ...]
    kinds: Counts


def filter_options(workspace: Workspace) -> Options:
    """Return the agents (id, name), topics (id, slug, name) and kinds of a workspace.

    Of very many agents and topics only the first by name.
    """
    return cached(workspace, "options", lambda: _options(workspace.pk))


def _options(workspace_id: int) -> Options:
    agents = Agent.objects.filter(workspace=workspace_id).order_by("name")
    topics = Topic.objects.filter(workspace=workspace_id).order_by("name")
    events = Event.objects.filter(workspace=workspace_id).order_by()
    numbers = {kind: _number_of(events.filter(kind=kind)) for kind in Event.Kind.values}
    counts = {kind: count for kind, count in numbers.items() if count.number}
    more = any(count.more for count in counts.values())
    total = Count(sum(count.number for count in counts.values()), more)
    return Options(
        tuple(agents.values_list("id", "name")[:_OPTIONS]),
        tuple(topics.values_list("id", "slug", "name")[:_OPTIONS]),
        _with_sent({"": total, **counts}, Filter(workspace_id)),
    )


def agent_id_of(options: Options, name: str, workspace_id: int) -> int:
    """Return the id of an agent by its name; 0 for an unknown one."""
    known = {agent: row_id for row_id, agent in options.agents}
    if name in known or len(options.agents) < _OPTIONS:
        return known.get(name, 0)
    return agent_id_named(workspace_id, name)
