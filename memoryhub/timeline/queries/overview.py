"""Data of the overview except agents and turns, each in one query or two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from django.db.models import OuterRef, Q, QuerySet, Subquery

from memoryhub.events.models import Event
from memoryhub.formats.text.line_edits import folded
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.journal.untimed import UNDATED_LAST, first_import, times_on_disk, untimed
from memoryhub.recall.topic import injected_tokens
from memoryhub.timeline.queries.days import (
    OF_LOGS,
    DayEntry,
    count_entries,
    newest,
    with_lines,
)
from snapshots.models import Compaction, LogEntry, Snapshot
from topics.models import Decision, Directive, Topic

#: Decisions and directives that are shown, and directives that repeats are found in.
_STATEMENTS, _LOOKED_THROUGH = 3, 60
#: Entries of the newest day, and the lines that each shows of its text.
_ENTRIES, _LINES = 3, 14
#: Limit of topics with a recall size, and of the events that decide which are busiest.
_TOPICS, _EVENTS = 4, 500


#: The start of a day, and of the next one.
Span = tuple[datetime, datetime]


@dataclass(frozen=True, slots=True)
class NewestDay:
    """The newest entries of the last day that has any, and the number on its page."""

    at: datetime
    entries: tuple[DayEntry, ...]
    total: int


def newest_entries(
    workspace: Workspace, bounds: Callable[[datetime], Span], now: datetime
) -> NewestDay | None:
    """Return the newest entries of the last day of logs; None without any entry.

    `bounds` returns the span of a moment's day.
    """
    at = newest(workspace, bounds(now)[1], OF_LOGS)
    if at is None:
        return None
    start, end = bounds(at)
    rows = LogEntry.objects.filter(
        OF_LOGS,
        workspace=workspace,
        last_seq__isnull=True,
        occurred_at__gte=start,
        occurred_at__lt=end,
    ).exclude(untimed(workspace))
    ids = rows.order_by("-occurred_at", "file_id", "-position").values_list("pk")
    found = [pk for (pk,) in ids[:_ENTRIES]]
    entries = rows.select_related("file", "agent", "topic").in_bulk(found)
    chosen = [entries[pk] for pk in found if pk in entries]
    total = count_entries(workspace, start, end)
    return NewestDay(at, tuple(with_lines(chosen, _LINES)), total)


def recent_decisions(workspace: Workspace) -> list[Decision]:
    """Return the newest valid decisions that files state; cached."""
    return cached(workspace, "recent-decisions", lambda: _recent_decisions(workspace))


def _recent_decisions(workspace: Workspace) -> list[Decision]:
    rows = Decision.objects.filter(workspace=workspace, last_seq__isnull=True)
    rows = rows.filter(state__in=Decision.STANDING).select_related("topic", "agent")
    return list(rows.order_by(UNDATED_LAST, "-occurred_at", "id")[:_STATEMENTS])


def recent_directives(workspace: Workspace, *, people: bool) -> list[Directive]:
    """Return the newest directives of people, or other rules, each text once."""
    key = ("recent-directives", people)
    return cached(workspace, key, lambda: _recent_directives(workspace, people=people))


def directives_of(workspace: Workspace, *, people: bool) -> QuerySet[Directive]:
    """Return the directives of people, or other rules, unordered."""
    rows = Directive.objects.filter(workspace=workspace, last_seq__isnull=True)
    of_people = Q(origin=Directive.Origin.PERSON)
    rows = rows.filter(of_people if people else ~of_people)
    return rows.select_related("file", "agent", "topic")


def _recent_directives(workspace: Workspace, *, people: bool) -> list[Directive]:
    newest: dict[str, Directive] = {}
    rows = directives_of(workspace, people=people)
    ordered = rows.order_by(UNDATED_LAST, "-occurred_at", "id")
    for row in ordered[:_LOOKED_THROUGH]:
        newest.setdefault(folded(row.text).casefold(), row)
    return list(newest.values())[:_STATEMENTS]


def changed_on_disk(
    workspace: Workspace, rows: Iterable[Decision | Directive]
) -> dict[int, datetime]:
    """Return when the files of undated rows were changed, by the first seq of a row.

    Of a file that the first import read on the same day this says nothing: it is the
    time of a clone or a copy as well.
    """
    undated = {row.first_seq for row in rows if row.precision == Precision.NONE}
    times = times_on_disk(workspace, undated) if undated else {}
    first, zone = first_import(workspace), ZoneInfo(workspace.time_zone)
    added_on = workspace.created_at.astimezone(zone).date()
    return {
        seq: at
        for seq, at in times.items()
        if seq > first or at.astimezone(zone).date() < added_on
    }


@dataclass(frozen=True, slots=True)
class RecallSize:
    """A topic's tokens in snap-memory's form, and when it was saved and compacted."""

    name: str
    slug: str
    tokens: int
    saved_at: datetime | None
    compacted_at: datetime | None


def recall_sizes(workspace: Workspace) -> list[RecallSize]:
    """Return the recall sizes of the busiest topics, the busiest first.

    Busiest are the topics with most of the newest events.
    """
    return cached(workspace, "recall-sizes", lambda: _recall_sizes(workspace))


def _recall_sizes(workspace: Workspace) -> list[RecallSize]:
    events = Event.objects.filter(workspace=workspace, topic__last_seq__isnull=True)
    latest = events.exclude(topic=None).order_by("-occurred_at", "-position")
    ids = Counter(latest.values_list("topic_id", flat=True)[:_EVENTS])
    busiest = [row_id for row_id, _ in ids.most_common(_TOPICS)]
    rows = Topic.objects.filter(pk__in=busiest, kind=Topic.Kind.CONTEXT)
    rows = rows.select_related("file")
    topics = list(
        rows.annotate(saved_at=_newest(Snapshot), compacted_at=_newest(Compaction))
    )
    topics.sort(key=lambda topic: busiest.index(topic.pk))
    tokens = injected_tokens(workspace, topics)
    return [
        RecallSize(t.name, t.slug, tokens[t.pk], t.saved_at, t.compacted_at)
        for t in topics
    ]


def _newest(model: type[Snapshot] | type[Compaction]) -> Subquery:
    rows = model._default_manager.filter(topic=OuterRef("pk"))
    return Subquery(rows.order_by("-occurred_at").values("occurred_at")[:1])
