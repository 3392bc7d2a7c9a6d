"""Open items of a workspace: repeats folded into one, closed where work is reported."""

from __future__ import annotations

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from sys import maxsize
from threading import Lock
from typing import Any, Literal, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet
from django.utils import timezone

from memoryhub.database.stored_counts import stored_counts
from memoryhub.formats.text.decoding import decode
from memoryhub.journal.authors import agent_id_named
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.grades import Grade, of_grade
from memoryhub.journal.models import Agent, Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.sync.edit.gate import PRIVATE
from memoryhub.values.cursors import TimeKey
from memoryhub.values.identity import id_of
from snapshots.models import (
    NEWEST_FIRST,
    LogEntry,
    OpenItem,
    SessionMemory,
    Snapshot,
)
from snapshots.rules.carried_over import Entry, Item, Statement, items_of, with_reports
from topics.models import Topic
from topics.queries.decisions import most_named
from topics.queries.topics import topic_ids_named

#: Newest entries that may report an item as done, and files that are read for them.
_MOST_ENTRIES, _MOST_FILES = 2_000, 200
#: A larger file is not read; its entries have their first lines only.
_LARGEST = 200_000

#: File and line of an open item: it reports nothing.
_Place = tuple[int, int]


_COLUMNS = (
    *("occurred_at", "file_id", "first_line", "last_line", "id", "title", "excerpt"),
    *("file__blob_id", "file__size"),
)


def reporting_entries(
    rows: QuerySet[LogEntry],
    open_lines: Collection[_Place],
    *,
    private: bool,
    whole: bool,
) -> list[Entry]:
    """Return the newest entries of logs that may report an item as done.

    `whole`: with their texts, as files are now, without the open lines; a past moment
    has their first lines.
    """
    kinds = (LogEntry.Kind.ENTRY, LogEntry.Kind.SESSION)
    if not private:
        rows = rows.exclude(file__path__iexact=PRIVATE)
    dated = rows.filter(kind__in=kinds).exclude(precision=Precision.NONE)
    newest = dated.order_by("-occurred_at", "-id")[:_MOST_ENTRIES]
    found = list(newest.values_list(*_COLUMNS, named=True))
    lines = _lines_by_file(found) if whole else {}
    return [_entry(row, lines, open_lines) for row in found]


def _lines_by_file(rows: Iterable[Any]) -> dict[int, list[str]]:
    """Return the lines of the files with the newest entries."""
    blobs: dict[int, int] = {}
    for row in rows:
        if (
            row.file__blob_id
            and row.file__size <= _LARGEST
            and len(blobs) < _MOST_FILES
        ):
            blobs.setdefault(row.file_id, row.file__blob_id)
    data = bytes_by_id(set(blobs.values()))
    return {
        file_id: decode(data[blob_id]).text.split("\n")
        for file_id, blob_id in blobs.items()
        if blob_id in data
    }


def _entry(
    row: Any, lines: dict[int, list[str]], open_lines: Collection[_Place]
) -> Entry:
    written = lines.get(row.file_id)
    body = _body(row, written, open_lines) if written else ()
    text = "\n".join(body) or f"{row.title}\n{row.excerpt}"
    return Entry(row.occurred_at, row.file_id, row.first_line, row.id, row.title, text)


def _body(row: Any, lines: list[str], open_lines: Collection[_Place]) -> Iterator[str]:
    for number in range(row.first_line, min(row.last_line, len(lines)) + 1):
        if (row.file_id, number) not in open_lines:
            yield lines[number - 1].strip()


State = Literal["", "open", "done"]
#: Newest statements that are folded; a workspace with more is beyond reading.
_MOST = 6_000
PAGE_SIZE = 50
#: Entries of a workspace are read by one request at a time: all their sentences take
#: tens of megabytes meanwhile, and two at once are no faster.
_reading: defaultdict[UUID, Lock] = defaultdict(Lock)
#: Choices of a filter that are counted.
_FACET_SIZE = 12
#: Ages of open items: name, and the fewest days since they were first mentioned.
AGES = {"new": 0, "week": 2, "month": 8, "older": 31}

_Order = Callable[[Item], tuple[object, ...]]
#: Orders of the list, each with its sort key; items without a time come last.
ORDERS: dict[str, _Order] = {
    "": lambda work: (not work.is_dated, -work.last.timestamp(), -work.id),
    "oldest": lambda work: (not work.is_dated, work.since.timestamp(), work.id),
    "repeated": lambda work: (-work.times, *ORDERS["oldest"](work)),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Filter of items; empty values match all, the topic id None those of no topic.

    Without `private` what the private file alone states is left out.
    """

    state: State = "open"
    text: str = ""
    topic_ids: frozenset[int | None] | None = None
    agent_id: int | None = None
    age: str = ""
    private: bool = True
    grade: str = Grade.DECLARED
    confidence: float = 0.0

    def matches(self, work: Item, now: datetime) -> bool:
        return (
            (not self.state or work.state == self.state)
            and (self.agent_id is None or work.agent_id == self.agent_id)
            and (self.topic_ids is None or work.topic_id in self.topic_ids)
            and all(word in work.text.casefold() for word in self._words)
            and (not self.age or age_of(work, now) == self.age)
        )

    @property
    def _words(self) -> list[str]:
        return self.text.casefold().split()[:8]


class Facets(NamedTuple):
    """Numbers of the wanted items by each further filter."""

    topics: tuple[tuple[Topic, int], ...]
    agents: tuple[tuple[Agent, int], ...]
    ages: Counter[str]


class Place(NamedTuple):
    """A statement of an item, with its row and file."""

    row: OpenItem | LogEntry
    is_done: bool

    @property
    def text(self) -> str:
        return self.row.text if isinstance(self.row, OpenItem) else self.row.title


class OwnedItem(NamedTuple):
    """An item with the row of its newest statement, and its owners."""

    work: Item
    row: OpenItem
    agent: Agent | None
    topic: Topic | None
    #: The entry of a log that reports the item as done, if one does.
    report: LogEntry | None = None

    @property
    def shown(self) -> OpenItem | LogEntry:
        """The row of the place to show: the report, else the newest statement."""
        return self.report or self.row

    @property
    def place(self) -> str:
        """Path and first line of the place to show."""
        return f"{self.shown.file.path}:{self.shown.first_line}"


def open_work(workspace: Workspace, *, private: bool = True) -> tuple[Item, ...]:
    """Return all items of a workspace, open and done, mentioned last first; cached.

    Without `private` statements in the private file are left out.
    """
    return _of_both_grades(workspace, private)[0]


def suggested_work(workspace: Workspace, *, private: bool = True) -> tuple[Item, ...]:
    """Return the items that are open and only suggested, mentioned last first."""
    return _of_both_grades(workspace, private)[1]


def _of_both_grades(
    workspace: Workspace, private: bool
) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    name = ("open work", private)

    def found() -> tuple[tuple[Item, ...], tuple[Item, ...]]:
        declared, suggested = _folded(workspace, private)
        return tuple(declared), tuple(suggested)

    return cached(workspace, name, found, scan=False)


def open_count(workspace: Workspace) -> int:
    """Return the number of open items."""
    return open_counts([workspace]).get(workspace.pk, 0)


def open_counts(workspaces: Iterable[Workspace]) -> dict[int, int]:
    """Return the stored numbers of open items, by id of imported workspaces."""
    known = [each for each in workspaces if each.projected_seq]
    return stored_counts(
        "open items",
        {each: (each.projected_seq, each.time_zone) for each in known},
        lambda each: (sum(not work.closing for work in open_work(each)), None),
        timezone.now(),
    )


def reported_done(workspace: Workspace) -> frozenset[int]:
    """Return the ids of statements of items that are done now; cached."""
    return cached(
        workspace,
        "reported done",
        lambda: frozenset(
            each.id
            for work in open_work(workspace)
            if work.closing
            for each in work.statements
        ),
        scan=False,
    )


def superseded(
    workspace: Workspace, stated: Q | None = None, *, among: Collection[int] = ()
) -> frozenset[int]:
    """Return the ids of items in snapshots and session memories that are not newest.

    The newest of each agent and topic counts, of those that match `stated`: all that
    files have now. With `among` only these items are looked up.
    """
    stated = Q(last_seq__isnull=True) if stated is None else stated
    past: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for model in (Snapshot, SessionMemory):
        seen = set[tuple[int | None, int | None]]()
        rows = model._default_manager.filter(stated, workspace=workspace)
        columns = ("agent_id", "topic_id", "file_id", "first_line", "last_line")
        for *owner, file_id, first, last in rows.order_by(*NEWEST_FIRST).values_list(
            *columns
        ):
            if (key := (owner[0], owner[1])) in seen:
                past[file_id].append((first, last))
            seen.add(key)
    for places in past.values():
        places.sort()
    items = OpenItem.everything.filter(stated, workspace=workspace, file_id__in=past)
    if among:
        items = items.filter(pk__in=among)
    found = set[int]()
    for row_id, file_id, line in items.values_list("id", "file_id", "first_line"):
        above = bisect(past[file_id], (line, maxsize))
        if above and line <= past[file_id][above - 1][1]:
            found.add(row_id)
    return frozenset(found)


def newest_open(
    workspace: Workspace,
    number: int,
    wanted: Wanted | None = None,
    *,
    seq: int | None = None,
) -> list[Item]:
    """Return the open items mentioned last, now or as files had them at a seq."""
    wanted = wanted or Wanted()
    if seq is None:
        works: Sequence[Item] = open_work(workspace, private=wanted.private)
    else:
        works = _folded(workspace, wanted.private, seq)[0]
    matching = (work for work in works if wanted.matches(work, work.last))
    return [work for _, work in zip(range(number), matching, strict=False)]


def wanted_items(
    workspace: Workspace,
    *,
    topic: str = "",
    agent: str = "",
    **others: Any,
) -> Wanted:
    """Return the filter of items; an unknown topic or agent matches none.

    `others` are fields of the filter.
    """
    topic_ids = frozenset(topic_ids_named(workspace, topic)) if topic else None
    agent_id = agent_id_named(workspace.pk, agent) if agent else None
    return Wanted(topic_ids=topic_ids, agent_id=agent_id, **others)


def selected(
    workspace: Workspace, wanted: Wanted, now: datetime, order: str = ""
) -> list[Item]:
    """Return the wanted items in an order of `ORDERS`."""
    works: tuple[Item, ...] = ()
    if wanted.grade != Grade.SUGGESTED:
        works = open_work(workspace, private=wanted.private)
    if wanted.grade != Grade.DECLARED:
        works += suggested_work(workspace, private=wanted.private)
    found = [work for work in works if wanted.matches(work, now)]
    if wanted.confidence:
        rows = of_grade(OpenItem, "all", wanted.confidence).filter(workspace=workspace)
        sure = set(rows.values_list("id", flat=True))
        found = [work for work in found if work.newest.id in sure]
    return sorted(found, key=ORDERS[order])


def after_cursor(found: Sequence[Item], place: TimeKey | None) -> list[Item]:
    """Return the items after a cursor in the list by their last mention."""
    if place is None:
        return list(found)
    ids = [work.id for work in found]
    if place[1] in ids:
        return list(found[ids.index(place[1]) + 1 :])
    return [w for w in found if not w.is_dated or (w.last, w.id) < place]


def age_of(work: Item, now: datetime) -> str:
    """Return the name of an item's age; empty if it is unknown."""
    if not work.is_dated:
        return ""
    days = (now - work.since).days
    return max(
        (name for name in AGES if AGES[name] <= max(days, 0)), key=AGES.__getitem__
    )


def facets_of(found: Sequence[Item], now: datetime) -> Facets:
    """Count items by topic, agent and age, in two queries."""
    topics = Counter(work.topic_id for work in found)
    agents = Counter(work.agent_id for work in found)
    return Facets(
        most_named(Topic.objects.all(), topics, _FACET_SIZE),
        most_named(Agent.objects.all(), agents, _FACET_SIZE),
        Counter(age_of(work, now) for work in found),
    )


def owned_items(works: Sequence[Item]) -> list[OwnedItem]:
    """Return items with their rows, owners and reports, in four queries."""
    rows = OpenItem.everything.select_related("file", "workspace")
    found = rows.in_bulk([work.newest.id for work in works])
    agents = Agent.objects.in_bulk({w.agent_id for w in works if w.agent_id})
    topics = Topic.objects.in_bulk({w.topic_id for w in works if w.topic_id})
    entries = LogEntry.objects.select_related("file")
    reports = entries.in_bulk({w.report_id for w in works if w.report_id})
    return [
        OwnedItem(
            work,
            row,
            agents.get(work.agent_id or 0),
            topics.get(work.topic_id or 0),
            reports.get(work.report_id),
        )
        for work in works
        if (row := found.get(work.newest.id)) is not None
    ]


def work_by_code(
    workspace: Workspace, code: str, *, private: bool = True
) -> Item | None:
    """Return the item of a URL's code: that of any of its statements."""
    try:
        row_id = id_of(code)
    except ValueError:
        return None

    def by_statement() -> dict[int, Item]:
        works = open_work(workspace, private=private)
        found = {each.id: work for work in works for each in work.statements}
        suggested = suggested_work(workspace, private=private)
        return {each.id: work for work in suggested for each in work.open} | found

    name = ("work by statement", private)
    return cached(workspace, name, by_statement, scan=False).get(row_id)


def places_of(work: Item) -> list[Place]:
    """Return the statements of an item, newest first, a log's report before them."""
    ids = [each.id for each in work.statements]
    rows = OpenItem.everything.select_related("file", "agent").in_bulk(ids[-200:])
    found = [
        Place(rows[each.id], each.done)
        for each in reversed(work.statements)
        if each.id in rows
    ]
    if not work.report_id:
        return found
    entries = LogEntry.objects.select_related("file", "agent")
    return [*(Place(row, True) for row in entries.filter(pk=work.report_id)), *found]


def _folded(
    workspace: Workspace, private: bool, seq: int | None = None
) -> tuple[list[Item], list[Item]]:
    """Return the declared work, now or at a seq, and the suggested work open now."""
    stated = Q(last_seq__isnull=True)
    if seq is not None:
        stated = Q(stated | Q(last_seq__gt=seq), first_seq__lte=seq)
    grade = "all" if seq is None else Grade.DECLARED
    rows = of_grade(OpenItem, grade).filter(stated, workspace=workspace)
    if not private:
        rows = rows.exclude(file__path__iexact=PRIVATE)
    columns = rows.order_by("-occurred_at", "-id").values_list(
        *("occurred_at", "file_id", "first_line", "id", "text", "done", "mark"),
        *("precision", "agent_id", "topic_id", "grade"),
    )
    statements: list[Statement] = []
    declared: list[Statement] = []
    owners: dict[int, tuple[int | None, int | None]] = {}
    for at, file_id, line, row_id, text, done, mark, precision, *owner in columns:
        own, is_dated = not done or bool(mark), precision != Precision.NONE
        one = Statement(at, file_id, line, row_id, text, done, own, is_dated=is_dated)
        statements.append(one)
        if owner[2] == Grade.DECLARED:
            declared.append(one)
        owners[row_id] = owner[0], owner[1]
    past = superseded(workspace, stated)

    def current(folded: Iterable[Item]) -> Iterator[Item]:
        for item in folded:
            if item.closing or not past.issuperset(each.id for each in item.open):
                yield item

    items = [*current(items_of(declared[:_MOST]))]
    number, known = len(items), {each.id for each in declared}
    if len(known) < len(statements):
        # What is suggested and declared elsewhere is declared.
        items += (
            item
            for item in current(items_of(statements[:_MOST]))
            if not item.closing and known.isdisjoint(each.id for each in item.open)
        )
    if still_open := [item for item in items if not item.closing]:
        open_lines = {(one.file_id, one.line) for one in declared if not one.done}
        later = LogEntry.objects.filter(
            stated,
            workspace=workspace,
            occurred_at__gt=min(item.last for item in still_open),
        )
        with _reading[workspace.uuid]:
            entries = reporting_entries(
                later, open_lines, private=private, whole=seq is None
            )
            items = with_reports(items, entries, ZoneInfo(workspace.time_zone))
    works = [_owned(item, owners) for item in items]
    return works[:number], [work for work in works[number:] if not work.closing]


def _owned(item: Item, owners: dict[int, tuple[int | None, int | None]]) -> Item:
    newest_first = [owners[each.id] for each in reversed(item.open or item.statements)]
    agent = next((agent for agent, _ in newest_first if agent), None)
    topic = next((topic for _, topic in newest_first if topic), None)
    return replace(item, agent_id=agent, topic_id=topic)
