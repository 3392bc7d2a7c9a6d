"""A workspace in one plain form, whatever dialects its agents write.

Importing it again gives the same topics, decisions, snapshots, bindings, session
memories and handoffs. Notes of logs are kept in their words; other files are not in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from zoneinfo import ZoneInfo

from django.db.models import F

from memoryhub.disk.files import UnreadableFile
from memoryhub.disk.places import Place, read_file
from memoryhub.disk.replacing import replace_file
from memoryhub.formats.ccw.session_memory import render_memory_file
from memoryhub.formats.optimizer import decision_log
from memoryhub.formats.optimizer.decision_text import DecisionText, render_decision
from memoryhub.formats.optimizer.memory_index_rendering import (
    IndexContents,
    PointerLine,
    render_index,
)
from memoryhub.formats.snap_memory import session_map, topic_context
from memoryhub.formats.snap_memory.topic_lines import plain_status
from memoryhub.formats.text.line_edits import folded
from memoryhub.handoffs.exporters import block_lines, handoff_texts
from memoryhub.journal.models import Workspace
from memoryhub.journal.precision import Precision
from memoryhub.sync.edit.writing import file_lock, place_of
from memoryhub.sync.export import ExportFile
from snapshots.exporters import day_texts, file_text, memory_records
from topics.models import Decision, HistoryEntry, SessionBinding, Topic

_INDEX_FILES = 10
#: Not in names of files on all systems; a percent sign is, so that it stays readable.
_UNSAFE = frozenset('<>:"/\\|?*')
_NAME_BYTES = 180


class _Names:
    """Gives every file a name of its own, also where case is not told apart."""

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
    """Give the files of the plain form, each with a name of its own."""
    names = _Names()
    index: list[PointerLine] = []
    for topic in _topics(workspace):
        path = names.free("memory", f"context-{topic.name}", ".md")
        index.append(PointerLine(_first_line(topic.status) or topic.name, path))
        yield _file(path, topic_text(topic))
    if bindings := _bindings(workspace):
        text = session_map.render_map(bindings)
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
    """Write the files that a workspace does not have; return those and the others.

    A file that is there already and says the same is neither.
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
    """Return a name that every file system takes; what does not fit is percent-encoded.

    A name too long is cut.
    """
    found = "".join(
        "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "replace"))
        if _is_unsafe(char)
        else char
        for char in name
    )
    if found[-1:] in {" ", "."}:
        found = f"{found[:-1]}%{ord(found[-1]):02X}"
    return found.encode()[:_NAME_BYTES].decode("utf-8", "ignore")


def _is_unsafe(char: str) -> bool:
    return char in _UNSAFE or not (char.isprintable() or char == "\u3000")


def _file(path: str, text: str) -> ExportFile:
    return ExportFile(path, text.encode("utf-8", "replace"))


def _says(place: Place, data: bytes) -> bool:
    try:
        return read_file(place).data == data
    except UnreadableFile:
        return False


def _topics(workspace: Workspace) -> Iterable[Topic]:
    """Return the topics that files say now, those worked on last at first."""
    alive = Topic.objects.filter(workspace=workspace, last_seq__isnull=True)
    newest = F("updated_on").desc(nulls_last=True)
    return alive.select_related("file__blob").order_by(newest, "name", "id")


def topic_text(topic: Topic) -> str:
    """Return a topic's file: its own values, or those that another dialect says."""
    if topic.kind == Topic.Kind.CONTEXT:
        document = topic_context.parse(file_text(topic.file))
        return topic_context.render_values(document).replace("\r", "")
    days = {"created": topic.created_on, "updated": topic.updated_on}
    meta = {key: day.isoformat() for key, day in days.items() if day}
    said = topic.decisions.filter(last_seq__isnull=True).order_by("occurred_at", "id")
    decisions = [render_decision(decision_text(each)) for each in said]
    told = topic.history.filter(last_seq__isnull=True).order_by("position")
    history = [folded(_history_line(entry)) for entry in told]
    status = plain_status(topic.status)
    return topic_context.render_topic(topic.name, meta, status, decisions, history)


def _history_line(entry: HistoryEntry) -> str:
    if entry.precision == Precision.NONE:
        return entry.text
    return f"{_local_day(entry)}: {entry.text}"


def _bindings(workspace: Workspace) -> dict[str, str]:
    alive = SessionBinding.objects.filter(
        workspace=workspace, last_seq__isnull=True, in_map=True
    )
    pairs = alive.order_by("first_seq", "session_key")
    return dict(pairs.values_list("session_key", "topic_name"))


def decision_texts(workspace: Workspace) -> Iterator[DecisionText]:
    """Give every decision, oldest first; a rejection follows what it rejects."""
    known = Decision.objects.filter(workspace=workspace).select_related("workspace")
    said = [(decision_text(decision), decision) for decision in known]
    for text, decision in sorted(said, key=lambda pair: _age(*pair)):
        yield text
        if decision.state == Decision.State.REJECTED:
            yield DecisionText(text.date, text.text, rejected=True)


def _age(text: DecisionText, decision: Decision) -> tuple[date, str]:
    return text.date or _local_day(decision), text.text


def decision_text(decision: Decision) -> DecisionText:
    day = decision.decided_on
    if day is None and decision.precision != Precision.NONE:
        day = _local_day(decision)
    return DecisionText(
        day,
        folded(decision.text),
        folded(decision.reason),
        folded(decision.supersedes_text),
        folded(decision.signed_off_by),
        decision.signed_off_on,
    )


def _local_day(row: Decision | HistoryEntry) -> date:
    return row.occurred_at.astimezone(ZoneInfo(row.workspace.time_zone)).date()


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
    contents = IndexContents(
        projects=[PointerLine(workspace.name, "memory/decisions.md")],
        tasks=topics,
        files=files,
    )
    return render_index(contents, updated.astimezone(ZoneInfo(workspace.time_zone)))


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
