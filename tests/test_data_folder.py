"""The hub's own folder: for its owner alone, whoever made what; and its secret."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryhub.database.data_folder import (
    DataFolderUnusable,
    make_private,
    open_to_others,
    prepare,
)
from memoryhub.database.secret_key import keep_secret_key
from tests.browser.hub import ROOT
from tests.warm import python


def mode(path: Path) -> int:
    return path.lstat().st_mode & 0o777


def run(data: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", 'umask 022; exec "$@"', "sh", *python(*command)],
        env={**os.environ, "MEMORYHUB_DATA": str(data)},
        input='{"ctx": {"sessionKey": "agent:main:x"}}',
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )


def below(folder: Path) -> Iterator[Path]:
    yield folder
    yield from folder.rglob("*")


@pytest.mark.parametrize("first", ["make run", "a hook", "nobody"])
def test_whoever_made_it_first_nobody_else_gets_in(tmp_path: Path, first: str) -> None:
    data, root = tmp_path / "new/data", tmp_path / "shop"
    (root / "memory").mkdir(parents=True)
    (root / "memory/note.md").write_text("# note\n")
    if first == "make run":
        (data / "locks").mkdir(parents=True)
        (data / "samples").mkdir()
    if first == "a hook":
        run(data, "memoryhub/hooks/client.py", "before_compaction")
        assert mode(data) == 0o700
    for command in (["add", str(root)], ["sync"], ["search", "note"]):
        run(data, "manage.py", *command)

    assert {path for path in below(data) if mode(path) & 0o077} == set()
    assert mode(root / "memory/note.md") == 0o644
    made = list((root / "memory").glob("context-*"))
    assert all(mode(path) & 0o044 for path in made)
    assert len(made) == (2 if first == "a hook" else 0)


def test_looser_modes_are_mended_and_others_files_are_left_alone(
    tmp_path: Path,
) -> None:
    for name in ("memoryhub.sqlite3-wal", "secret.key", "mine.txt"):
        (tmp_path / name).touch(0o644)
    (tmp_path / "samples/acme").mkdir(mode=0o755, parents=True)
    tmp_path.chmod(0o755)

    make_private(tmp_path)

    assert open_to_others(tmp_path) == []
    assert mode(tmp_path) == mode(tmp_path / "samples") == 0o700
    assert mode(tmp_path / "secret.key") == 0o600
    assert mode(tmp_path / "mine.txt") == 0o644
    assert mode(tmp_path / "samples/acme") == 0o755


def test_a_folder_that_many_share_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    (tmp_path / "secret.key").touch(0o644)

    prepare(tmp_path, make=True)

    assert tmp_path.stat().st_mode & 0o7777 == 0o1777
    assert mode(tmp_path / "secret.key") == 0o600


@pytest.mark.parametrize("held", [None, b"", b"\0" * 67, b"\n", b"\xff\xfe"])
def test_a_secret_that_is_missing_or_holds_nothing_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], held: bytes | None
) -> None:
    if held is not None:
        (tmp_path / "secret.key").write_bytes(held)

    made = keep_secret_key(tmp_path, "k" * 67)

    assert len(made) > 50
    assert keep_secret_key(tmp_path, "other") == made
    assert mode(tmp_path / "secret.key") == 0o600
    assert ("was made anew" in capsys.readouterr().err) == (held is not None)


def test_a_secret_has_reached_the_disk_before_it_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    look = Path("/proc/self/fd")
    monkeypatch.setattr(
        os, "fsync", lambda fd: synced.append((look / str(fd)).readlink().name)
    )

    keep_secret_key(tmp_path, "key")

    assert synced == [f"secret.key.{os.getpid()}.draft", tmp_path.name]
    assert [path.name for path in tmp_path.glob("secret.key*")] == ["secret.key"]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(DataFolderUnusable, match="file/data: Not a directory"):
        prepare(tmp_path / "file/data", make=True)
