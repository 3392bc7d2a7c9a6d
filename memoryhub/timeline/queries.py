"""The timeline as rows: one page after another by place, and capped counts.

Every query walks an index from the newest row down and stops early. Counting all
events of a large workspace would take longer than everything else on the page.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Q, QuerySet

from memoryhub.timeline.models import Event
from memoryhub.workspaces.models import Agent
from topics.models import Topic

PAGE_SIZE = 50
#: Counts stop here: "1000+".
COUNT_LIMIT = 1_000
#: How many events a filter without an index of its own looks at for one page.
SEARCH_WINDOW = 5_000
_OPTIONS = 200
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_POSITION_BITS = 20

_COLUMNS = (
    "id",
    "kind",
    "verb",
    "occurred_at",
    "precision",
    "position",
    "run_number",
    "actor",
    "agent__name",
    "topic__name",
    "topic__slug",
    "file__path",
    "file__seq",
    "line",
    "target_id",
    "title",
    "detail",
    "data",
)


class EventRow(NamedTuple):
    """An event with the names of what it is about."""

    id: int
    kind: str
    verb: str
    occurred_at: datetime
    precision: str
    position: int
    run_number: int | None
    actor: str
    agent: str | None
    topic: str | None
    topic_slug: str | None
    path: str | None
    file_seq: int | None
    line: int
    target_id: int | None
    title: str
    detail: str
    data: dict[str, Any] | None

    @property
    def seq(self) -> int:
        """The journal entry that told of it."""
        return self.position >> _POSITION_BITS


@dataclass(frozen=True, slots=True)
class Filter:
    """Which events are shown; what is empty does not restrict."""

    workspace_id: int
    kind: str = ""
    agent_id: int | None = None
    topic_ids: tuple[int, ...] | None = None
    text: str = ""


class Place(NamedTuple):
    """A place on the timeline: what comes after it in a list is older."""

    at: datetime
    position: int

    def encode(self) -> str:
        """Return the place as it stands in an address."""
        microseconds = (self.at - _EPOCH) // timedelta(microseconds=1)
        text = f"{microseconds:x}.{self.position:x}"
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode_place(text: str) -> Place | None:
    """Return the place that an address names, or None where it names none."""
    try:
        padded = text + "=" * (-len(text) % 4)
        at, _, position = base64.urlsafe_b64decode(padded).decode().partition(".")
        place = Place(_EPOCH + timedelta(microseconds=int(at, 16)), int(position, 16))
    except (binascii.Error, ValueError, OverflowError):
        return None
    return place if abs(place.position) < 1 << 63 else None


@dataclass(frozen=True, slots=True)
class Page:
    """Events in order, newest first, and where older ones go on.

    `searched` is set when no more than the filter's window was looked at.
    """

    events: tuple[EventRow, ...]
    older: Place | None
    searched: bool = False


def timeline_page(wanted: Filter, before: Place | None = None) -> Page:
    """Return the next events of a filter, newest first."""
    indexed, rest = _indexed(wanted)
    rows = _ordered(Event.objects.filter(indexed), before)
    if not rest:
        return _page(rows, None)
    floor = _floor(rows)
    searched = rows.filter(rest)
    if floor:
        searched = searched.filter(_not_before(floor))
    return _page(searched, floor)


def _page(rows: QuerySet[Event], floor: Place | None) -> Page:
    found = [EventRow(*row) for row in rows.values_list(*_COLUMNS)[: PAGE_SIZE + 1]]
    if len(found) > PAGE_SIZE:
        last = found[PAGE_SIZE - 1]
        place = Place(last.occurred_at, last.position)
        return Page(tuple(found[:PAGE_SIZE]), place)
    return Page(tuple(found), floor, searched=floor is not None)


def _indexed(wanted: Filter) -> tuple[Q, Q]:
    """Return the part of a filter that an index answers, and the rest of it.

    Ids of topics and agents are unique over all workspaces: naming the workspace
    too would let SQLite take the workspace's longer index instead.
    """
    rest = Q()
    if wanted.text:
        rest &= Q(title__icontains=wanted.text) | Q(detail__icontains=wanted.text)
    if wanted.topic_ids is not None:
        one = len(wanted.topic_ids) == 1
        topic = (
            Q(topic_id=wanted.topic_ids[0]) if one else Q(topic_id__in=wanted.topic_ids)
        )
        if wanted.agent_id is not None:
            rest &= Q(agent_id=wanted.agent_id)
        return topic, rest & _kind(wanted)
    if wanted.agent_id is not None:
        return Q(agent_id=wanted.agent_id), rest & _kind(wanted)
    return Q(workspace_id=wanted.workspace_id) & _kind(wanted), rest


def _kind(wanted: Filter) -> Q:
    return Q(kind=wanted.kind) if wanted.kind else Q()


def _ordered(rows: QuerySet[Event], before: Place | None) -> QuerySet[Event]:
    """Return events by place; this form of the condition is one walk of the index."""
    rows = rows.order_by("-occurred_at", "-position")
    if before is None:
        return rows
    older = Q(occurred_at__lt=before.at) | Q(position__lt=before.position)
    return rows.filter(Q(occurred_at__lte=before.at) & older)


def _not_before(floor: Place) -> Q:
    newer = Q(occurred_at__gt=floor.at) | Q(position__gte=floor.position)
    return Q(occurred_at__gte=floor.at) & newer


def _floor(rows: QuerySet[Event]) -> Place | None:
    """Return the last place of the window that is searched, if there is more."""
    places = rows.values_list("occurred_at", "position")
    found = places[SEARCH_WINDOW - 1 : SEARCH_WINDOW + 1]
    return Place(*found[0]) if len(found) > 1 else None


class Count(NamedTuple):
    """How many there are; with `more` at least as many."""

    number: int
    more: bool = False

    def __str__(self) -> str:
        return f"{self.number}+" if self.more else str(self.number)


def kind_counts(wanted: Filter) -> dict[str, Count] | None:
    """Return how many events of each kind there are, or None where it would be slow.

    The key "" is all kinds. Counts stop at `COUNT_LIMIT`.
    """
    if wanted.text:
        return None
    if wanted.topic_ids is None and wanted.agent_id is None:
        return _workspace_counts(wanted.workspace_id)
    if wanted.topic_ids is not None and wanted.agent_id is not None:
        return None
    return _newest_counts(wanted)


def _workspace_counts(workspace_id: int) -> dict[str, Count]:
    table = connection.ops.quote_name(Event._meta.db_table)
    one = (
        f"(SELECT COUNT(*) FROM (SELECT 1 FROM {table}"
        f" WHERE workspace_id = %s AND kind = %s LIMIT {COUNT_LIMIT + 1}) AS kinds)"
    )
    kinds = list(Event.Kind.values)
    parameters = [value for kind in kinds for value in (workspace_id, kind)]
    with connection.cursor() as cursor:
        cursor.execute("SELECT " + ", ".join([one] * len(kinds)), parameters)
        found = cursor.fetchone()
    counts = {kind: _capped(n) for kind, n in zip(kinds, found, strict=True) if n}
    return {"": _capped(sum(found)), **counts}


def _capped(number: int) -> Count:
    return Count(min(number, COUNT_LIMIT), number > COUNT_LIMIT)


def _newest_counts(wanted: Filter) -> dict[str, Count]:
    """Count the kinds among the newest events of a topic or an agent."""
    indexed, _ = _indexed(replace(wanted, kind=""))
    rows = _ordered(Event.objects.filter(indexed), None)
    kinds = list(rows.values_list("kind", flat=True)[: COUNT_LIMIT + 1])
    more = len(kinds) > COUNT_LIMIT
    counts = {kind: Count(kinds.count(kind), more) for kind in dict.fromkeys(kinds)}
    return {"": Count(min(len(kinds), COUNT_LIMIT), more), **counts}


def count_between(wanted: Filter, start: datetime, end: datetime) -> Count | None:
    """Return how many events there are from `start` to before `end`."""
    indexed, rest = _indexed(wanted)
    if rest:
        return None
    between = Q(occurred_at__gte=start) & Q(occurred_at__lt=end)
    rows = Event.objects.filter(indexed & between).order_by()
    return _capped(rows[: COUNT_LIMIT + 1].count())


@dataclass(frozen=True, slots=True)
class Options:
    """What a timeline can be filtered by."""

    agents: tuple[tuple[int, str], ...]
    topics: tuple[tuple[int, str, str], ...]


def filter_options(workspace_id: int) -> Options:
    """Return the agents (id, name) and the topics (id, slug, name) of a workspace.

    In one query; of very many only the first by name.
    """
    quote = connection.ops.quote_name
    agents, topics = (quote(model._meta.db_table) for model in (Agent, Topic))
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT * FROM (SELECT id, NULL AS slug, name FROM {agents}"
            f" WHERE workspace_id = %s ORDER BY name LIMIT {_OPTIONS}) AS agents"
            f" UNION ALL SELECT * FROM (SELECT id, slug, name FROM {topics}"
            f" WHERE workspace_id = %s ORDER BY name LIMIT {_OPTIONS}) AS topics",
            [workspace_id, workspace_id],
        )
        rows = cursor.fetchall()
    return Options(
        tuple((row_id, name) for row_id, slug, name in rows if slug is None),
        tuple((row_id, slug, name) for row_id, slug, name in rows if slug is not None),
    )


def agent_id_of(options: Options, name: str, workspace_id: int) -> int | None:
    """Return the id of an agent by its name."""
    known = {agent: row_id for row_id, agent in options.agents}
    if name in known or len(options.agents) < _OPTIONS:
        return known.get(name)
    rows = Agent.objects.filter(workspace_id=workspace_id, name=name)
    return rows.values_list("id", flat=True).first()


def topic_ids_of(options: Options, slug: str, workspace_id: int) -> tuple[int, ...]:
    """Return the ids of the topics that have this slug."""
    known = tuple(row_id for row_id, other, _ in options.topics if other == slug)
    if known or len(options.topics) < _OPTIONS:
        return known
    rows = Topic.objects.filter(workspace_id=workspace_id, slug=slug)
    return tuple(rows.values_list("id", flat=True))
