"""`memoryhub restore`, in real processes on a real hub."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memoryhub.backups.ledger import known_backups
from memoryhub.backups.restoring import (
    Refused,
    restore,
)
from memoryhub.backups.sealing import Damaged
from tests.backups.conftest import backed_up
from tests.running import done, killed_at, on_full_disk, refused, run

NOTE = "A line after the backup."


@pytest.fixture
def backup(hub: Path, tmp_path: Path) -> Path:
    """Return a backup of the hub."""
    file = tmp_path / "backup.tar.gz"
    return backed_up(hub, file).path


def select(data: Path, statement: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(data / "memoryhub.sqlite3")) as hub:
        return hub.execute(statement).fetchall()


def do(data: Path, *statements: str) -> None:
    with closing(sqlite3.connect(data / "memoryhub.sqlite3")) as hub, hub:
        for statement in statements:
            hub.execute(statement)


def journal(data: Path) -> list[tuple[object, ...]]:
    """Return the journal of a hub: its versions, and what was done through it."""
    versions = select(
        data,
        "SELECT w.uuid, w.slug, w.root, r.seq, r.path, b.sha256"
        " FROM workspaces_revision r JOIN workspaces_workspace w ON w.id = workspace_id"
        " JOIN workspaces_blob b ON b.id = blob_id ORDER BY r.seq",
    )
    return versions + select(data, "SELECT seq, key, verb FROM workspaces_operation")


def test_a_lost_hub_comes_back(hub: Path, tmp_path: Path) -> None:
    done(hub, "token", "make", "builder")
    backed_up(hub, file := tmp_path / "b.tar.gz")
    tokens = select(hub, "SELECT * FROM people_accesstoken")

    told = done(tmp_path / "new", "restore", file, "--yes")

    assert "memoryhub sync" in told
    assert journal(tmp_path / "new") == journal(hub)
    assert select(tmp_path / "new", "SELECT * FROM people_accesstoken") == tokens
    key = (tmp_path / "new/secret.key").read_bytes()
    assert key == (hub / "secret.key").read_bytes()
    assert json.loads(done(tmp_path / "new", "status", "--json"))["workspaces"]


def test_it_knows_the_backup_it_was_restored_from(hub: Path, backup: Path) -> None:
    restore(backup, hub, replace=True)

    last = known_backups(hub).last
    assert last and (last.path, last.is_there) == (backup, True)


def test_the_next_sync_catches_up_with_the_folders(hub: Path, backup: Path) -> None:
    log = hub.parent / "notes/memory/2026-11-20.md"
    log.write_text(log.read_text() + f"\n{NOTE}\n")
    written = log.read_bytes()
    restore(backup, hub, replace=True)

    told = json.loads(done(hub, "sync", "--json"))

    assert (told["changed"], log.read_bytes()) == (1, written)
    assert NOTE in done(hub, "search", NOTE)


def test_a_hub_that_is_there_is_not_written_over(hub: Path, backup: Path) -> None:
    before = (hub / "memoryhub.sqlite3").read_bytes()

    assert "--replace" in refused(hub, "restore", backup)
    with pytest.raises(Refused, match="holds a hub"):
        restore(backup, hub)
    assert (hub / "memoryhub.sqlite3").read_bytes() == before


def test_replacing_sets_the_old_hub_aside(hub: Path, backup: Path) -> None:
    do(hub, "UPDATE workspaces_workspace SET name = 'newer'")

    aside = Path(restore(backup, hub, replace=True)["set_aside"])

    assert select(hub, "SELECT name FROM workspaces_workspace") == [("notes",)]
    assert aside.parent == hub and aside.stat().st_mode & 0o777 == 0o700
    assert select(aside, "SELECT name FROM workspaces_workspace") == [("newer",)]


def test_a_hub_in_use_is_not_replaced(hub: Path, backup: Path) -> None:
    with closing(sqlite3.connect(hub / "memoryhub.sqlite3")) as other:
        other.execute("PRAGMA journal_mode=WAL")
        other.execute("SELECT * FROM workspaces_workspace").fetchall()
        with pytest.raises(Refused, match="uses the hub"):
            restore(backup, hub, replace=True)
        assert len(journal(hub)) == 2 and not list(hub.glob("set-aside-*"))


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path, backup: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "letter.txt").write_text("mine")

    with pytest.raises(Refused, match="is not empty"):
        restore(backup, home)
    assert sorted(path.name for path in home.iterdir()) == ["letter.txt"]


def test_operations_half_done_are_not_done_to_newer_files(
    hub: Path, tmp_path: Path
) -> None:
    log = hub.parent / "notes/memory/2026-11-20.md"
    done(hub, "tool", "memory_append", "--content", NOTE, "--key", "k1")
    do(hub, "UPDATE workspaces_operation SET state = 'pending'")
    backed_up(hub, file := tmp_path / "b.tar.gz")
    for path in (hub.parent / "notes/memory").iterdir():
        path.write_text(path.read_text().replace(NOTE, "Somebody took it out."))
    texts = {p: p.read_bytes() for p in (hub.parent / "notes/memory").iterdir()}

    assert restore(file, hub, replace=True)["withdrawn_operations"] == 1
    done(hub, "sync")

    assert {p: p.read_bytes() for p in log.parent.iterdir()} == texts
    assert select(hub, "SELECT state FROM workspaces_operation") == [("withdrawn",)]


def test_events_that_waited_are_put_aside(hub: Path, tmp_path: Path) -> None:
    event = '{"session_id": "s", "transcript_path": "", "trigger": "auto"}'
    assert run(hub, "hook", "PreCompact", stdin=event).returncode == 0
    assert list((hub / "spool").glob("0*"))
    backed_up(hub, file := tmp_path / "b.tar.gz")

    assert restore(file, hub, replace=True)["events_put_aside"] == 1

    assert not list((hub / "spool").glob("0*"))
    assert len(list((hub / "spool/refused").glob("*.reason"))) == 1


def test_uploaded_workspaces_lie_in_the_new_folder(hub: Path, tmp_path: Path) -> None:
    upload = hub / "uploads/one"
    upload.mkdir(parents=True)
    (upload / "MEMORY.md").write_text("# Uploaded\n")
    done(hub, "add", upload, "--slug", "up")
    done(hub, "sync", "up")
    backed_up(hub, file := tmp_path / "b.tar.gz")

    restore(file, tmp_path / "new")

    roots = select(tmp_path / "new", "SELECT root FROM workspaces_workspace")
    assert (str(tmp_path / "new/uploads/one"),) in roots
    assert "no changes in 1" in done(tmp_path / "new", "sync", "up")


@pytest.mark.parametrize("at", [100, -100])
def test_a_damaged_backup_changes_nothing(hub: Path, backup: Path, at: int) -> None:
    data = bytearray(backup.read_bytes())
    # A single bit may be one that unpacking passes over: every byte stays the same.
    for place in range(at, at + 8):
        data[place] ^= 0xFF
    backup.write_bytes(data)
    before = sorted(path.name for path in hub.iterdir())

    with pytest.raises(Damaged):
        restore(backup, hub, replace=True)
    assert sorted(path.name for path in hub.iterdir()) == before


def test_a_damaged_backup_is_told_in_a_line(hub: Path, tmp_path: Path) -> None:
    file = tmp_path / "b.tar.gz"
    file.write_bytes(b"no backup")

    assert "cannot be restored" in refused(hub, "restore", file, "--check")
    assert "nothing was restored" in refused(
        hub, "restore", tmp_path / "none", "--check"
    )


def test_a_backup_of_a_later_version_is_refused(hub: Path, backup: Path) -> None:
    with pytest.raises(Refused, match="a later version"):
        restore(backup, hub, replace=True, known_migrations=frozenset())

    assert len(journal(hub)) == 2 and not list(hub.glob("set-aside-*"))


@pytest.mark.parametrize(
    ("call", "number"),
    [(call, n) for call in ("os.fsync", "os.rename", "os.mkdir") for n in range(1, 8)],
)
def test_a_killed_restore_leaves_no_hub_that_looks_whole(
    hub: Path, backup: Path, call: str, number: int
) -> None:
    killed_at(call, number, lambda: restore(backup, hub, replace=True))

    if (hub / "memoryhub.sqlite3").exists():
        assert len(journal(hub)) == 2 and (hub / "secret.key").exists()
    restore(backup, hub, replace=True)
    assert len(journal(hub)) == 2 and not list(hub.glob("*.draft"))


def test_a_full_disk_leaves_the_hub_as_it_was(hub: Path, backup: Path) -> None:
    told = on_full_disk(60_000, lambda: restore(backup, hub, replace=True))

    assert told.startswith("OSError"), told
    assert len(journal(hub)) == 2 and not list(hub.glob("*.draft"))
