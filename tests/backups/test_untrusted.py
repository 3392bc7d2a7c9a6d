"""A backup that somebody made by hand: nothing is moved before it is known as one."""

from __future__ import annotations

import json
import sqlite3
import tarfile
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from memoryhub.backups.archive import MANIFEST
from tests.backups.conftest import backed_up
from tests.backups.test_bombs import state
from tests.running import refused, run


def remade(
    file: Path,
    change: Callable[[dict[str, Any]], None] = lambda facts: None,
    more: dict[str, bytes] | None = None,
) -> Path:
    """Return a copy of a backup with other facts, and with further members."""
    with tarfile.open(file) as tar:
        members = {e.name: tar.extractfile(e).read() for e in tar}  # type: ignore[union-attr]
    facts = json.loads(members.pop(MANIFEST))
    members |= more or {}
    facts["members"] = {
        name: [len(data), sha256(data).hexdigest()] for name, data in members.items()
    }
    change(facts)
    copy = file.with_name("remade.tar.gz")
    with tarfile.open(copy, "w:gz") as tar:
        for name, data in (members | {MANIFEST: json.dumps(facts).encode()}).items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, BytesIO(data))
    return copy


def without(name: str) -> Callable[[dict[str, Any]], None]:
    def change(facts: dict[str, Any]) -> None:
        del facts[name]

    return change


@pytest.mark.parametrize(
    "fact",
    [
        {"workspaces": 5},
        {"workspaces": [{"x": 1}]},
        {"workspaces": [{"workspace": 1, "root": "/x", "journal_entries": 1}]},
        {"made_at": "yesterday"},
        {"made_at": None},
        {"data": 5},
        {"data": "relative"},
        {"schema": "new"},
    ],
    ids=json.dumps,
)
def test_a_manifest_of_another_shape_is_damage_before_anything_is_moved(
    hub: Path, tmp_path: Path, fact: dict[str, Any]
) -> None:
    file = remade(backed_up(hub, tmp_path / "b.tar.gz").path, lambda f: f.update(fact))
    before = state(hub)

    for options in (("--replace", "--yes"), ("--check",)):
        said = refused(hub, "restore", file, *options)
        assert "cannot be restored" in said and next(iter(fact)) in said
    assert state(hub) == before


def test_a_fact_that_is_missing_is_damage(hub: Path, tmp_path: Path) -> None:
    whole = backed_up(hub, tmp_path / "b.tar.gz").path
    for name in ("made_at", "data", "schema", "version", "workspaces"):
        file = remade(whole, without(name))
        assert name in refused(hub, "restore", file, "--check")


@pytest.mark.parametrize(
    "name",
    [
        *("local.token", "hub.sock", "memoryhub.sqlite3-wal", "search.sqlite3"),
        *("links/x", "served/x", "locks/turn", "backups.json", "two\nlines"),
    ],
)
def test_a_member_that_no_backup_has_is_damage(
    hub: Path, tmp_path: Path, name: str
) -> None:
    whole = backed_up(hub, tmp_path / "b.tar.gz").path
    before = state(hub)

    said = refused(hub, "restore", remade(whole, more={name: b"x"}), "--replace")

    assert "is no file of a backup" in said
    assert state(hub) == before


def test_the_folders_of_workspaces_are_shown_and_agreed_to(
    hub: Path, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(hub / "memoryhub.sqlite3")) as opened, opened:
        opened.execute("UPDATE workspaces_workspace SET root = '/etc'")
    file = backed_up(hub, tmp_path / "b.tar.gz").path
    before = state(hub)

    asked = run(hub, "restore", file, "--replace")

    assert asked.returncode == 1
    assert "/etc" in asked.stdout and "--yes" in asked.stderr
    assert state(hub) == before
    assert run(hub, "restore", file, "--replace", "--yes").returncode == 0
