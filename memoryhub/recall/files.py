"""Files that a recall quotes where nothing else leads to them, best first.

Long-term memory and the newest handoff note are quoted; of other notes the first words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import PurePosixPath
from typing import NamedTuple

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from memoryhub.dialects import handoff_note
from memoryhub.dialects.dialect import NO_RANK
from memoryhub.dialects.file_days import date_of
from memoryhub.dialects.registry import by_name
from memoryhub.dialects.roles import READ
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.frontmatter import without_markup
from memoryhub.formats.text.line_edits import folded
from memoryhub.formats.text.merging import settled
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.models import Problem, Revision, SourceFile, Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.journal.problems import UNREAD
from memoryhub.journal.versions import text_of, version_at
from memoryhub.recall.texts import Passage
from memoryhub.sync.edit.gate import is_private

#: Files that are looked at, and how many of them are quoted or listed.
_LOOKED_AT, _MEMORIES, _NOTES, _WHOLE = 5_000, 4, 8, 3
_SUFFIXES = (".md", ".markdown", ".mdc", ".txt")
#: Bytes of all listed notes up to which they are quoted whole.
_SMALL = 4_000
#: Largest file that is listed with its first words, and how many of these.
_SIZE, _WORDS = 400_000, 240
#: Handoff notes of which the newest is looked for, and characters read of each.
_HANDOFF_NOTES, _READ = 12, 40_000
#: A line of facts about a file itself, at its beginning.
_FIELD = re.compile(
    r"[-*_> ]{0,6}(?:date|status|from|to|author|owner|created|updated|modified|type"
    r"|tags|cwd|thread_id|updated_at|deciders|version|id)[*_ ]{0,4}:",
    re.IGNORECASE,
)
_MARK = re.compile(r"^(?:#{1,6}|[-*+>]|\d{1,3}[.)])[ \t]+|\*\*|`+")


class WorkspaceFile(NamedTuple):
    """A file of the workspace, with the time at which it was last changed."""

    path: str
    format: str
    role: str
    blob_id: int
    size: int
    changed_ns: int

    @property
    def name(self) -> str:
        """The file's name without its suffix, in one case."""
        return self.path.rpartition("/")[2].rpartition(".")[0].casefold()

    @property
    def folders(self) -> list[str]:
        return self.path.casefold().split("/")[:-1]

    @property
    def rank(self) -> int:
        """Its place among long-term memory; `NO_RANK` if it is none."""
        if self.name == "memory_summary":
            return 0
        return by_name(self.format).recall_rank(PurePosixPath(self.path))

    @property
    def is_index(self) -> bool:
        """Whether it is the workspace's long-term memory itself."""
        return by_name(self.format).is_index or self.name == "memory_summary"

    @property
    def is_background(self) -> bool:
        """Whether it is no memory of work, or its content is given as rows."""
        is_known = by_name(self.format).in_rows(PurePosixPath(self.path))
        return is_known or self.role not in READ


class FilesOfRecall(NamedTuple):
    """Files of a recall: long-term memory, the handoff note, other notes, the rest."""

    memory: tuple[WorkspaceFile, ...]
    handoff: WorkspaceFile | None
    notes: tuple[WorkspaceFile, ...]
    rest: tuple[WorkspaceFile, ...]


def files_of_recall(
    workspace: Workspace, agent: str = "", *, private: bool = True
) -> FilesOfRecall:
    """Return the files that a recall quotes, for an agent or for all; cached."""
    name = ("recall files", agent, private)
    return cached(workspace, name, lambda: _chosen(workspace, agent, private))


def _chosen(workspace: Workspace, agent: str, private: bool) -> FilesOfRecall:
    known = cached(workspace, "recall files", lambda: _known(workspace))
    if not private:
        known = tuple(file for file in known if not is_private(file.path))
    ranked = [file for file in known if file.rank < NO_RANK]
    ranked.sort(key=lambda file: _place(file, agent))
    memory = tuple(ranked[:_MEMORIES])
    others = [file for file in known if file not in memory]
    note = _newest_handoff_note(workspace)
    handoff = next((file for file in others if file.path == note), None)
    notes = [f for f in others if f is not handoff and not f.is_background]
    rest = [file for file in others if file.is_background]
    return FilesOfRecall(memory, handoff, tuple(notes[:_NOTES]), tuple(rest[:_WHOLE]))


def _newest_handoff_note(workspace: Workspace) -> str:
    """Return the path of the handoff note with the newest day; empty without one."""
    files = SourceFile.objects.filter(
        workspace=workspace,
        present=True,
        format=handoff_note.NAME,
        role__in=READ,
        blob__isnull=False,
    ).order_by("-seq")
    blobs = dict(files.values_list("path", "blob_id")[:_HANDOFF_NOTES])
    texts = bytes_by_id([blob for blob in blobs.values() if blob])

    def day(path: str) -> date:
        text = decode(texts[blobs[path]]).text[:_READ]
        (note,) = handoff_note.parse(text, PurePosixPath(path)).parts
        return note.time.at or date.min

    return max((path for path in blobs if blobs[path] in texts), key=day, default="")


def _place(file: WorkspaceFile, agent: str) -> tuple[bool, int, int, int]:
    """Return the sort key of long-term memory: the agent's own before all others."""
    is_own = bool(agent) and agent.casefold() in file.folders
    return not is_own, file.rank, len(file.folders), -file.changed_ns


def _known(workspace: Workspace) -> tuple[WorkspaceFile, ...]:
    """Return the files with text that was changed last, newest first.

    Instructions and documents only where there is nothing else.
    """
    files = SourceFile.objects.filter(workspace=workspace)
    return _newest(files.filter(role__in=READ)) or _newest(files)


def _newest(files: QuerySet[SourceFile]) -> tuple[WorkspaceFile, ...]:
    revision = Revision.objects.filter(
        workspace=OuterRef("workspace"), seq=OuterRef("seq")
    )
    unread = Problem.objects.filter(
        workspace=OuterRef("workspace"),
        path=OuterRef("path"),
        until_seq=None,
        code_name__in=UNREAD,
    )
    rows = files.filter(~Exists(unread), present=True, size__gt=0, blob__isnull=False)
    rows = rows.annotate(changed=Subquery(revision.values("mtime_ns")[:1]))
    columns = rows.order_by("-seq").values_list(
        "path", "format", "role", "blob_id", "size", "changed", "recorded_at"
    )
    found = [
        WorkspaceFile(path, name, role, blob, size, _changed(path, changed, at))
        for path, name, role, blob, size, changed, at in columns[:_LOOKED_AT]
        if path.casefold().endswith(_SUFFIXES)
    ]
    return tuple(sorted(found, key=lambda f: (f.changed_ns, f.path), reverse=True))


def _changed(path: str, mtime_ns: int, recorded_at: datetime) -> int:
    """Return the end of the day in a file's name if it is earlier than its time."""
    at = mtime_ns or int(recorded_at.timestamp() * 1e9)
    day = date_of(PurePosixPath(path))
    if day is None:
        return at
    named = datetime(day.year, day.month, day.day, 23, 59, tzinfo=UTC)
    return min(at, int(named.timestamp() * 1e9))


def memory_passages(
    files: Iterable[WorkspaceFile], workspace: Workspace, seq: int | None = None
) -> Iterator[tuple[str, Passage]]:
    """Yield the texts of long-term memory, now or at a past moment.

    The private file has a key of its own.
    """
    found = _with_texts(files)
    if seq is not None:
        versions = [(file, version_at(workspace, file.path, seq)) for file, _ in found]
        found = [(file, text_of(version)) for file, version in versions if version]
    for file, text in found:
        key = "index" if is_private(file.path) else f"memory:{file.path}"
        yield key, Passage("Long-term memory", text, file.path, 1, _about(file, text))


def note_passages(files: Sequence[WorkspaceFile]) -> Iterator[tuple[str, Passage]]:
    """Yield small notes whole; of many or large ones the first words, a line each."""
    if sum(file.size for file in files) <= _SMALL:
        yield from file_passages(files, "Newest note", "file")
        return
    listed = [file for file in files if file.size <= _SIZE]
    if lines := [_line(file, text) for file, text in _with_texts(listed)]:
        yield "files", Passage(f"Newest notes ({len(lines)})", "\n".join(lines))


def file_passages(
    files: Iterable[WorkspaceFile], heading: str, key: str
) -> Iterator[tuple[str, Passage]]:
    """Yield whole texts of files under a heading."""
    for file, text in _with_texts(files):
        yield (
            f"{key}:{file.path}",
            Passage(heading, text, file.path, 1, _about(file, text)),
        )


def _about(file: WorkspaceFile, text: str) -> str:
    """Return a file's path, with the description that its front matter gives."""
    description = folded(frontmatter.split(text).get("description"))
    return f"{file.path}: {description}" if description else file.path


def _line(file: WorkspaceFile, text: str) -> str:
    matter = frontmatter.split(text)
    title = matter.get("title") or matter.get("name") or PurePosixPath(file.path).stem
    words = matter.get("description") or _first_words(without_markup(text))
    return f"- {folded(title)[:_WORDS]}: {folded(words)} ({file.path})"


def _first_words(body: str) -> str:
    """Return the first words of a text, without its title and facts about the file."""
    words = ""
    for line in body.splitlines():
        content = line.strip()
        if content.startswith("#") or not content or _FIELD.match(content):
            continue
        words += f" {_MARK.sub('', content[:_WORDS])}"
        if len(words) > _WORDS:
            return f"{words[:_WORDS]}…"
    return words


def _with_texts(files: Iterable[WorkspaceFile]) -> list[tuple[WorkspaceFile, str]]:
    """Return files with their texts, without empty ones."""
    wanted = list(files)
    data = bytes_by_id({file.blob_id for file in wanted})
    texts = ((file, settled(decode(data[file.blob_id]).text)) for file in wanted)
    return [(file, text) for file, text in texts if text.strip()]
