"""Texts quoted by a recall, each from its file's version at some moment."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet

from memoryhub.dialects import memory_index
from memoryhub.dialects.decision_log import render_decision
from memoryhub.dialects.task_snapshot import find_snapshots
from memoryhub.disk.places import Presence
from memoryhub.formats.text.dates import after_title
from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.frontmatter import without_markup
from memoryhub.formats.text.line_edits import folded
from memoryhub.formats.text.mentions import files_in
from memoryhub.formats.text.merging import settled
from memoryhub.handoffs.models import Handoff
from memoryhub.health.pointers import places_of
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.models import Revision, SourceFile, Workspace
from memoryhub.journal.versions import version_at
from snapshots.models import AuthoredSpan, LogEntry, SessionMemory, Snapshot
from snapshots.queries.open_items import OwnedItem
from topics.models import Decision
from topics.queries.decisions import decision_text

#: Characters of a statement in a line of a recall; the file has all.
_LINE_SIZE = 400


@dataclass(frozen=True, slots=True)
class Passage:
    """A text under a heading, with its file and its first line there.

    The heading has no words from files; `about` describes the text in such words.
    """

    heading: str
    text: str
    path: str = ""
    line: int = 0
    about: str = ""


@dataclass(frozen=True, slots=True)
class TextAt:
    """A file's text: now, before a fact was lost, or at a seq; without a file none."""

    file: SourceFile | None
    last_seq: int | None = None
    seq: int | None = None

    @property
    def newest(self) -> int | None:
        """The last seq whose version counts; None for the newest version."""
        last = None if self.last_seq is None else self.last_seq - 1
        known = [seq for seq in (last, self.seq) if seq is not None]
        return min(known) if known else None


def texts_at(workspace: Workspace, requested: Sequence[TextAt]) -> list[str]:
    """Return texts of files at given moments, in two queries for all of them."""
    blobs = _blobs_then(workspace, requested)
    for one in requested:
        if one.file is not None and one.newest is None and one.file.blob_id:
            blobs[one] = one.file.blob_id
    data = bytes_by_id(set(blobs.values()))
    texts = {blob_id: settled(decode(found).text) for blob_id, found in data.items()}
    return [texts.get(blobs.get(one, 0), "") for one in requested]


def _blobs_then(workspace: Workspace, requested: Sequence[TextAt]) -> dict[TextAt, int]:
    earlier = [
        one for one in requested if one.file is not None and one.newest is not None
    ]
    if not earlier:
        return {}
    newest = Q()
    for one in earlier:
        newest |= Q(pk=_versions(workspace, one).values("pk")[:1])
    rows = Revision.objects.filter(newest).values_list("path", "seq", "blob_id")
    known = sorted(rows, key=lambda row: row[1])
    found: dict[TextAt, int] = {}
    for one in earlier:
        for path, seq, blob_id in known:
            if one.file and path == one.file.path and seq <= (one.newest or 0):
                found[one] = blob_id
        if one not in found and (blob := _under_another_name(workspace, one)):
            found[one] = blob
    return found


def _versions(workspace: Workspace, one: TextAt) -> QuerySet[Revision]:
    path = one.file.path if one.file else ""
    rows = Revision.objects.filter(workspace=workspace, path=path, blob__isnull=False)
    return rows.filter(seq__lte=one.newest).order_by("-seq")


def _under_another_name(workspace: Workspace, one: TextAt) -> int | None:
    """Return the version of a file that was moved to its path only later."""
    if one.file is None:
        return None
    version = version_at(workspace, one.file.path, one.newest)
    return version.blob_id if version else None


def snapshot_passage(
    snapshot: Snapshot, text: str, label: str, *, then: bool
) -> Passage:
    """Return the block of a snapshot; its position may differ in an earlier version."""
    first, last = snapshot.first_line, snapshot.last_line
    if then:
        first, last = _lines_then(text, snapshot)
    lines = text.replace("\r\n", "\n").split("\n")[max(0, first - 1) : last]
    when = _when(snapshot, "%Y-%m-%d %H:%M")
    agent = f" by {snapshot.agent.name}" if snapshot.agent else ""
    path = snapshot.file.path
    about = f"{snapshot.snapshot_id}, {when}{agent} ({path})"
    return Passage(label, "\n".join(lines), path, first, about)


def memory_passage(memory: SessionMemory, text: str) -> Passage:
    """Return a session memory as the fallback of a missing snapshot."""
    path = memory.file.path
    about = f"{memory.memory_id or path} ({path})"
    return Passage("No snapshot; the newest session memory", text, path, 1, about)


def _lines_then(text: str, snapshot: Snapshot) -> tuple[int, int]:
    for found in find_snapshots(text):
        if found.snapshot_id == snapshot.snapshot_id:
            return found.lines.first, found.lines.last
    return snapshot.first_line, snapshot.last_line


def note_line(entry: LogEntry) -> str:
    """Return a note of a log as one line: its heading and text, or its text alone."""
    title, text = entry.title, entry.excerpt
    if not text:
        words = title
    elif after_title(text, title) == text:
        words = f"{title}: {text}"
    else:
        words = text[text.find(title) :]
    words = folded(without_markup(words))
    return f"- {_when(entry, '%Y-%m-%d')}: {words} ({entry.file.path})"


def handoff_line(row: Handoff, state: str) -> str:
    """Return a handoff as one line."""
    words = " ".join(row.context.split()) or "(no context given)"
    expected = " ".join(row.expected_output.split())
    tail = f" Expected: {expected}" if expected else ""
    who = f"{row.sender or '?'} -> {row.recipient or '?'}"
    return (
        f"- {row.task_id} ({row.type}, {state.replace('_', ' ')}) {who}: {words}{tail}"
    )


def decision_line(row: Decision) -> str:
    """Return a decision in the form of a topic's Key Decisions, a reason once."""
    said = replace(decision_text(row), supersedes="")
    if said.reason.casefold() in said.text.casefold():
        said = replace(said, reason="")
    return f"- {render_decision(said)}"


def open_item_line(found: OwnedItem) -> str:
    """Return an open item as one line: since when, how often, by whom and where."""
    work, zone = found.work, ZoneInfo(found.row.workspace.time_zone)
    since = f"since {work.since.astimezone(zone):%Y-%m-%d}"
    facts = [since if work.is_dated else "undated"]
    facts += [f"mentioned {work.times} times"] if work.times > 1 else []
    facts += [found.agent.name] if found.agent else []
    facts += [f"topic {found.topic.name}"] if found.topic else []
    return f"- {cut_words(work.text)} ({'; '.join([*facts, found.place])})"


def cut_words(text: str) -> str:
    """Return a text in one line, cut where a list has no room for more."""
    words = folded(text)
    return words if len(words) <= _LINE_SIZE else f"{words[:_LINE_SIZE]}…"


def _when(row: AuthoredSpan, form: str) -> str:
    """Return the time that a row states, in its workspace's zone, or "undated"."""
    if row.stated_at is None:
        return "undated"
    return row.stated_at.astimezone(ZoneInfo(row.workspace.time_zone)).strftime(form)


#: Limit of paths checked in one recall.
_LOOKED_FOR = 100
_LINK = re.compile(r"\]\(<?([^()<>\s#]{1,300})")
_ADDRESS = re.compile(r"[A-Za-z][\w+.-]+:")
_DRIVE = re.compile(r"[A-Za-z]:[/\\]")


@dataclass(frozen=True, slots=True)
class NamedPaths:
    """Paths named in a text: dangling ones, and unchecked ones elsewhere."""

    gone: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()


def named_paths(
    texts: Iterable[tuple[str, str]], root: str, there: Presence
) -> NamedPaths:
    """Return the dangling paths in texts, each with the path of its own file.

    Paths outside the workspace are never checked, nor more than a hundred.
    """
    gone: dict[str, None] = {}
    outside: dict[str, None] = {}
    named = [(path, target) for path, text in texts for target in _targets(text)]
    for path, target in dict.fromkeys(named[:_LOOKED_FOR]):
        places = _places(path, target, root)
        if not places:
            outside[target] = None
        elif not any(map(there, places)):
            gone[target] = None
    return NamedPaths(tuple(gone), tuple(outside))


def _targets(text: str) -> list[str]:
    """Return the files named in a text: paths, pointers, and links except addresses."""
    pointers = (pointer.target for pointer in memory_index.parse(text).pointers)
    found = (*files_in(text), *pointers, *_LINK.findall(text))
    return [name for name in dict.fromkeys(found) if not _ADDRESS.match(name)]


def _places(path: str, target: str, root: str) -> list[str]:
    """Return possible paths of a target in the workspace; absolute ones below root."""
    if _DRIVE.match(target):
        return []
    if target.startswith("/"):
        inside = posixpath.relpath(posixpath.normpath(target), root)
        return [] if inside == ".." or inside.startswith("../") else [inside]
    return places_of(path, target)
