"""Content of one day: entries, snapshots, open items, decisions, changes; the overview.

What a file of the first import says without a time is of the day in the file's name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePosixPath
from typing import TypeVar
from zoneinfo import ZoneInfo

from django.db.models import OuterRef, Q, QuerySet, Subquery

from memoryhub.dialects.registry import FALLBACK, by_name, parse_as
from memoryhub.events.models import UNTIMED, Event
from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.diffing import split_text
from memoryhub.formats.text.line_edits import folded
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.grades import declared
from memoryhub.journal.models import Source, Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.journal.untimed import UNDATED_LAST, first_import, times_on_disk, untimed
from memoryhub.recall.topic import injected_tokens
from memoryhub.sync.edit.gate import PRIVATE
from memoryhub.timeline.queries.changed_files import (
    ChangedFile,
    changed_between,
    named_days,
)
from snapshots.models import Compaction, LogEntry, OpenItem, Snapshot
from topics.models import Decision, Directive, Topic

#: Decisions and directives that are shown, and directives that repeats are found in.
_STATEMENTS, _LOOKED_THROUGH = 3, 60
#: Entries of the newest day, and the lines that each shows of its text.
_ENTRIES, _LINES = 3, 14
#: Limit of topics with a recall size, and of the events that decide which are busiest.
_TOPICS, _EVENTS = 4, 500


#: The start of a day, and of the next one.
Span = tuple[datetime, datetime]


#: Limits of a day's entries on one page, and of its snapshots and items.
ENTRIES, OTHERS = 100, 100
#: Of a longer entry a page shows the beginning.
LINES = 400
#: Events by which a day has something to show.
_KINDS = (
    Event.Kind.NOTE,
    Event.Kind.SESSION,
    Event.Kind.SNAPSHOT,
    Event.Kind.DECISION,
)


@dataclass(frozen=True, slots=True)
class DayEntry:
    """An entry with the lines its file has for it now."""

    entry: LogEntry
    lines: tuple[str, ...]
    cut: bool
    #: Its text if the file is data, in which lines are no text to read.
    data_text: str | None = None

    @property
    def text(self) -> str:
        """Its lines without the heading."""
        if self.data_text is not None:
            return self.data_text
        begun = 1 if self.lines and self.lines[0].lstrip().startswith("#") else 0
        return "\n".join(self.lines[begun:]).strip("\n")


@dataclass(frozen=True, slots=True)
class DayFacts:
    """Content of one day, with the files that changed on it."""

    entries: tuple[DayEntry, ...]
    snapshots: tuple[Snapshot, ...]
    items: tuple[OpenItem, ...]
    decisions: tuple[Decision, ...]
    directives: tuple[Directive, ...]
    files: tuple[ChangedFile, ...]
    more: bool

    @property
    def is_empty(self) -> bool:
        """Whether the day has neither content nor changed files."""
        stated = self.entries or self.items or self.decisions or self.directives
        return not (stated or self.snapshots or self.files)


def day_facts(
    workspace: Workspace, start: datetime, end: datetime, *, private: bool = True
) -> DayFacts:
    """Return the content of files for the time from `start` to before `end`.

    Of the private file only with `private`, except decisions and the file's name.
    Entries are in the order of their time, and those of a file in its order.
    """
    files = changed_between(workspace, start, end)
    span = replace(_Day.of(workspace, start, end, files), private=private)
    entries = span.rows(LogEntry, ENTRIES + 1)
    snapshots = span.rows(Snapshot, OTHERS)
    return DayFacts(
        entries=tuple(with_lines(entries[:ENTRIES])),
        snapshots=tuple(s for s in snapshots if s.copy_of_id is None),
        items=tuple(span.rows(OpenItem, OTHERS)),
        decisions=tuple(span.decisions()),
        directives=tuple(span.rows(Directive, OTHERS)),
        files=files,
        more=len(entries) > ENTRIES,
    )


def count_entries(workspace: Workspace, start: datetime, end: datetime) -> int:
    """Return the number of entries that a day's page lists."""
    span = _Day.of(workspace, start, end, changed_between(workspace, start, end))
    return min(sum(rows.count() for rows in span.parts(LogEntry)), ENTRIES)


T = TypeVar("T", LogEntry, Snapshot, OpenItem, Directive)


@dataclass(frozen=True, slots=True)
class _Day:
    """A time span, and the files of the first import dated within it."""

    workspace: Workspace
    start: datetime
    end: datetime
    files: Collection[int | None]
    private: bool = True

    @classmethod
    def of(
        cls,
        workspace: Workspace,
        start: datetime,
        end: datetime,
        files: Iterable[ChangedFile],
    ) -> _Day:
        """Return the span with those of the files that changed in it."""
        read = [file.file_id for file in files if file.verb == "read"]
        return cls(workspace, start, end, read)

    def parts(self, model: type[T]) -> list[QuerySet[T]]:
        """Return a model's rows of the span: timed ones oldest first, then the rest."""
        rows = declared(model).filter(workspace=self.workspace, last_seq__isnull=True)
        if not self.private:
            rows = rows.exclude(file__path__iexact=PRIVATE)
        timed = rows.filter(self._span).exclude(untimed(self.workspace))
        found = [timed.order_by("occurred_at", "file_id", "position")]
        if self.files:
            of_files = rows.filter(untimed(self.workspace), file_id__in=self.files)
            found.append(of_files.order_by("file_id", "position"))
        return found

    def rows(self, model: type[T], limit: int) -> list[T]:
        """Return the first of a model's rows of the span."""
        found: list[T] = []
        for rows in self.parts(model):
            related = rows.select_related("file", "agent", "topic")
            found += related[: limit - len(found)] if len(found) < limit else ()
        return found

    def decisions(self) -> list[Decision]:
        """Return the decisions of the span that a file states, in the order of time."""
        rows = Decision.objects.filter(workspace=self.workspace, last_seq__isnull=True)
        rows = rows.select_related("agent", "topic").order_by("occurred_at", "id")
        found = list(rows.filter(self._span).exclude(untimed(self.workspace))[:OTHERS])
        if self.files:
            stated = Source.objects.filter(
                target_kind=Source.Target.DECISION,
                last_seq__isnull=True,
                file_id__in=self.files,
            ).values("target_id")
            found += rows.filter(untimed(self.workspace), pk__in=stated)[:OTHERS]
        return found[:OTHERS]

    @property
    def _span(self) -> Q:
        return Q(occurred_at__gte=self.start, occurred_at__lt=self.end)


def with_lines(entries: Sequence[LogEntry], limit: int = LINES) -> Iterable[DayEntry]:
    """Yield entries with up to `limit` lines; files are read in one query."""
    blobs = {e.file.blob_id for e in entries if e.file.blob_id is not None}
    texts = {
        blob: split_text(decode(data).text) for blob, data in bytes_by_id(blobs).items()
    }
    parts = _DataTexts(texts)
    for entry in entries:
        lines = texts.get(entry.file.blob_id or 0, [])
        last = min(entry.last_line, entry.first_line + limit - 1)
        shown = tuple(lines[entry.first_line - 1 : last])
        yield DayEntry(entry, shown, last < entry.last_line, parts.text_of(entry))


class _DataTexts:
    """Texts of entries of data files, each of which is parsed once."""

    def __init__(self, texts: Mapping[int, Sequence[str]]) -> None:
        self._texts = texts
        self._parts: dict[int, dict[tuple[int, str], str]] = {}

    def text_of(self, entry: LogEntry) -> str | None:
        """Return the text of a data file's entry; None for one of a text."""
        dialect = by_name(entry.file.format)
        if not dialect.is_data:
            return None
        blob = entry.file.blob_id or 0
        if blob not in self._parts:
            text = "\n".join(self._texts.get(blob, ()))
            note = parse_as(dialect, PurePosixPath(entry.file.path), text)
            parts = note.parts
            self._parts[blob] = {(p.lines.first, p.title): p.excerpt for p in parts}
        return self._parts[blob].get((entry.first_line, entry.title), entry.excerpt)


def neighbours(
    workspace: Workspace, start: datetime, end: datetime
) -> tuple[datetime | None, datetime | None]:
    """Return when there was last something before a day, and first after it.

    Each kind is looked up by one index walk.
    """
    before, after = list[datetime](), list[datetime]()
    for kind in _KINDS:
        rows = _timed_events(workspace).filter(kind=kind)
        at = rows.values_list("occurred_at", flat=True)
        before += at.filter(occurred_at__lt=start).order_by("-occurred_at")[:1]
        after += at.filter(occurred_at__gte=end).order_by("occurred_at")[:1]
    named = named_days(workspace)
    before += [at for at in named if at < start]
    after += [at for at in named if at >= end]
    return max(before, default=None), min(after, default=None)


#: Entries but for notes with front matter, which state a day and are no log.
OF_LOGS = ~Q(file__format=FALLBACK.name, first_line__gt=1)


def newest(
    workspace: Workspace, before: datetime, wanted: Q | None = None
) -> datetime | None:
    """Return the time of the newest entry before a time, else of another thing.

    `wanted` restricts the entries. Without entries a workspace has decisions, snapshots
    or files of some day.
    """
    entries = LogEntry.objects.filter(
        workspace=workspace, last_seq__isnull=True, occurred_at__lt=before
    ).exclude(untimed(workspace))
    entries = entries.filter(wanted) if wanted else entries
    at = entries.order_by("-occurred_at").values_list("occurred_at", flat=True).first()
    if at is not None:
        return at
    found: list[datetime | None] = [
        next((at for at in named_days(workspace) if at < before), None)
    ]
    for kind in _KINDS:
        rows = _timed_events(workspace).filter(kind=kind, occurred_at__lt=before)
        times = rows.order_by("-occurred_at").values_list("occurred_at", flat=True)
        found.append(times.first())
    return max(filter(None, found), default=None)


def _timed_events(workspace: Workspace) -> QuerySet[Event]:
    return Event.objects.filter(workspace=workspace).exclude(UNTIMED)


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
