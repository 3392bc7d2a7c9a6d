"""Snapshots and session memories as texts for other programs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date, datetime
from zoneinfo import ZoneInfo

from memoryhub.dialects import session_compact
from memoryhub.dialects.session_compact.session_memory import (
    MemoryRecord,
    iso_milliseconds,
    memory_id_for,
    with_carried,
)
from memoryhub.dialects.task_snapshot import LEAD_HEADING, append_block, led
from memoryhub.formats.base import Lines
from memoryhub.formats.text.dates import parse_timestamp
from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.source import newline_of, open_fence, split_lines
from memoryhub.journal.blobs import Gone, blob_bytes
from memoryhub.journal.models import Blob, Revision, SourceFile, Span, Workspace
from snapshots.models import AuthoredSpan, LogEntry, SessionMemory, Snapshot
from topics.models import Topic


def file_text(file: SourceFile) -> str:
    """Return the current text of a file."""
    return _text_of(file.blob) if file.blob else ""


def span_text(span: Span | Topic) -> str:
    """Return the text of the newest version of a file that contains a fact."""
    file = span.file
    if span.last_seq is None:
        return file_text(file)
    before = Revision.objects.filter(
        workspace_id=span.workspace_id,
        path=file.path,
        seq__lt=span.last_seq,
        blob__isnull=False,
    )
    revision = before.select_related("blob").last()
    if revision is None or revision.blob is None:
        return ""
    return _text_of(revision.blob)


def _text_of(blob: Blob) -> str:
    """Return a version's text; empty if it was forgotten."""
    try:
        return decode(blob_bytes(blob)).text
    except Gone:
        return ""


def lines_of(text: str, lines: Lines) -> str:
    """Return a range of lines of a text; the last one is ended."""
    found = "".join(split_lines(text)[lines.first - 1 : lines.last])
    return found if not found or found.endswith("\n") else found + newline_of(text)


def snapshot_text(snapshot: Snapshot) -> str:
    """Return a snapshot's block verbatim, from the last version with it."""
    lines = Lines(snapshot.first_line, snapshot.last_line)
    return lines_of(span_text(snapshot), lines)


def memory_records(workspace: Workspace) -> Iterator[MemoryRecord]:
    """Yield the session memories currently in files, oldest first, each with an id."""
    for memory, memory_id in memories_with_ids(workspace):
        yield memory_record(memory, memory_id)


def memories_with_ids(workspace: Workspace) -> Iterator[tuple[SessionMemory, str]]:
    """Yield the rows of session memories currently in files with ids, oldest first.

    A memory without an id gets ccw's id of its second.
    """
    memories = SessionMemory.objects.filter(workspace=workspace, last_seq__isnull=True)
    ordered = list(memories.select_related("file__blob").order_by("occurred_at", "id"))
    zone = ZoneInfo(workspace.time_zone)
    taken = {memory.memory_id for memory in ordered}
    given: set[str] = set()
    for memory in ordered:
        memory_id = memory.memory_id
        if not memory_id or memory_id in given:
            memory_id = memory_id_for(memory.occurred_at.astimezone(zone), taken)
        taken.add(memory_id)
        given.add(memory_id)
        yield memory, memory_id


def memory_record(memory: SessionMemory, memory_id: str) -> MemoryRecord:
    """Return a session memory in the form of ccw's store, under an id."""
    front, content = session_compact.split_content(file_text(memory.file))
    updated = parse_timestamp(front.get("updated"))
    at = iso_milliseconds(memory.occurred_at)
    record = MemoryRecord(
        memory_id=memory_id,
        content=content,
        summary=memory.summary,
        created_at=at,
        updated_at=iso_milliseconds(updated) if updated else at,
        archived=memory.archived,
        tags=tuple(map(str, memory.tags)),
    )
    return with_carried(record, front)


def day_texts(
    workspace: Workspace, apart: Mapping[int, Collection[int]]
) -> Iterator[tuple[date, str]]:
    """Yield a log for every day: its notes in file order, then its snapshots.

    `apart` are the lines of files, by their ids, that are exported elsewhere.
    """
    alive = {"workspace": workspace, "last_seq__isnull": True}
    entries = LogEntry.objects.filter(kind=LogEntry.Kind.ENTRY, **alive)
    snapshots = Snapshot.objects.filter(copy_of__isnull=True, **alive)
    days: dict[date, list[AuthoredSpan]] = defaultdict(list)
    for rows in (
        entries.order_by("file__path", "position"),
        snapshots.order_by("occurred_at", "file__path", "position"),
    ):
        for row in rows.select_related("file", "workspace"):
            days[_local(row).date()].append(row)
    texts = _Texts(workspace, apart)
    for day in sorted(days):
        yield day, _day_text(day, days[day], texts)


class _Texts:
    """The lines of files, each read once; notes exclude lines of other facts."""

    def __init__(
        self, workspace: Workspace, apart: Mapping[int, Collection[int]]
    ) -> None:
        self._cut = _block_lines(workspace)
        for file_id, lines in apart.items():
            self._cut[file_id].update(lines)
        self._lines: dict[int, list[str]] = {}

    def note(self, entry: AuthoredSpan) -> str:
        return self._joined(entry, self._cut[entry.file_id])

    def block(self, snapshot: AuthoredSpan) -> str:
        return self._joined(snapshot, frozenset())

    def _joined(self, row: AuthoredSpan, cut: Collection[int]) -> str:
        if row.file_id not in self._lines:
            text = file_text(row.file).replace("\r\n", "\n")
            self._lines[row.file_id] = split_lines(text)
            self._cut_leads(row.file_id)
        lines = self._lines[row.file_id]
        wanted = range(row.first_line, min(row.last_line, len(lines)) + 1)
        return "".join(lines[n - 1] for n in wanted if n not in cut)

    def _cut_leads(self, file_id: int) -> None:
        """Remove rules and headings directly above a block."""
        lines, cut = self._lines[file_id], self._cut[file_id]
        for first in sorted(cut):
            above = first - 1
            while above > 0 and above not in cut and _leads(lines[above - 1]):
                cut.add(above)
                above -= 1


def _leads(line: str) -> bool:
    return line.strip() in {"", "---"} or bool(LEAD_HEADING.match(line))


def _block_lines(workspace: Workspace) -> dict[int, set[int]]:
    """Return the lines of each file that are blocks of snapshots."""
    cut: dict[int, set[int]] = defaultdict(set)
    alive = Snapshot.objects.filter(workspace=workspace, last_seq__isnull=True)
    for file_id, first, last in alive.values_list("file_id", "first_line", "last_line"):
        cut[file_id].update(range(first, last + 1))
    return cut


def _day_text(day: date, rows: Iterable[AuthoredSpan], texts: _Texts) -> str:
    text = f"# {day.isoformat()}\n"
    for row in rows:
        if isinstance(row, Snapshot):
            block = led(texts.block(row), _local(row), terminated=row.terminated)
            text = append_block(text, block)
        elif note := texts.note(row).strip("\n"):
            text += f"\n{note}\n"
            if fence := open_fence(note):
                text += f"{fence}\n"
    return text


def _local(row: AuthoredSpan) -> datetime:
    return row.occurred_at.astimezone(ZoneInfo(row.workspace.time_zone))
