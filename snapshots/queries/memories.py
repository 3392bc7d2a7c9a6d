"""Queries of pages on session memories."""

from __future__ import annotations

from django.db.models import Q

from memoryhub.journal.models import Workspace
from memoryhub.journal.versions import bytes_of, text_of, version_at
from memoryhub.values.identity import id_of
from snapshots.models import SessionMemory

#: Page size of the list of memories.
PAGE_SIZE = 50


def memories_named(workspace: Workspace, address: str) -> list[SessionMemory]:
    """Return the memories of a URL's name: by code, else by the files' own id."""
    rows = SessionMemory.objects.filter(workspace=workspace).select_related(
        "agent", "topic", "file"
    )
    try:
        return list(rows.filter(pk=id_of(address)))
    except ValueError:
        return list(rows.filter(memory_id=address).order_by("last_seq", "-occurred_at"))


def memories_of(
    workspace: Workspace, *, text: str = "", page: int = 1
) -> list[SessionMemory]:
    """Return memories, newest first; one more than a page where there are more."""
    rows = SessionMemory.objects.filter(workspace=workspace)
    if text:
        rows = rows.filter(
            Q(objective__icontains=text)
            | Q(summary__icontains=text)
            | Q(memory_id__icontains=text)
            | Q(session_ref__icontains=text)
        )
    ordered = rows.select_related("agent", "topic", "file").order_by(
        "-occurred_at", "-first_seq", "-pk"
    )
    start = (page - 1) * PAGE_SIZE
    return list(ordered[start : start + PAGE_SIZE + 1])


def memory_text(workspace: Workspace, memory: SessionMemory) -> str:
    """Return the text of the last file version with a memory."""
    version = version_at(workspace, memory.file.path, memory.newest_seq)
    return text_of(version) if version else ""


def memory_bytes(workspace: Workspace, memory: SessionMemory) -> bytes:
    """Return the bytes of the last file version with a memory."""
    version = version_at(workspace, memory.file.path, memory.newest_seq)
    return bytes_of(version) if version else b""
