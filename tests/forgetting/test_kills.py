"""A forgetting that is killed at any statement goes on, and is done once it says so."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from tests.browser.hub import ROOT, prepare_hub
from tests.warm import python

SECRET = "Zq7rXkPlomb9Wd"
LOG = "memory/2026-11-20.md"


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    """Return the folder of a hub with a secret in a log that grew."""
    log = tmp_path / "notes" / LOG
    log.parent.mkdir(parents=True)
    text = "# 2026-11-20\n\n" + "Something that makes it long.\n" * 30
    log.write_text(f"{text}\n## 08:00 - Deployed\nkey {SECRET}\n")
    (tmp_path / "notes" / "other.md").write_text(f"Nothing but {SECRET} here.\n")
    prepare_hub(tmp_path, [tmp_path / "notes"])
    return tmp_path


def killed(hub: Path, kind: str, what: str, seed: int) -> Counter[str]:
    """Forget something, killed again and again; return in which states."""
    done = subprocess.run(
        python("-m", "tests.forgetting.killing", kind, what, seed),
        cwd=ROOT,
        env={
            **os.environ,
            "MEMORYHUB_DATA": str(hub / "data"),
            "DJANGO_SETTINGS_MODULE": "memoryhub.settings",
        },
        check=True,
        timeout=300,
        stdout=subprocess.PIPE,
    )
    return Counter(json.loads(done.stdout))


def select(hub: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(hub / "data/memoryhub.sqlite3")) as database:
        return list(database.execute(query))


def assert_done(hub: Path) -> None:
    assert select(
        hub, "SELECT state FROM forgetting_forgetting ORDER BY id DESC LIMIT 1"
    )
    assert select(hub, "SELECT count(*) FROM forgetting_sealedrow") == [(0,)]
    assert select(hub, "PRAGMA foreign_key_check") == []
    journal = "SELECT last_seq - projected_seq FROM workspaces_workspace"
    assert select(hub, journal) == [(0,)]


@pytest.mark.parametrize("seed", [1, 2])
def test_a_killed_forgetting_of_a_text_ends_with_nothing_left(
    hub: Path, seed: int
) -> None:
    states = killed(hub, "text", SECRET, seed)

    assert sum(states.values()) > 4, states
    assert_done(hub)
    files = [path for path in hub.rglob("*") if path.is_file()]
    assert not [path for path in files if SECRET.encode() in path.read_bytes()]


def test_a_killed_forgetting_of_a_file_ends_with_nothing_left(hub: Path) -> None:
    states = killed(hub, "file", LOG, 3)

    assert sum(states.values()) > 2, states
    assert_done(hub)
    assert not (hub / "notes" / LOG).exists()
    blobs = "SELECT encoding FROM workspaces_blob WHERE id IN (SELECT blob_id FROM"
    blobs += f" workspaces_revision WHERE path = '{LOG}')"
    assert set(select(hub, blobs)) == {("gone",)}


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10, 30))
def test_forgettings_killed_at_many_points_leave_nothing(hub: Path, seed: int) -> None:
    test_a_killed_forgetting_of_a_text_ends_with_nothing_left(hub, seed)
