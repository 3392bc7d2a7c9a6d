"""A workspace with one topic file, and edits of it, for the tests of operations."""

from __future__ import annotations

from pathlib import Path

from memoryhub.journal.blobs import blob_bytes
from memoryhub.journal.models import Operation, Revision, Workspace
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.engine import sync_workspace

PATH = "memory/context-auth.md"
MAP = "memory/context-session-map.json"
TEXT = """# auth

## Meta
- **created**: 2026-11-01
- **updated**: 2026-11-02

## Current Status
Half done.

## Key Decisions
- 2026-11-01: Use JWT (stateless)
  and nothing else
- 2026-11-02: Rotate keys

## History
- 2026-11-01: Context created
"""
State = Operation.State


def edit(verb: str, text: str, *, base: object = None, **more: str) -> Edit:
    return Edit(PATH, verb, {"text": text}, "person:1", base=base, **more)


def versions(workspace: Workspace, path: str = PATH) -> list[tuple[str, bytes]]:
    rows = Revision.objects.filter(workspace=workspace, path=path)
    return [(r.kind, blob_bytes(r.blob)) for r in rows if r.blob]


def write_raw(place: Path, data: bytes, workspace: Workspace) -> None:
    place.write_bytes(data)
    sync_workspace(workspace)
