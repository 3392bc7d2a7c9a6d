"""Selection of events of a timeline: by kind, agent, topic, text, time of recording.

Events of handoffs that a workspace sent to others are in their journals.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Concat

from memoryhub.events.models import Event
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.sides import called
from memoryhub.journal.models import Agent, Workspace
from topics.models import Topic

_KIND = Event.Kind.HANDOFF.value
#: Agents in the data of an event.
_NAMES = ("from", "to", "by")


@dataclass(frozen=True, slots=True)
class Filter:
    """Selection of events; empty fields do not restrict."""

    workspace_id: int
    kind: str = ""
    agent_id: int | None = None
    topic_ids: tuple[int, ...] | None = None
    text: str = ""
    #: Only events recorded after this position, in that order.
    after: int | None = None
    #: Together with `after`: only events recorded up to this position.
    until: int | None = None
    #: Together with `after`: its time, for events of other workspaces' journals.
    since: datetime | None = None


def indexed_part(filters: Filter) -> tuple[Q, Q]:
    """Return the part of a filter that an index covers, and the rest of it.

    Ids of topics and agents are unique over all workspaces: naming the workspace
    too would let SQLite take the workspace's longer index instead.
    """
    rest = Q()
    if filters.text:
        rest &= Q(title__icontains=filters.text) | Q(detail__icontains=filters.text)
    if filters.after is not None:
        news = Q(workspace_id=filters.workspace_id, position__gt=filters.after)
        if filters.until is not None:
            news &= Q(position__lte=filters.until)
        return news, rest & _topic(filters) & _agent(filters) & _kind(filters)
    if filters.topic_ids is not None:
        return _topic(filters) & _kind(filters), rest & _agent(filters)
    if filters.agent_id is not None:
        return _agent(filters) & _kind(filters), rest
    return Q(workspace_id=filters.workspace_id) & _kind(filters), rest


def _kind(filters: Filter) -> Q:
    return Q(kind=filters.kind) if filters.kind else Q()


def _agent(filters: Filter) -> Q:
    return Q() if filters.agent_id is None else Q(agent_id=filters.agent_id)


def _topic(filters: Filter) -> Q:
    if filters.topic_ids is None:
        return Q()
    if len(filters.topic_ids) == 1:
        return Q(topic_id=filters.topic_ids[0])
    return Q(topic_id__in=filters.topic_ids)


def events_elsewhere(wanted: Filter) -> QuerySet[Event]:
    """Return the events that a filter selects, unordered.

    A position in the sender's journal says nothing about them: `since` takes its place.
    """
    is_of_a_run = wanted.until is not None or (wanted.after and wanted.since is None)
    if wanted.kind not in ("", _KIND) or is_of_a_run:
        return Event.objects.none()
    rows = sent_from(wanted.workspace_id)
    if wanted.text:
        said = Q(title__icontains=wanted.text) | Q(detail__icontains=wanted.text)
        rows = rows.filter(said)
    if wanted.agent_id is not None:
        rows = rows.filter(agent__in=_as_there(wanted.agent_id).values("pk"))
    if wanted.topic_ids is not None:
        named = Topic.objects.filter(pk__in=wanted.topic_ids).values("name")
        about = Handoff.objects.filter(origin__gt="", topic_name__in=named)
        rows = rows.filter(target_id__in=about.values("pk"))
    return rows.filter(recorded_at__gt=wanted.since) if wanted.since else rows


def sent_from(workspace_id: int) -> QuerySet[Event]:
    """Return the events of handoffs that a workspace sent elsewhere."""
    slug = Workspace.objects.filter(pk=workspace_id).values("slug")[:1]
    rows = Event.objects.filter(kind=_KIND, origin__gt="", origin=slug)
    there = rows.filter(workspace__removed_at__isnull=True)
    return there.exclude(workspace=workspace_id)


def count_elsewhere(wanted: Filter) -> int:
    """Return the number of handoffs with such events."""
    rows = events_elsewhere(wanted).order_by()
    return rows.values("target_id").distinct().count()


def _as_there(agent_id: int) -> QuerySet[Agent]:
    """Return the rows that other workspaces have of an agent, by its name there."""
    name = Concat("workspace__slug", Value("/"), "name")
    own = Agent.objects.filter(pk=agent_id).annotate(whole=name).values("whole")[:1]
    return Agent.objects.filter(name=own)


def topics_of(workspace_id: int, handoffs: Iterable[int]) -> dict[int, Topic]:
    """Return the sender's topics of handoffs, by the handoff's id."""
    rows = Handoff.objects.filter(pk__in=set(handoffs), topic_name__gt="")
    names = dict(rows.values_list("pk", "topic_name"))
    known = Topic.objects.filter(workspace=workspace_id, name__in=set(names.values()))
    topics = {topic.name: topic for topic in known}
    return {pk: topics[name] for pk, name in names.items() if name in topics}


def data_as_seen(data: object, home: str, sender: str) -> dict[str, object] | None:
    """Return an event's data with the names that agents have at the sender."""
    if not isinstance(data, dict):
        return None
    names = {key: str(data[key]) for key in _NAMES if data.get(key)}
    return data | {key: called(name, home, sender) for key, name in names.items()}
