"""Rows of the timeline, paginated by place.

Every query walks an index from the newest row down and stops early.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from memoryhub.events.models import NO_TIME, UNTIMED, Event
from memoryhub.handoffs.queries.sides import called
from memoryhub.journal.authors import changed_by
from memoryhub.timeline.queries.filters import (
    Filter,
    data_as_seen,
    events_elsewhere,
    indexed_part,
    sent_from,
    topics_of,
)
from memoryhub.values.cursors import decode_cursor, encode_cursor
from memoryhub.values.identity import id_of
from topics.models import Decision, Topic

#: Length and duration from and up to which an agent's history lines are one burst.
SHORTEST_BURST, LONGEST_BURST = 4, timedelta(minutes=10)


def bursts_of(
    rows: Sequence[EventRow], apart: frozenset[int] = frozenset()
) -> Iterator[Sequence[EventRow]]:
    """Yield rows in their order, those of a burst together and others alone.

    Bursts are found within the rows of a page, so pagination is unaware of them.

    No burst crosses a row whose id is in `apart`.
    """
    begun = 0
    for place in range(1, len(rows) + 1):
        pair = rows[place - 1 : place + 1]
        together = len(pair) == 2 and _goes_on(rows[begun], *pair)
        if together and pair[0].id not in apart:
            continue
        run = rows[begun:place]
        yield from (run,) if len(run) >= SHORTEST_BURST else ((row,) for row in run)
        begun = place


def _goes_on(first: EventRow, last: EventRow, row: EventRow) -> bool:
    return (
        row.kind == last.kind == "history"
        and bool(row.agent)
        and row.agent == last.agent
        and first.occurred_at - row.occurred_at <= LONGEST_BURST
    )


PAGE_SIZE = 50
#: Limit of events scanned for one page by a filter without an index.
SEARCH_WINDOW = 5_000
_POSITION_BITS = 20
_MOST_POSITION = (1 << 63) - 1
#: Limit of new events in a workspace within which their end is searched.
_NEWS_WINDOW = 1_000
BY_TIME = ("-occurred_at", "-position")

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
    "recorded_at",
    "workspace__slug",
    "origin",
)


class EventRow(NamedTuple):
    """An event with the names of its agent, topic and file.

    `home` is the slug of its workspace, `origin` that of the one that sent its handoff.
    """

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
    recorded_at: datetime
    home: str = ""
    origin: str = ""
    #: Read from the side of `origin`: its position is in another journal.
    away: bool = False

    @property
    def has_time(self) -> bool:
        """Whether it is known when it was; rows without come last in order of time."""
        return self.occurred_at != NO_TIME

    @property
    def seq(self) -> int:
        """The journal entry that created it."""
        return self.position >> _POSITION_BITS


class Place(NamedTuple):
    """A cursor on the timeline; the rows after it in a list are older.

    `news` is set while everything above it is new to the reader. `away`: position of
    the last row in another journal, where rows are in the order they were recorded.
    """

    at: datetime
    position: int
    news: bool = False
    away: int = -1

    def encode(self) -> str:
        """Return the cursor in its form for URLs."""
        return encode_cursor(self.at, self.position, int(self.news), self.away)


def decode_place(text: str) -> Place:
    """Return the cursor in a URL's text.

    Raises:
        ValueError: Not a cursor of a timeline.
    """
    at, position, news, away = decode_cursor(text, datetime, int, int, int)
    assert isinstance(at, datetime)
    assert isinstance(position, int) and isinstance(away, int)
    return Place(at, position, bool(news), away)


@dataclass(frozen=True, slots=True)
class Page:
    """Events in order, newest first, and the cursor of older ones.

    `searched` is set if only the filter's window was searched.
    """

    events: tuple[EventRow, ...]
    older: Place | None
    searched: bool = False


def timeline_page(filters: Filter, before: Place | None = None) -> Page:
    """Return the next events of a filter, newest first."""
    indexed, rest = indexed_part(filters)
    rows = _ordered(Event.objects.filter(indexed), filters, before)
    floor = _floor(rows, filters) if rest else None
    rows = rows.filter(rest)
    sent = _sent_elsewhere(filters, before)
    if floor:
        rows = rows.filter(_not_before(floor, filters))
        sent = [row for row in sent if _key(row, filters) > _floor_key(floor, filters)]
    found = [*_read(rows), *sent]
    found.sort(key=lambda row: _key(row, filters), reverse=True)
    size = PAGE_SIZE
    # Rows of two journals can have the same key, which one cursor cannot tell apart.
    while len(found) > size and _key(found[size], filters) == _key(
        found[size - 1], filters
    ):
        size += 1
    if len(found) <= size:
        return Page(tuple(found), floor, searched=floor is not None)
    shown = found[:size]
    return Page(tuple(shown), _after(shown, filters, before))


def event_rows_after(filters: Filter, limit: int = PAGE_SIZE) -> tuple[EventRow, ...]:
    """Return the events recorded after `filters.after`, newest first by time.

    Without those that have none.
    """
    indexed, rest = indexed_part(filters)
    rows = Event.objects.filter(indexed & rest & ~UNTIMED).order_by("-position")
    found = [EventRow(*row) for row in rows.values_list(*_COLUMNS)[:limit]]
    found += _sent_elsewhere(filters, None)
    found.sort(key=lambda row: _key(row, filters), reverse=True)
    newest = found[:limit]
    newest.sort(key=lambda row: (row.occurred_at, row.position), reverse=True)
    return tuple(newest)


def event_author(row: EventRow, owner: Callable[[str], str]) -> str:
    """Return whose an event is, in words; of a file or a change, who changed it."""
    if row.kind == Event.Kind.FILE or row.verb in ("changed", "ticked"):
        return changed_by(row.actor, owner(row.path or ""))
    return row.agent or row.actor


def decision_states(rows: Iterable[EventRow]) -> dict[int, str]:
    """Return the current states of the decisions among events, by `target_id`."""
    ids = {row.target_id or 0 for row in rows if row.kind == Event.Kind.DECISION}
    known = Decision.objects.filter(pk__in=ids) if ids else []
    return {decision.pk: decision.state for decision in known}


def place_at(workspace_id: int, code: str) -> Place | None:
    """Return the cursor of a list that begins with the event of this code."""
    try:
        row_id = id_of(code)
    except ValueError:
        return None
    found = None
    own = Event.objects.filter(workspace_id=workspace_id)
    for rows in (own, sent_from(workspace_id)):
        row = rows.filter(id=row_id).values_list("occurred_at", "position")
        found = found or row.first()
    return Place(found[0], found[1] + 1) if found else None


def others_are_new(
    filters: Filter, seen: int, before: Place | None, known: int
) -> bool:
    """Return whether more than `known` events from a cursor on are new to a person.

    Always True if very many are new in the whole workspace.
    """
    indexed = Q(workspace_id=filters.workspace_id, position__gt=seen)
    newest = Event.objects.filter(indexed).order_by("-position")
    if filters != Filter(
        filters.workspace_id, after=filters.after, until=filters.until
    ):
        if newest.values("pk")[_NEWS_WINDOW : _NEWS_WINDOW + 1]:
            return True
        part, rest = indexed_part(filters)
        newest = newest.filter(part & rest)
    if before is not None:
        newest = newest.filter(_older(before, filters))
    return len(newest.values_list("pk", flat=True)[: known + 1]) > known


def _read(rows: QuerySet[Event]) -> list[EventRow]:
    """Return the rows of a page, and one more if there are further ones."""
    return [EventRow(*row) for row in rows.values_list(*_COLUMNS)[: PAGE_SIZE + 1]]


def _after(shown: Sequence[EventRow], filters: Filter, before: Place | None) -> Place:
    """Return the cursor behind the last row of a page."""
    last = shown[-1]
    if filters.after is None:
        return Place(last.occurred_at, last.position)
    own = [row.position for row in shown if not row.away]
    reached = own[-1] if own else before.position if before else _MOST_POSITION
    return Place(last.recorded_at, reached, away=last.position if last.away else -1)


def _key(row: EventRow, filters: Filter) -> tuple[datetime, bool, int]:
    """Return the sort key of a row; as recorded, own ones come before others."""
    if filters.after is None:
        return row.occurred_at, False, row.position
    return row.recorded_at, not row.away, row.position


def _floor_key(floor: Place, filters: Filter) -> tuple[datetime, bool, int]:
    return floor.at, filters.after is not None, floor.position


def _sent_elsewhere(filters: Filter, before: Place | None) -> list[EventRow]:
    """Return the next events of handoffs sent elsewhere, as the sender sees them."""
    rows = events_elsewhere(filters)
    if filters.after is None:
        rows = rows.order_by(*BY_TIME)
        rows = rows.filter(_older(before, filters)) if before else rows
    else:
        rows = rows.order_by("-recorded_at", "-position")
        rows = rows.filter(_recorded_before(before)) if before else rows
    found = _read(rows)
    topics = topics_of(filters.workspace_id, (row.target_id or 0 for row in found))
    return [_as_seen(row, topics.get(row.target_id or 0)) for row in found]


def _recorded_before(before: Place) -> Q:
    """Return the condition for rows of other journals after a cursor."""
    if before.away < 0:
        return Q(recorded_at__lte=before.at)
    tied = Q(recorded_at=before.at, position__lt=before.away)
    return Q(recorded_at__lt=before.at) | tied


def _as_seen(row: EventRow, topic: Topic | None) -> EventRow:
    """Return an event of another workspace with the sender's names and topic."""
    return row._replace(
        actor=row.actor and called(row.actor, row.home, row.origin),
        agent=row.agent and called(row.agent, row.home, row.origin),
        data=data_as_seen(row.data, row.home, row.origin),
        topic=topic.name if topic else None,
        topic_slug=topic.slug if topic else None,
        path=row.path and f"{row.home}/{row.path}",
        away=True,
    )


def _ordered(
    rows: QuerySet[Event], filters: Filter, before: Place | None
) -> QuerySet[Event]:
    order = ("-position",) if filters.after is not None else BY_TIME
    rows = rows.order_by(*order)
    return rows if before is None else rows.filter(_older(before, filters))


def _older(before: Place, filters: Filter) -> Q:
    """Return the condition for rows after a cursor, in the form of one index walk."""
    if filters.after is not None:
        return Q(position__lt=before.position)
    older = Q(occurred_at__lt=before.at) | Q(position__lt=before.position)
    return Q(occurred_at__lte=before.at) & older


def _not_before(floor: Place, filters: Filter) -> Q:
    if filters.after is not None:
        return Q(position__gte=floor.position)
    newer = Q(occurred_at__gt=floor.at) | Q(position__gte=floor.position)
    return Q(occurred_at__gte=floor.at) & newer


def _floor(rows: QuerySet[Event], filters: Filter) -> Place | None:
    """Return the cursor at the end of the search window, if more rows follow."""
    time = "occurred_at" if filters.after is None else "recorded_at"
    found = rows.values_list(time, "position")[SEARCH_WINDOW - 1 : SEARCH_WINDOW + 1]
    return Place(*found[0]) if len(found) > 1 else None


class Count(NamedTuple):
    """A number of things; with `more` a lower bound."""

    number: int
    more: bool = False

    def __str__(self) -> str:
        return f"{self.number}+" if self.more else str(self.number)
