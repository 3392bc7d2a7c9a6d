"""A workspace that reviews before writing; one file of it in conflict."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.journal.models import Operation, Workspace
from memoryhub.sync.engine import sync_workspace
from tests.conftest import MakeWorkspace
from tests.exports.previews import path_of, put, set_status


@pytest.fixture
def workspace(make_workspace: MakeWorkspace, workspace_root: Path) -> Workspace:
    for name in ("api", "billing", "docs"):
        put(workspace_root, name, "Live.")
    found = make_workspace(workspace_root)
    found.review_before_writing = True
    found.save()
    sync_workspace(found)
    return found


@pytest.fixture
def conflict(workspace: Workspace, workspace_root: Path) -> str:
    """One file in conflict, one that can be written; the name of the choice."""
    set_status(workspace, "billing", "Refunds wait.")
    set_status(workspace, "api", "Done.")
    put(workspace_root, "billing", "Refunds next.")
    seq = Operation.objects.get(target=path_of("billing")).seq
    return f"choice-{seq}-0"
