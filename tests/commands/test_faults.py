"""A broken folder or database: each command says so in a line, and ends with 1."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.hub import ROOT, empty_hub, manage
from tests.warm import python

#: Runs commands in one process, since each takes a second to start.
_CALLS = """
import sys
from memoryhub import cli
for call in {calls}:
    sys.argv = ["memoryhub", *call]
    print("##", *call, file=sys.stderr)
    try:
        code = cli.main()
    except SystemExit as ended:
        code = ended.code
    print("=", code, file=sys.stderr)
"""
COMMANDS = [
    ["status"],
    ["sync"],
    ["rebuild", "shop"],
    ["search", "api"],
    ["get", "a.md"],
    ["tool", "memory_append", "--content", "x"],
    ["checkpoint", "api", "--status", "x"],
    ["export", "shop", "--to", "out"],
    ["token", "list"],
    ["watch"],
    ["mcp"],
    ["serve", "--port", "0"],
    ["install", "claude-code", "--workspace", "shop"],
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/a.md").write_text("# a\n" * 2000)
    empty_hub(tmp_path)
    manage(tmp_path, "add", str(tmp_path / "shop"))
    manage(tmp_path, "sync")
    return tmp_path


def ran(folder: Path, *calls: list[str], data: Path | None = None) -> list[list[str]]:
    """Run commands; return of each the lines on standard error, the exit code last."""
    done = subprocess.run(
        python("-c", _CALLS.format(calls=list(calls))),
        env={
            **os.environ,
            "MEMORYHUB_DATA": str(data or folder / "data"),
            "PYTHONPATH": str(ROOT),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        cwd=folder,
        text=True,
        check=True,
    )
    parts = done.stderr.split("## ")
    assert not parts[0], parts[0]
    return [part.splitlines()[1:] for part in parts[1:]]


def no_database(data: Path) -> None:
    for path in data.glob("memoryhub.sqlite3*"):
        path.unlink()
    (data / "memoryhub.sqlite3").write_bytes(b"no database\n" * 1000)


def a_folder(data: Path) -> None:
    for path in data.glob("memoryhub.sqlite3*"):
        path.unlink()
    (data / "memoryhub.sqlite3").mkdir()


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (no_database, "memoryhub doctor --repair"),
        (a_folder, "the database cannot be opened"),
    ],
)
def test_each_command_says_it_in_a_line(
    folder: Path, fault: Callable[[Path], None], words: str
) -> None:
    fault(folder / "data")

    for (line, *more), command in zip(ran(folder, *COMMANDS), COMMANDS, strict=True):
        assert more == ["= 1"], (command, line, more)
        assert line.startswith("memoryhub: ") and words in line, command


def test_status_looks_at_the_database(folder: Path) -> None:
    place = folder / "data/memoryhub.sqlite3"
    assert ran(folder, ["status"]) == [["= 0"]]
    data = bytearray(place.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 40 * 4096] = b"\xa5" * 40 * 4096
    place.write_bytes(data)

    ((line, *more),) = ran(folder, ["status"])

    assert "the database is damaged" in line
    assert more[-1] == "= 1"


@pytest.mark.parametrize("setting", ["MEMORYHUB_PORT=high", "MEMORYHUB_DEBUG=perhaps"])
def test_a_wrong_setting_is_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    monkeypatch.setenv(*setting.split("="))

    ((line, code),) = ran(tmp_path, ["sync"])

    assert line.startswith(f"memoryhub: Unexpected value {setting}")
    assert code == "= 1"


def test_a_data_folder_that_cannot_be_made_is_a_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    ((line, code),) = ran(tmp_path, ["add", "."], data=tmp_path / "file/data")

    assert line.startswith("memoryhub: the hub's folder cannot be used: ")
    assert (line.count("MEMORYHUB_DATA"), code) == (1, "= 1")
