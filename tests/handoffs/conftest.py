"""A workspace for the tests of handoffs' pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.workspaces.models import Workspace
from memoryhub.workspaces.services import add_workspace


@pytest.fixture
def acme(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    """Return an empty workspace at /w/acme/."""
    return add_workspace(workspace_root, slug="acme", name="Acme")
