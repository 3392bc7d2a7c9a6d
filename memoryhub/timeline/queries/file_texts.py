"""Texts of changed files, for days without a log: notes and facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath

from memoryhub.formats.hub import handoff
from memoryhub.formats.optimizer import memory_index
from memoryhub.formats.others.file_days import day_of_note
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.diffing import split_text
from memoryhub.formats.text.merging import settled
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.models import SourceFile, Workspace
from memoryhub.journal.problems import unread_files
from memoryhub.timeline.queries.changed_files import ChangedFile

_NOTES = frozenset({".md", ".markdown"})


@dataclass(frozen=True, slots=True)
class FileText:
    """The beginning of a file that changed, without its front matter and title.

    `day` is the one that a file of the first import states; None without any.
    """

    changed: ChangedFile
    file: SourceFile
    title: str
    text: str
    cut: bool
    day: date | None = None


def texts_of(
    workspace: Workspace, files: Sequence[ChangedFile], number: int, lines: int
) -> list[FileText]:
    """Return the beginnings of notes among files, in three queries.

    Handoffs are none: they have pages of their own, and files that are not read state
    nothing. The index of memory comes last; instructions and documents are given only
    where nothing else is.
    """
    notes = [one for one in files if _is_note(one)]
    unread = unread_files(workspace) if notes else ()
    notes = [one for one in notes if one.path not in unread]
    notes = [one for one in notes if one.is_memory] or notes
    notes.sort(key=lambda one: one.format == memory_index.NAME)
    chosen = notes[:number]
    known = SourceFile.objects.in_bulk([one.file_id for one in chosen if one.file_id])
    texts = bytes_by_id([f.blob_id for f in known.values() if f.blob_id])
    return [
        _beginning(one, file, texts.get(file.blob_id or 0, b""), lines)
        for one in chosen
        if (file := known.get(one.file_id or 0))
    ]


def _is_note(one: ChangedFile) -> bool:
    is_text = PurePosixPath(one.path).suffix.casefold() in _NOTES
    return is_text and one.verb != "deleted" and one.format != handoff.NAME


def _beginning(one: ChangedFile, file: SourceFile, data: bytes, most: int) -> FileText:
    whole = settled(decode(data).text)
    matter = frontmatter.split(whole)
    found = split_text(matter.body.strip("\n"))
    title = one.title or matter.get("title") or matter.get("name")
    if found and found[0].startswith("# "):
        title, found = found[0][2:].strip(), found[1:]
    is_first = one.verb == "read"
    return FileText(
        one,
        file,
        title,
        "\n".join(found[:most]).strip("\n"),
        cut=len(found) > most,
        day=day_of_note(PurePosixPath(one.path), whole) if is_first else None,
    )
