"""A workspace in one plain form, independent of its agents' dialects.

Importing it again gives the same topics, decisions, snapshots, bindings, session
memories and handoffs. Notes of logs keep their words; other files are not included.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from zoneinfo import ZoneInfo

from django.db.models import F

from memoryhub.dialects import decision_log
from memoryhub.dialects.memory_index import (
    PointerLine,
    render_index,
)
from memoryhub.dialects.session_compact.session_memory import render_memory_file
from memoryhub.disk.files import UnreadableFile
from memoryhub.disk.places import Place, read_file
from memoryhub.disk.replacing import replace_file
from memoryhub.exports.record_texts import plain_topic
from memoryhub.formats.text.javascript import stringify
from memoryhub.handoffs.exporters import block_lines, handoff_texts
from memoryhub.journal.models import Workspace
from memoryhub.sync.edit.writing import file_lock, place_of
from memoryhub.sync.export import ExportFile
from snapshots.exporters import day_texts, memory_records
from topics.models import SessionBinding, Topic
from topics.queries.decisions import decision_texts

_INDEX_FILES = 10
#: Not in names of files on all systems; a percent sign is, so that it stays readable.
_UNSAFE = frozenset('<>:"/\\|?*')
_NAME_BYTES = 180


class _Names:
    """Assigns a unique name to every file, even on case-insensitive file systems."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def free(self, folder: str, stem: str, suffix: str) -> str:
        safe, number = safe_name(stem), 1
        path = f"{folder}/{safe}{suffix}"
        while path.casefold() in self._taken:
            number += 1
            path = f"{folder}/{safe}-{number}{suffix}"
        self._taken.add(path.casefold())
        return path


def canonical_files(workspace: Workspace) -> Iterator[ExportFile]:
    """Yield the files of the plain form, each with a unique name."""
    names = _Names()
    index: list[PointerLine] = []
    for topic in _topics(workspace):
        path = names.free("memory", f"context-{topic.name}", ".md")
        index.append(PointerLine(_first_line(topic.status) or topic.name, path))
        yield _file(path, plain_topic(topic))
    if bindings := _bindings(workspace):
        text = stringify(bindings)
        yield _file("memory/context-session-map.json", text)
    days = []
    for day, text in day_texts(workspace, block_lines(workspace)):
        days.append(f"memory/{day.isoformat()}.md")
        yield _file(days[-1], text)
    for stem, text in handoff_texts(workspace):
        yield _file(names.free("memory/handoffs", stem, ".md"), text)
    for record in memory_records(workspace):
        path = names.free("memory/sessions", record.memory_id, ".md")
        yield _file(path, render_memory_file(record))
    if decisions := list(decision_texts(workspace)):
        yield _file("memory/decisions.md", decision_log.render_log(decisions))
    yield _file("MEMORY.md", _index_text(workspace, index, days))


def write_missing(
    workspace: Workspace, files: Iterable[ExportFile]
) -> tuple[list[str], list[str]]:
    """Write the files missing from a workspace; return those and the skipped ones.

    A file that exists with the same content is in neither list.
    """
    made: list[str] = []
    kept: list[str] = []
    for file in files:
        place = place_of(workspace, file.path)
        with file_lock(workspace, file.path):
            if place.status() is None:
                replace_file(place, file.data, expected=None)
                made.append(file.path)
            elif not _says(place, file.data):
                kept.append(file.path)
    return made, kept


def safe_name(name: str) -> str:
    """Return a name valid on every file system; invalid characters are percent-encoded.

    A name too long is cut.
    """
    found = "".join(
        "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "replace"))
        if (char in _UNSAFE or not (char.isprintable() or char == "\u3000"))
        else char
        for char in name
    )
    if found[-1:] in {" ", "."}:
        found = f"{found[:-1]}%{ord(found[-1]):02X}"
    return found.encode()[:_NAME_BYTES].decode("utf-8", "ignore")


def _file(path: str, text: str) -> ExportFile:
    return ExportFile(path, text.encode("utf-8", "replace"))


def _says(place: Place, data: bytes) -> bool:
    try:
        return read_file(place).data == data
    except UnreadableFile:
        return False


def _topics(workspace: Workspace) -> Iterable[Topic]:
    """Return the topics currently in files, the most recently updated first."""
    alive = Topic.objects.filter(workspace=workspace, last_seq__isnull=True)
    newest = F("updated_on").desc(nulls_last=True)
    return alive.select_related("file__blob").order_by(newest, "name", "id")


def _bindings(workspace: Workspace) -> dict[str, str]:
    alive = SessionBinding.objects.filter(
        workspace=workspace, last_seq__isnull=True, in_map=True
    )
    pairs = alive.order_by("first_seq", "session_key")
    return dict(pairs.values_list("session_key", "topic_name"))


def _index_text(
    workspace: Workspace, topics: list[PointerLine], days: list[str]
) -> str:
    newest = workspace.revisions.order_by("-seq").first()
    updated = newest.recorded_at if newest else workspace.created_at
    files = [PointerLine("what was decided, and why", "memory/decisions.md")]
    files += [
        PointerLine("notes and snapshots of the day", path)
        for path in reversed(days[-_INDEX_FILES:])
    ]
    return render_index(
        updated.astimezone(ZoneInfo(workspace.time_zone)),
        projects=[PointerLine(workspace.name, "memory/decisions.md")],
        tasks=topics,
        files=files,
    )


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
