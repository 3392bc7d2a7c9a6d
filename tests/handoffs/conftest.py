"""Workspaces for the tests of handoffs."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.journal.models import Workspace
from memoryhub.workspaces.services.adding import add_workspace
from tests.conftest import MakeWorkspace


@pytest.fixture
def acme(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    """Return an empty workspace at /w/acme/."""
    return add_workspace(workspace_root, slug="acme", name="Acme")


@pytest.fixture
def both(tmp_path: Path, make_workspace: MakeWorkspace) -> tuple[Workspace, Workspace]:
    """Return two workspaces whose agents hand work to each other."""
    roots = (tmp_path / "shop", tmp_path / "mill")
    for root in roots:
        root.mkdir()
    shop, mill = map(make_workspace, roots)
    return shop, mill
