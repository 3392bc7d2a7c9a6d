"""Entries of logs with their whole texts, for the rule that finds finished items."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from django.db.models import Q

from memoryhub.formats.text.decoding import decode
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.models import Workspace
from memoryhub.journal.precision import Precision
from memoryhub.sync.edit.gate import PRIVATE
from snapshots.models import LogEntry
from snapshots.rules.carried_over import Entry

#: Newest entries that may report an item as done, and files that are read for them.
_MOST_ENTRIES, _MOST_FILES = 2_000, 200
#: A larger file is not read; its entries have their first lines only.
_LARGEST = 200_000

#: File and line of an open item: it reports nothing.
Place = tuple[int, int]


class _Row(NamedTuple):
    at: datetime
    file_id: int
    line: int
    last_line: int
    id: int
    title: str
    excerpt: str
    blob_id: int | None
    size: int


_COLUMNS = (
    *("occurred_at", "file_id", "first_line", "last_line", "id", "title", "excerpt"),
    *("file__blob_id", "file__size"),
)


class Reading(NamedTuple):
    """Which entries are read: those of later days than `since`, on no open lines.

    `whole`: with their texts, as files are now; a past moment has their first lines.
    """

    since: datetime
    open_lines: frozenset[Place]
    private: bool
    whole: bool


def reporting_entries(workspace: Workspace, stated: Q, reading: Reading) -> list[Entry]:
    """Return the newest entries of logs that may report an item as done."""
    rows = LogEntry.objects.filter(
        stated,
        workspace=workspace,
        kind__in=(LogEntry.Kind.ENTRY, LogEntry.Kind.SESSION),
        occurred_at__gt=reading.since,
    )
    if not reading.private:
        rows = rows.exclude(file__path__iexact=PRIVATE)
    dated = rows.exclude(precision=Precision.NONE).order_by("-occurred_at", "-id")
    found = [_Row(*row) for row in dated.values_list(*_COLUMNS)[:_MOST_ENTRIES]]
    lines = _lines_by_file(found) if reading.whole else {}
    return [_entry(row, lines, reading.open_lines) for row in found]


def _lines_by_file(rows: Iterable[_Row]) -> dict[int, list[str]]:
    """Return the lines of the files with the newest entries."""
    blobs: dict[int, int] = {}
    for row in rows:
        if row.blob_id and row.size <= _LARGEST and len(blobs) < _MOST_FILES:
            blobs.setdefault(row.file_id, row.blob_id)
    data = bytes_by_id(set(blobs.values()))
    return {
        file_id: decode(data[blob_id]).text.split("\n")
        for file_id, blob_id in blobs.items()
        if blob_id in data
    }


def _entry(
    row: _Row, lines: dict[int, list[str]], open_lines: Collection[Place]
) -> Entry:
    written = lines.get(row.file_id)
    body = _body(row, written, open_lines) if written else ()
    text = "\n".join(body) or f"{row.title}\n{row.excerpt}"
    return Entry(row.at, row.file_id, row.line, row.id, row.title, text)


def _body(row: _Row, lines: list[str], open_lines: Collection[Place]) -> Iterator[str]:
    for number in range(row.line, min(row.last_line, len(lines)) + 1):
        if (row.file_id, number) not in open_lines:
            yield lines[number - 1].strip()
