"""Presenter of handoff notes: messages between sessions without a task block."""

from __future__ import annotations

import datetime
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from django.utils.translation import gettext

from memoryhub.formats.others import handoff_note
from memoryhub.formats.others.handoff_note import HandoffNote, Kind
from memoryhub.formats.roles import READ
from memoryhub.formats.text.decoding import decode
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.models import SourceFile, Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.journal.untimed import times_on_disk
from memoryhub.web.kit.frame import Shell

_SHOWN = 12
#: Characters of a file that are read, and of a line that are shown.
_READ, _LINE = 40_000, 200


class _Note(NamedTuple):
    """A note of a file: its heading, and the first line of each kind.

    `at` is when the file was changed on disk; the note may state no day.
    """

    path: str
    title: str
    day: datetime.date | None
    at: datetime.datetime
    lines: tuple[tuple[Kind, str], ...]


def notes_shown(workspace: Workspace, shell: Shell) -> list[dict[str, Any]]:
    """Return the newest of the handoff notes that changed last, each with its file."""
    notes: list[_Note] = cached(workspace, "handoff notes", lambda: _newest(workspace))
    words: dict[Kind, str] = {
        "done": gettext("Done"),
        "next": gettext("Next"),
        "blocked": gettext("Blocked"),
        "failed": gettext("Failed"),
    }
    return [
        {
            "title": note.title,
            "lines": [(words[kind], text) for kind, text in note.lines],
            "when": shell.clock.date_label(note.day or shell.clock.day(note.at)),
            "url": shell.addresses.file(note.path),
        }
        for note in notes
    ]


def _newest(workspace: Workspace) -> list[_Note]:
    files = SourceFile.objects.filter(
        workspace=workspace,
        present=True,
        format=handoff_note.NAME,
        role__in=READ,
        blob__isnull=False,
    ).order_by("-seq")
    rows = list(files.values_list("path", "blob_id", "seq")[:_SHOWN])
    texts = bytes_by_id([blob for _, blob, _ in rows if blob])
    times = times_on_disk(workspace, [seq for _, _, seq in rows])
    notes = [
        _note(path, times[seq], handoff_note.parse(decode(texts[blob]).text[:_READ]))
        for path, blob, seq in rows
        if blob in texts and seq in times
    ]
    return sorted(notes, key=lambda one: one.day or one.at.date(), reverse=True)


def _note(path: str, at: datetime.datetime, note: HandoffNote) -> _Note:
    day = handoff_note.day_of(PurePosixPath(path), note)
    first: dict[Kind, str] = {}
    for item in note.items:
        first.setdefault(item.kind, item.text[:_LINE])
    title = note.parts[0].title[:_LINE]
    return _Note(path, title, day, at, tuple(first.items()))
