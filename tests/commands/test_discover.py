"""`memoryhub discover`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from tests.conftest import MakeWorkspace
from tests.writing import write_files

pytestmark = pytest.mark.usefixtures("hub_data", "db")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "ann"
    files: dict[str, str | bytes | None] = {
        ".codex/memories/MEMORY.md": "# Tasks\n",
        ".claude/projects/-srv-shop/memory/MEMORY.md": "# Index\n",
        "code/shop/memory-bank/progress.md": "Half.\n",
    }
    write_files(home, files)
    return home


def asked(capsys: pytest.CaptureFixture[str], home: Path, *options: str) -> str:
    call_command("discover", "--home", str(home), *options)
    return capsys.readouterr().out


@pytest.mark.usefixtures("machine_clock")
def test_it_lists_what_there_is_and_adds_nothing(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = asked(capsys, home)

    assert f"Codex  {home}/.codex/memories  1 file, 8 bytes  changed 0 min" in out
    assert "of -srv-shop" in out
    assert "Add all: the same with --all" in out
    assert not Workspace.objects.exists()


def test_all_of_it_is_added_once(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = asked(capsys, home, "--all", str(home / "code/shop"))
    again = asked(capsys, home, "--all")

    slugs = set(Workspace.objects.values_list("slug", flat=True))
    assert slugs == {"codex", "srv-shop", "shop-memory-bank"}
    assert f"added codex: {home}/.codex/memories" in first
    assert "added as codex" in again
    assert "added codex:" not in again


def test_programs_read_it_as_json(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = json.loads(asked(capsys, home, "--all", "--json"))

    assert told["complete"] and told["home"] == str(home)
    assert sorted(told["added"]) == ["codex", "srv-shop"]
    codex = next(row for row in told["found"] if row["host"] == "Codex")
    assert (codex["files"], codex["bytes"], codex["workspace"]) == (1, 8, "codex")
    assert codex["path"] == f"{home}/.codex/memories"


def test_an_empty_home_is_said_to_be_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "No memory of agents was found in" in asked(capsys, tmp_path)


def test_the_home_of_the_settings_is_the_default(
    capsys: pytest.CaptureFixture[str],
) -> None:
    call_command("discover")

    assert "No memory of agents was found in" in capsys.readouterr().out


@pytest.mark.parametrize("options", [["--home", "/nobody"], ["/nobody"]])
def test_a_folder_that_is_missing_is_named(options: list[str]) -> None:
    with pytest.raises(CommandError, match="/nobody is not a folder"):
        call_command("discover", *options)


def test_a_name_with_a_line_break_stays_on_its_line(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files(home, {".openclaw/workspace-a\n\x1b[2J/MEMORY.md": "x"})

    out = asked(capsys, home, "--all")

    assert "\x1b" not in out
    assert r"workspace-a\n\033[2J" in out
    assert Workspace.objects.filter(root__endswith="workspace-a\n\x1b[2J").exists()


def test_the_folder_of_a_workspace_that_moved_is_left_out(
    make_workspace: MakeWorkspace, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    codex = home / ".codex/memories"
    write_files(codex, {"raw_memories.md": "Raw.\n"})
    sync_workspace(make_workspace(codex))
    codex.rename(home / ".codex/old")
    (home / ".codex/old").rename(home / ".hermes")

    call_command("discover", "--home", str(home), "--all")

    told = capsys.readouterr()
    assert "looks like the folder of memories" in told.err
    assert "memoryhub move memories" in told.err
    assert Workspace.objects.count() == 2
