"""Self-test in a scratch workspace: import, export, edit, undo, rebuild.

Runs on the connected database, which must be a scratch one too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

from memoryhub.journal.models import Workspace
from memoryhub.sync.edit.editing import apply_edit, undo
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.export import export_to
from memoryhub.sync.record.projection import projected, rebuild
from topics.exporters import new_topic
from topics.models import Topic

_TOPIC = "memory/context-trial.md"
_LOG = """\
# 2026-11-20

## 09:00 Trial

One line of it.

---

## Task Snapshot -- 09:30

<!-- BIG-MEMORY-SNAPSHOT v1 -->
<!-- timestamp: 2026-11-20T09:30:00 -->
<!-- snapshot-id: 2026-11-20-01 -->

### [SNAPSHOT] Active Goal
Prove the loop.

### [SNAPSHOT] Current State
- Phase: testing

<!-- /BIG-MEMORY-SNAPSHOT -->
"""
_TEXT = new_topic("trial", date(2026, 11, 20).isoformat())
SAMPLES: dict[str, bytes] = {
    _TOPIC: _TEXT.encode(),
    "memory/context-crlf.md": b"\xef\xbb\xbf" + _TEXT.replace("\n", "\r\n").encode(),
    "memory/context-session-map.json": b'{\n  "agent:main:main": "trial"\n}',
    "memory/2026-11-20.md": _LOG.encode(),
    "memory/decisions.md": "- 2026-11-20: Prüfen (Gründlichkeit)".encode(),
    "memory/latin.md": b"caf\xe9\r\nno end",
    "memory/empty.md": b"",
    "memories/errors.md": b"- FileNotFound: x.md\n",
    "MEMORY.md": b"# MEMORY INDEX\n\n\n\n- no form at all \x00\n",
}

Finding = tuple[str, bool]


def run_trial(
    folder: Path, add_workspace: Callable[[Path], Workspace]
) -> Iterator[Finding]:
    """Run the steps; yield each with its success."""
    root = folder / "workspace"
    for path, data in SAMPLES.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    workspace = add_workspace(root)
    report = sync_workspace(workspace)
    yield "files of every kind are imported", report.added == len(SAMPLES)
    export_to(workspace, folder / "export")
    yield "an export gives back every byte", _bytes(folder / "export") == SAMPLES
    yield "a second sync finds nothing", sync_workspace(workspace).is_empty
    yield from _edits(workspace, root / _TOPIC)
    before = _rows(workspace)
    rebuild(workspace)
    yield "a rebuild gives the same rows", _rows(workspace) == before


def _edits(workspace: Workspace, place: Path) -> Iterator[Finding]:
    edit = Edit(_TOPIC, "set_status", {"text": "It holds."}, "doctor")
    done = apply_edit(workspace, edit)
    topic = Topic.objects.get(workspace=workspace, name="trial")
    written = place.read_text(encoding="utf-8")
    yield "an edit is in the file", "It holds." in written
    yield "and in the rows", topic.status == "It holds."
    undo(workspace, done, "doctor")
    yield "its undo gives back every byte", place.read_bytes() == SAMPLES[_TOPIC]
    place.write_text(f"{_TEXT}- 2026-11-20: by an agent\n", encoding="utf-8")
    time.sleep(0.01)
    report = sync_workspace(workspace)
    yield "what an agent writes is imported", report.changed == 1


def _bytes(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def _rows(workspace: Workspace) -> dict[str, list[dict[str, Any]]]:
    return {
        model.__name__: list(
            model._default_manager.filter(workspace=workspace).order_by("pk").values()
        )
        for model in projected()
    }
