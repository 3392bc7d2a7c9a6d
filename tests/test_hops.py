"""How much of the product an appended line and an edit run through, as counts."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from django.test import Client

from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from tests.factories import imported

REPO = Path(__file__).parent.parent
PRODUCT = tuple(f"{REPO / name}/" for name in ("memoryhub", "topics", "snapshots"))
LOG = "memory/2026-11-19.md"
TOPIC = "memory/context-proj-alpha.md"
#: Modules that an appended line runs through.
APPENDED = 91
#: Modules that a status edit runs through; times that its file is parsed, and decoded.
EDITED, PARSED, DECODED = 134, 1, 5
TEXT = (
    "# proj-alpha\n\n## Meta\n- **updated**: 2026-07-01\n\n"
    "## Current Status\nTried in the staging area\n\n"
    "## Key Decisions\n- 2026-07-01: Use one queue\n\n"
    "## History\n- 2026-07-01: Begun\n"
)


@dataclass
class Hops:
    """The product's modules that ran, and the texts that were parsed and decoded."""

    modules: set[str] = field(default_factory=set)
    parsed: Counter[str] = field(default_factory=Counter)
    decoded: Counter[bytes] = field(default_factory=Counter)

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(PRODUCT):
            return
        module = code.co_filename.removeprefix(f"{REPO}/")
        self.modules.add(module)
        given = frame.f_locals
        if module.startswith("memoryhub/dialects/") and code.co_name == "parse":
            self.parsed[given["text"]] += 1
        if module.endswith("text/decoding.py") and code.co_name == "decode":
            self.decoded[given["data"]] += 1


@contextmanager
def counted() -> Iterator[Hops]:
    """Count what runs in this thread."""
    hops = Hops()
    sys.setprofile(hops.note)
    try:
        yield hops
    finally:
        sys.setprofile(None)


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    files: dict[str, str | bytes] = {
        "AGENTS.md": "# Agents\n\nRead the memory folder first.\n",
        "MEMORY.md": "# Memory\n\n- [alpha](memory/context-proj-alpha.md)\n",
        LOG: "# 2026-11-19\n\n- 09:00 Began the queue\n",
        TOPIC: TEXT,
    }
    return imported(workspace_root, files)


def test_an_appended_line_runs_through_few_modules(
    workspace: Workspace, workspace_root: Path
) -> None:
    for line in ("- 09:30 Tests are green\n", "- 10:00 The queue runs\n"):
        # The first one compiles queries and loads modules.
        with (workspace_root / LOG).open("a") as file:
            file.write(line)
        with counted() as hops:
            report = sync_workspace(workspace)
    assert report.changed == 1
    assert len(hops.modules) <= APPENDED, "\n".join(sorted(hops.modules))


def test_a_status_edit_reads_its_file_once(
    workspace: Workspace, workspace_root: Path, client: Client
) -> None:
    base = "Tried in the staging area"
    for status in ("In the first week", "In production"):
        form = {"text": status, "base": base, "key": status.replace(" ", "-")}
        with counted() as hops:
            answer = client.post("/w/acme/topics/proj-alpha/status/", form)
        base = status
    assert answer.status_code == 303
    assert "In production" in (workspace_root / TOPIC).read_text()
    parsed = sum(n for of, n in hops.parsed.items() if "# proj-alpha" in of)
    decoded = sum(n for of, n in hops.decoded.items() if b"# proj-alpha" in of)
    assert (parsed, decoded) == (PARSED, DECODED)
    assert len(hops.modules) <= EDITED, "\n".join(sorted(hops.modules))
