"""The database fails: pages, REST and MCP say so in a 503 and when to ask again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, OperationalError, connection
from django.test import Client

from memoryhub.mcp.connections import Connection
from memoryhub.mcp.tools import ERROR_META, answered
from memoryhub.people.access import Access
from memoryhub.tools.calling import CallerOptions
from memoryhub.tools.registry import TOOLS
from tests.factories import imported
from tests.signing import own_program, signed_in

LOCKED, DAMAGED = "database-locked", "database-damaged"
SLOW = "database-slow"


@pytest.fixture
def notes(hub_data: Path, db: None, workspace_root: Path) -> None:
    imported(workspace_root, {"memory/context-api.md": "# api\n"})


@pytest.fixture
def browser(notes: None) -> Client:
    return quiet(signed_in())


@pytest.fixture
def program(notes: None) -> Client:
    return quiet(own_program())


def quiet(client: Client) -> Client:
    """Have a client answer what fails, as a server does, instead of raising it."""
    client.raise_request_exception = False
    return client


@contextmanager
def failing(code: str, folder: Path) -> Iterator[None]:
    """Have every statement fail as SQLite fails where a database is so."""
    failures = {LOCKED: locked, DAMAGED: damaged, SLOW: interrupted}
    error = failures[code](folder / "other.sqlite3")

    def refuse(execute: Callable[..., Any], *arguments: Any) -> Any:
        kind = DatabaseError if code == DAMAGED else OperationalError
        raise kind(str(error)) from error

    with connection.execute_wrapper(refuse):
        yield


def locked(place: Path) -> sqlite3.Error:
    with closing(sqlite3.connect(place)) as one, closing(sqlite3.connect(place)) as two:
        one.execute("BEGIN EXCLUSIVE")
        return raised(two, "PRAGMA busy_timeout = 0", "BEGIN IMMEDIATE")


def damaged(place: Path) -> sqlite3.Error:
    place.write_bytes(b"no database" * 500)
    with closing(sqlite3.connect(place)) as connection:
        return raised(connection, "SELECT * FROM sqlite_master")


def interrupted(place: Path) -> sqlite3.Error:
    with closing(sqlite3.connect(place)) as connection:
        connection.set_progress_handler(lambda: True, 1)
        return raised(connection, "SELECT * FROM sqlite_master")


def raised(connection: sqlite3.Connection, *statements: str) -> sqlite3.Error:
    with pytest.raises(sqlite3.Error) as caught:
        for statement in statements:
            connection.execute(statement)
    return caught.value


@pytest.mark.parametrize("address", ["/", "/w/notes/", "/w/notes/health/", "/me/"])
@pytest.mark.parametrize(
    ("code", "words"),
    [
        (LOCKED, "Another program is using"),
        (DAMAGED, "memoryhub doctor --repair"),
        (SLOW, "This took too long and was stopped: try a narrower request."),
    ],
)
def test_a_page_says_what_to_do(
    browser: Client, tmp_path: Path, address: str, code: str, words: str
) -> None:
    with failing(code, tmp_path):
        answer = browser.get(address)

    assert answer.status_code == 503
    assert int(answer["Retry-After"]) > 0
    assert words in answer.content.decode()


@pytest.mark.parametrize("code", [LOCKED, DAMAGED, SLOW])
def test_rest_answers_in_its_own_shape(
    program: Client, tmp_path: Path, code: str
) -> None:
    with failing(code, tmp_path):
        answer = program.get("/api/v1/workspaces")

    assert answer.status_code == 503
    assert answer["Retry-After"] == str(
        answer.json()["error"]["details"]["retry_after"]
    )
    assert answer.json()["error"]["code"] == code


def test_a_page_that_failed_otherwise_is_a_failure(
    browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryhub.views.workspaces", lambda: 1 / 0)

    assert browser.get("/").status_code == 500


def test_a_call_over_mcp_is_told_so(notes: None, tmp_path: Path) -> None:
    caller = Connection(CallerOptions(), Access())
    with failing(LOCKED, tmp_path):
        answer = answered(TOOLS["memory_search"], caller, {"query": "api"})

    assert answer.is_error and answer.meta
    assert answer.meta[ERROR_META]["code"] == LOCKED
