"""Selection of events of a timeline: by kind, agent, topic, text, time of recording."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q


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
