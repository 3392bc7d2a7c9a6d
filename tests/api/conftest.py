"""A small workspace, and a program of this computer that asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from memoryhub.people.services_tokens import NewToken, make_token
from memoryhub.tools.base import Scope
from memoryhub.workspaces.models import Workspace
from tests.factories import small


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    return small(workspace_root)


@pytest.fixture
def program() -> Client:
    """Return a program on the operator's own computer."""
    return Client(headers={"host": "localhost"})


@pytest.fixture
def token(workspace: Workspace) -> NewToken:
    return make_token(workspace, "builder", [Scope.READ])


@pytest.fixture
def agent(token: NewToken) -> Client:
    """Return an agent elsewhere, whose token allows reading only."""
    headers = {"host": "localhost", "authorization": f"Bearer {token.secret}"}
    return Client(headers=headers, REMOTE_ADDR="10.0.0.1")
