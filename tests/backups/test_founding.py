"""A hub whose database is gone or empty is never silently made new."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from memoryhub.database.founding import (
    HubConnection,
    LostHub,
    NoHub,
    ensure_hub,
    found,
    found_new_hub,
)
from tests.backups.conftest import backed_up
from tests.running import done, killed_at, refused, run

DATABASE = "memoryhub.sqlite3"
READING = (
    "status",
    "status --json",
    "sync",
    "rebuild notes",
    "export --to out",
    "search x",
    "backup",
)


def ensured(data: Path, *, begins: bool) -> None:
    ensure_hub(data / DATABASE, data, begins=begins)


def test_a_folder_that_never_held_a_hub_gets_one(tmp_path: Path) -> None:
    with pytest.raises(NoHub):
        ensured(tmp_path, begins=False)
    ensured(tmp_path, begins=True)

    ensured(tmp_path, begins=False)
    assert (tmp_path / DATABASE).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "trace", ["secret.key", "search.sqlite3", "backups.json", f"{DATABASE}-wal"]
)
def test_traces_tell_that_there_was_a_hub(tmp_path: Path, trace: str) -> None:
    (tmp_path / trace).write_text("x")

    with pytest.raises(LostHub):
        ensured(tmp_path, begins=True)
    assert not (tmp_path / DATABASE).exists()


def test_what_comes_before_the_first_start_is_no_trace(tmp_path: Path) -> None:
    for name in ("spool", "samples", "locks"):
        (tmp_path / name).mkdir()

    ensured(tmp_path, begins=True)


def test_an_empty_database_is_a_lost_one(tmp_path: Path) -> None:
    (tmp_path / DATABASE).touch()

    with pytest.raises(LostHub, match="is empty"):
        ensured(tmp_path, begins=True)
    assert (tmp_path / DATABASE).stat().st_size == 0


def test_no_connection_makes_a_database(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError, match="is gone"):
        sqlite3.connect(tmp_path / DATABASE, factory=HubConnection)

    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("call", ["os.link", "os.fsync", "os.close", "os.unlink"])
def test_a_first_start_that_was_killed_goes_on(tmp_path: Path, call: str) -> None:
    database = tmp_path / DATABASE
    assert killed_at(call, 1, lambda: found(database))

    assert not database.exists() or database.stat().st_size
    ensured(tmp_path, begins=True)
    ensured(tmp_path, begins=False)


def test_beginning_anew_keeps_what_is_left(tmp_path: Path) -> None:
    (tmp_path / DATABASE).touch()
    (tmp_path / f"{DATABASE}-wal").write_bytes(b"pages")

    aside = found_new_hub(tmp_path / DATABASE, tmp_path)

    assert aside and (aside / f"{DATABASE}-wal").read_bytes() == b"pages"
    assert found_new_hub(tmp_path / DATABASE, tmp_path) is None
    ensured(tmp_path, begins=False)


def test_commands_tell_that_there_is_no_hub(tmp_path: Path) -> None:
    for command in READING:
        said = refused(tmp_path / "data", *command.split())
        assert "memoryhub add PATH" in said and "memoryhub restore" in said

    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("empty", [False, True])
def test_commands_tell_that_the_hub_is_lost(
    hub: Path, tmp_path: Path, empty: bool
) -> None:
    last = backed_up(hub, tmp_path / "out").path
    for path in hub.glob(f"{DATABASE}*"):
        path.unlink()
    if empty:
        (hub / DATABASE).touch()

    for command in (("status",), ("sync",), ("serve",), ("add", tmp_path)):
        assert f"memoryhub restore {last}" in refused(hub, *command)

    done(hub, "restore", last, "--yes")
    assert "2 files" in done(hub, "status")


def test_a_lost_hub_is_begun_anew_when_asked(hub: Path) -> None:
    (hub / DATABASE).unlink()
    notes = hub.parent / "notes"

    ended = run(hub, "add", notes, "--new")

    assert ended.returncode == 0 and "set-aside-" in ended.stderr
    assert "2 files" in done(hub, "sync")


def test_hooks_can_be_taken_away_without_a_hub(tmp_path: Path) -> None:
    ended = run(tmp_path / "data", "uninstall", "claude-code")

    assert "hub" not in ended.stderr and not (tmp_path / "data").exists()
