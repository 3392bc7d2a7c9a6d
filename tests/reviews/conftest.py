"""A workspace with a MEMORY.md, and an agent that changes files in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.journal.models import Workspace
from memoryhub.reviews.models import ReviewCard
from memoryhub.sync.engine import sync_workspace
from tests.factories import imported, write
from tests.reviews.memory import CHANGED, MEMORY, Change


@pytest.fixture(autouse=True)
def clock_of_files(machine_clock: None) -> None:
    """A file older than its workspace is found, not changed."""


@pytest.fixture
def workspace(workspace_root: Path) -> Workspace:
    roles = "# Agents\n\n- scout: looks\n"
    return imported(workspace_root, {"MEMORY.md": MEMORY, "AGENTS.md": roles})


@pytest.fixture
def change(workspace: Workspace) -> Change:
    """Return the act of an agent: it writes a file; its newest card is returned."""

    def changed(text: str = CHANGED, path: str = "MEMORY.md") -> ReviewCard:
        write(Path(workspace.root), {path: text})
        sync_workspace(workspace)
        return ReviewCard.objects.filter(path=path).order_by("-last_seq")[0]

    return changed
