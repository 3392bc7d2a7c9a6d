"""Current content of all logs for one day: entries, snapshots and open items."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from django.db.models import Q

from memoryhub.events.models import Event
from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.diffing import split_text
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.models import Workspace
from memoryhub.journal.precision import Precision
from memoryhub.timeline.queries.workspaces import first_import
from snapshots.models import AuthoredSpan, LogEntry, OpenItem, Snapshot

#: Limits of a day's entries on one page, and of its snapshots and items.
ENTRIES, OTHERS = 100, 100
#: Of a longer entry a page shows the beginning.
LINES = 400


@dataclass(frozen=True, slots=True)
class DayEntry:
    """An entry with the lines its file has for it now."""

    entry: LogEntry
    lines: tuple[str, ...]
    cut: bool

    @property
    def text(self) -> str:
        """Its lines without the heading."""
        begun = 1 if self.lines and self.lines[0].lstrip().startswith("#") else 0
        return "\n".join(self.lines[begun:]).strip("\n")


@dataclass(frozen=True, slots=True)
class DayFacts:
    """The entries, snapshots and open items of one day."""

    entries: tuple[DayEntry, ...]
    snapshots: tuple[Snapshot, ...]
    items: tuple[OpenItem, ...]
    more: bool


def day_facts(workspace: Workspace, start: datetime, end: datetime) -> DayFacts:
    """Return the content of files for the time from `start` to before `end`.

    Entries are in the order of their time, and those of a file in its order.
    """
    entries = _current(LogEntry, workspace, start, end, ENTRIES + 1)
    snapshots = _current(Snapshot, workspace, start, end, OTHERS)
    return DayFacts(
        entries=tuple(_with_lines(entries[:ENTRIES])),
        snapshots=tuple(s for s in snapshots if s.copy_of_id is None),
        items=tuple(_current(OpenItem, workspace, start, end, OTHERS)),
        more=len(entries) > ENTRIES,
    )


T = TypeVar("T", bound=AuthoredSpan)


def _current(
    model: type[T], workspace: Workspace, start: datetime, end: datetime, limit: int
) -> list[T]:
    rows = model._default_manager.filter(
        workspace=workspace,
        occurred_at__gte=start,
        occurred_at__lt=end,
        last_seq__isnull=True,
    )
    untimed = Q(precision=Precision.NONE, first_seq__lte=first_import(workspace))
    rows = rows.exclude(untimed).select_related("file", "agent", "topic")
    return list(rows.order_by("occurred_at", "file_id", "position")[:limit])


def _with_lines(entries: list[LogEntry]) -> Iterable[DayEntry]:
    """Read each file once, all of them in one query."""
    blobs = {e.file.blob_id for e in entries if e.file.blob_id is not None}
    texts = {
        blob: split_text(decode(data).text) for blob, data in bytes_by_id(blobs).items()
    }
    for entry in entries:
        lines = texts.get(entry.file.blob_id or 0, [])
        last = min(entry.last_line, entry.first_line + LINES - 1)
        shown = tuple(lines[entry.first_line - 1 : last])
        yield DayEntry(entry, shown, cut=last < entry.last_line)


def neighbours(
    workspace: Workspace, start: datetime, end: datetime
) -> tuple[datetime | None, datetime | None]:
    """Return when a note or snapshot was last before a day, and first after it.

    Each kind is looked up by one index walk.
    """
    before, after = list[datetime](), list[datetime]()
    for kind in (Event.Kind.NOTE, Event.Kind.SNAPSHOT):
        rows = Event.objects.filter(workspace=workspace, kind=kind)
        at = rows.values_list("occurred_at", flat=True)
        before += at.filter(occurred_at__lt=start).order_by("-occurred_at")[:1]
        after += at.filter(occurred_at__gte=end).order_by("occurred_at")[:1]
    return max(before, default=None), min(after, default=None)


def newest(workspace: Workspace) -> datetime | None:
    """Return the time of the newest note or snapshot."""
    rows = LogEntry.objects.filter(workspace=workspace, last_seq__isnull=True)
    latest = rows.order_by("-occurred_at").values_list("occurred_at", flat=True)
    return latest.first()
