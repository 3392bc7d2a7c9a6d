"""Rows and files that tests of pages need, made in a line each."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memoryhub.events.models import Event
from memoryhub.journal.changes import position_at
from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.workspaces.services.adding import add_workspace

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)

TOPIC = """# Context: api

## Meta
- **created**: 2026-11-01
- **updated**: 2026-11-20
- **session**: agent:builder:main

## Current Status
Endpoints live. See [the log](2026-11-20.md) and [nothing](gone.md).

## Key Decisions
- 2026-11-10: Poll every minute (simplest to ship)

## History
- 2026-11-01: Context created
- 2026-11-12: Compaction completed (280→45 messages)
"""

SNAPSHOT = """
## Task Snapshot -- {clock}

<!-- BIG-MEMORY-SNAPSHOT v1 -->
<!-- timestamp: 2026-11-20T{clock}:00 -->
<!-- snapshot-id: 2026-11-20-{number:02} -->
<!-- agent: builder -->
<!-- topic: api -->

### [SNAPSHOT] Active Goal
Deliver events, so that nobody has to ask.

### [SNAPSHOT] Current State
- Phase: implementing
- Blocked: no
- Progress: {percent}%

### [SNAPSHOT] Files In Play
- `/srv/app/deliver.py` -- sends one event

### [SNAPSHOT] Decisions Made
{decisions}

### [SNAPSHOT] Next Steps
1. [{tick}] Write the test

### [SNAPSHOT] Mood
Calm.

<!-- /BIG-MEMORY-SNAPSHOT -->
"""


def snapshot_text(number: int, **values: Any) -> str:
    """Return a snapshot block; `Code Context` and others are missing in it."""
    said = {
        "clock": f"{8 + number:02}:00",
        "percent": 40 + number,
        "decisions": "1. Poll every minute -- simplest to ship",
        "tick": " ",
        **values,
    }
    return SNAPSHOT.format(number=number, **said)


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files of a workspace."""
    for path, content in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        place.write_bytes(data)


def imported(root: Path, files: Mapping[str, str | bytes]) -> Workspace:
    """Return the workspace of a folder after these files were imported."""
    write(root, files)
    workspace = add_workspace(root, slug="acme", name="Acme")
    sync_workspace(workspace)
    workspace.refresh_from_db()
    return workspace


def small(root: Path) -> Workspace:
    """Return a workspace with a topic, two snapshots of it and a file more."""
    log = "# 2026-11-20\n\n## 07:30 - Started\nLooked at the queue.\n"
    log += snapshot_text(1)
    log += snapshot_text(
        2, decisions="1. Use events\n2. Poll every minute -- simplest to ship", tick="x"
    )
    return imported(
        root,
        {
            "memory/context-api.md": TOPIC,
            "memory/2026-11-20.md": log,
            "MEMORY.md": "---\nname: <b>index</b>\n---\n# Memory\n\nRead the log.\n",
        },
    )


def make_workspace_row(slug: str = "acme") -> Workspace:
    """Return a workspace without a folder, for rows that are made by hand."""
    return Workspace.objects.create(
        uuid=f"00000000-0000-0000-0000-{abs(hash(slug)) % 10**12:012}",
        slug=slug,
        name=slug,
        root=f"/srv/{slug}",
        created_at=NOON,
        checked_at=NOON,
    )


def make_events(workspace: Workspace, number: int, **values: Any) -> list[Event]:
    """Return events a minute apart, oldest first; later calls make newer ones."""
    first = Event.objects.count()
    return Event.objects.bulk_create(
        Event(
            **{
                "id": 1 + first + place,
                "workspace": workspace,
                "kind": "note",
                "verb": "added",
                "occurred_at": NOON + timedelta(minutes=first + place),
                "precision": "second",
                "position": position_at(1 + first + place, 0),
                "recorded_at": NOON,
                "title": f"Event {first + place}",
                **values,
            }
        )
        for place in range(number)
    )
