"""What hinders the hub: real errors of SQLite and of the system, and how they count."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from django.db import DatabaseError

from memoryhub.disk.files import FileError
from memoryhub.errors.hindrances import Hindrance, hindrance_of


def locked(place: Path) -> None:
    with closing(sqlite3.connect(place)) as other, opened(place) as connection:
        other.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO rows VALUES (1)")


def full(place: Path) -> None:
    with opened(place) as connection:
        connection.execute("PRAGMA max_page_count = 2")
        connection.execute("INSERT INTO rows VALUES (zeroblob(100000))")


def read_only(place: Path) -> None:
    with closing(sqlite3.connect(f"{place.as_uri()}?mode=ro", uri=True)) as connection:
        connection.execute("INSERT INTO rows VALUES (1)")


def damaged(place: Path) -> None:
    place.write_bytes(b"not a database" * 1000)
    with opened(place) as connection:
        connection.execute("SELECT * FROM rows")


def unreachable(place: Path) -> None:
    with opened(place / "no folder") as connection:
        connection.execute("SELECT * FROM rows")


def interrupted(place: Path) -> None:
    with opened(place) as connection:
        connection.set_progress_handler(lambda: True, 1)
        connection.execute("SELECT * FROM rows")


@contextmanager
def opened(place: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(place, timeout=0)) as connection:
        yield connection


@pytest.mark.parametrize(
    ("happened", "code"),
    [
        (locked, "database-locked"),
        (full, "database-full"),
        (read_only, "database-readonly"),
        (damaged, "database-damaged"),
        (unreachable, "database-unreachable"),
        (interrupted, "database-slow"),
    ],
)
def test_what_sqlite_says_has_a_code(
    tmp_path: Path, happened: Callable[[Path], None], code: str
) -> None:
    place = tmp_path / "hub.sqlite3"
    with opened(place) as connection:
        connection.execute("CREATE TABLE rows (row)")

    with pytest.raises(sqlite3.DatabaseError) as raised:
        happened(place)

    wrapped = DatabaseError("as Django wraps it")
    wrapped.__cause__ = raised.value
    assert hindrance_of(raised.value) == hindrance_of(wrapped)
    found = hindrance_of(wrapped)
    assert found and found.code == code


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "disk-full"),
        (errno.EROFS, "disk-readonly"),
        (errno.EACCES, "disk-refused"),
        (errno.ESTALE, "disk-failing"),
        (errno.EMFILE, "system-busy"),
    ],
)
def test_what_the_system_says_of_a_file_has_a_code(number: int, code: str) -> None:
    error = FileError("memory/a.md", "it says")
    error.__cause__ = OSError(number, os.strerror(number), "/srv/a.md")

    found = hindrance_of(error)

    assert found == Hindrance(code, found.retry_after, "/srv/a.md") if found else False


@pytest.mark.parametrize(
    "error",
    [
        ValueError("a bug"),
        FileNotFoundError(errno.ENOENT, "gone"),
        sqlite3.IntegrityError("UNIQUE constraint failed"),
        FileError("memory/a.md", "no regular file"),
    ],
)
def test_what_trying_again_does_not_help_is_no_hindrance(error: Exception) -> None:
    assert hindrance_of(error) is None
