"""A small workspace, and a program of this computer that asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import Client

from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.people.services.tokens import NewToken, make_token
from tests.factories import small
from tests.signing import own_program


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what takes seconds to collect where long runs are not asked for."""
    is_long = collection_path.stem.endswith("_soak")
    return True if is_long and "not soak" in config.option.markexpr else None


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    return small(workspace_root)


@pytest.fixture
def program(hub_data: Path) -> Client:
    """Return a program on the operator's own computer."""
    return own_program()


@pytest.fixture
def token(workspace: Workspace) -> NewToken:
    return make_token(workspace, "builder", [Scope.READ])


@pytest.fixture
def agent(token: NewToken) -> Client:
    """Return an agent elsewhere, whose token allows reading only."""
    headers = {"host": "localhost", "authorization": f"Bearer {token.secret}"}
    return Client(headers=headers, REMOTE_ADDR="10.0.0.1")


@pytest.fixture
def one_connection() -> Iterator[None]:
    """Keep the connection that holds the test's transaction, as test clients do."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)
