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
from memoryhub.journal.authors import agent_id_named
from memoryhub.journal.models import Agent, Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.people.marks import Seen
from memoryhub.timeline.queries.events import BY_TIME, Count
from memoryhub.timeline.queries.filters import (
    Filter,
    count_elsewhere,
    events_elsewhere,
    indexed_part,
)
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

    A handoff with five events is one thing, as in lists of handoffs. The key "" is the
    events of all kinds, as the timeline lists them. Counts stop at `COUNT_LIMIT`.
    `everything` are the counts of the whole workspace, if known.
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
        workspace, f"kinds:{filters}", lambda: _all_kinds(_newest_counts(rows), filters)
    )


def news_counts(workspace: Workspace, seen: Seen) -> Counts:
    """Return the counts of the events that are new to a person."""
    news = Filter(workspace.pk, after=seen.position, since=seen.at)
    return kind_counts(workspace, news) or {}


def _newest_counts(rows: QuerySet[Event]) -> Counts:
    """Count the things of each kind that the newest of some events are about."""
    found = list(rows.values_list("kind", _THING)[: COUNT_LIMIT + 1])
    more, found = len(found) > COUNT_LIMIT, found[:COUNT_LIMIT]
    kinds = Counter(kind for kind, _ in set(found))
    return {kind: Count(number, more) for kind, number in kinds.items()}


def _number_of(rows: QuerySet[Event]) -> Count:
    """Return the number of things that events of one kind are about."""
    things = rows.annotate(thing=_THING).values("thing")[: COUNT_LIMIT + 1]
    found = things.aggregate(
        things=Counted("thing", distinct=True), events=Counted("*")
    )
    return Count(min(found["things"], COUNT_LIMIT), found["events"] > COUNT_LIMIT)


def _all_kinds(counts: Counts, filters: Filter) -> Counts:
    """Return the counts with the handoffs sent elsewhere, and all events as ""."""
    kind = Event.Kind.HANDOFF.value
    if sent := count_elsewhere(filters):
        own = counts.get(kind, Count(0))
        counts = counts | {kind: Count(own.number + sent, own.more)}
    return {"": _listed(filters, elsewhere=sent > 0), **counts}


def count_between(
    workspace: Workspace, filters: Filter, start: datetime, end: datetime
) -> Count | None:
    """Return the number of events from `start` to before `end`."""
    if indexed_part(filters)[1]:
        return None
    name = f"between:{filters}:{start.timestamp()}"
    return cached(workspace, name, lambda: _listed(filters, (start, end)))


def _listed(
    filters: Filter,
    span: tuple[datetime, datetime] | None = None,
    *,
    elsewhere: bool = True,
) -> Count:
    """Return the number of events that a timeline lists: all, or those in a span."""
    indexed, rest = indexed_part(filters)
    own = Event.objects.filter(indexed & rest).order_by()
    sent = events_elsewhere(filters).order_by()
    if span:
        field = "occurred_at" if filters.after is None else "recorded_at"
        within = Q(**{f"{field}__gte": span[0], f"{field}__lt": span[1]})
        own, sent = own.filter(within), sent.filter(within)
    lists = (own, sent) if elsewhere else (own,)
    number = sum(rows[: COUNT_LIMIT + 1].count() for rows in lists)
    return Count(min(number, COUNT_LIMIT), number > COUNT_LIMIT)


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
    return Options(
        tuple(agents.values_list("id", "name")[:_OPTIONS]),
        tuple(topics.values_list("id", "slug", "name")[:_OPTIONS]),
        _all_kinds(counts, Filter(workspace_id)),
    )


def agent_id_of(options: Options, name: str, workspace_id: int) -> int:
    """Return the id of an agent by its name; 0 for an unknown one."""
    known = {agent: row_id for row_id, agent in options.agents}
    if name in known or len(options.agents) < _OPTIONS:
        return known.get(name, 0)
    return agent_id_named(workspace_id, name)
