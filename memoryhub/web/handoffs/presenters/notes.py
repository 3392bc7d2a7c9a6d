"""Presenter of handoff notes: what sessions leave to others without a task block."""

from __future__ import annotations

from typing import Any

from memoryhub.formats.others import handoff_note
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.web.kit.frame import Shell
from snapshots.models import LogEntry

_SHOWN = 12


def notes_shown(workspace: Workspace, shell: Shell) -> list[dict[str, Any]]:
    """Return the newest handoff notes, each with its file."""
    rows: list[LogEntry] = cached(
        workspace, "handoff notes", lambda: _newest(workspace)
    )
    return [
        {
            "title": row.title,
            "text": row.excerpt,
            "when": shell.clock.stated(row.occurred_at, row.precision),
            "url": shell.addresses.file(row.file.path),
        }
        for row in rows
    ]


def _newest(workspace: Workspace) -> list[LogEntry]:
    notes = LogEntry.objects.filter(
        workspace=workspace, last_seq=None, file__format=handoff_note.NAME
    )
    newest = notes.select_related("file").order_by("-occurred_at", "-id")
    return list(newest[:_SHOWN])
