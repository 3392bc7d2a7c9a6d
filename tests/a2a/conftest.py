"""The workspace `acme`, whose files declare two agents."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.journal.models import Workspace
from tests.conftest import MakeWorkspace
from tests.writing import say

ROLES = "# Agents\n\n## Roles\n\n- **builder**: Builds\n- **scout**: Looks\n"


@pytest.fixture
def acme(make_workspace: MakeWorkspace, tmp_path: Path) -> Workspace:
    """Return a workspace at /w/acme/."""
    root = tmp_path / "acme"
    root.mkdir()
    workspace = make_workspace(root)
    say(workspace, {"AGENTS.md": ROLES})
    return workspace
