"""Commands on a data folder that is read-only, such as a mounted backup."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.browser.hub import ROOT, copy_hub

#: Linux's names: what lets root write whatever modes say, and how that is given up.
_OVERRIDE, _READ_SEARCH, _DROP = 1, 2, 24
_libc = ctypes.CDLL(None)


@pytest.fixture
def mounted(made_hub: Path) -> Iterator[Path]:
    """Return the data folder of a hub that cannot be written, with a log in it."""
    folder = Path(tempfile.mkdtemp(prefix="memoryhub-test-"))
    folder.chmod(0o755)
    data = copy_hub(made_hub, folder / "hub") / "data"
    with closing(sqlite3.connect(data / "memoryhub.sqlite3")) as hub:
        hub.execute("PRAGMA wal_autocheckpoint=0")
        hub.execute("UPDATE workspaces_workspace SET name = 'Only in the log'")
        hub.commit()
        copy = folder / "copy"
        shutil.copytree(data, copy, ignore=shutil.ignore_patterns("*-shm"))
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield copy
    for path in folder.rglob("*"):
        if path.is_dir():
            path.chmod(0o755)
    folder.chmod(0o755)
    shutil.rmtree(folder)


def _bound_by_modes() -> None:
    """Have the modes of files count, also for root."""
    _libc.prctl(_DROP, _OVERRIDE, 0, 0, 0)
    _libc.prctl(_DROP, _READ_SEARCH, 0, 0, 0)


def run(data: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command as somebody whom file modes stop."""
    return subprocess.run(
        [sys.executable, "-B", str(ROOT / "manage.py"), *command],
        env={**os.environ, "MEMORYHUB_DATA": str(data)},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=_bound_by_modes,
    )


def test_it_is_read(mounted: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in mounted.rglob("*")}
    status = run(mounted, "status", "--json")
    searched = run(mounted, "search", "Tokens", "--json")
    exported = run(mounted, "export", "--topic", "none")

    told = json.loads(status.stdout)
    assert told["data"] == str(mounted)
    assert told["workspaces"][0]["name"] == "Only in the log"
    assert "2026-11-20.md" in searched.stdout
    assert "read-only" in status.stderr and len(exported.stderr.splitlines()) == 2
    assert {path: path.stat().st_mtime_ns for path in mounted.rglob("*")} == before


@pytest.mark.parametrize(
    "command", ["sync", "serve", "rebuild", "add /", "doctor --retry", "export --write"]
)
def test_what_would_write_says_so_in_a_line(mounted: Path, command: str) -> None:
    ended = run(mounted, *command.split())

    assert ended.returncode == 1 and "is read-only" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
