"""The workspace that operations are tested on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from tests.editing import PATH, TEXT


@pytest.fixture
def workspace(
    make_workspace: Callable[[Path], Workspace], workspace_root: Path
) -> Workspace:
    place = workspace_root / PATH
    place.parent.mkdir()
    place.write_text(TEXT)
    workspace = make_workspace(workspace_root)
    sync_workspace(workspace)
    return workspace


@pytest.fixture
def second(
    make_workspace: Callable[[Path], Workspace], tmp_path: Path, workspace: Workspace
) -> Workspace:
    """Return another workspace with the same file."""
    place = tmp_path / "second" / PATH
    place.parent.mkdir(parents=True)
    place.write_text(TEXT)
    second = make_workspace(tmp_path / "second")
    sync_workspace(second)
    return second


@pytest.fixture
def place(workspace: Workspace) -> Path:
    return Path(workspace.root, PATH)


@pytest.fixture
def reviewed(workspace: Workspace) -> Workspace:
    workspace.review_before_writing = True
    workspace.save()
    return workspace
