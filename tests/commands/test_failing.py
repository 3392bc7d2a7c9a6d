"""A started command that fails names the program or the path that failed it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.running import done, run


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data folder with a workspace ``main``, beside the file ``taken``."""
    folder = tmp_path_factory.mktemp("failing")
    (folder / "notes").mkdir()
    (folder / "notes/MEMORY.md").write_text("# Memory\n")
    (folder / "taken").write_text("")
    done(folder / "hub", "add", folder / "notes", "--slug", "main")
    done(folder / "hub", "sync")
    return folder / "hub"


@pytest.mark.parametrize(
    "command",
    [
        ("export", "main", "--to"),
        ("export", "main", "--zip"),
        ("backup",),
    ],
)
def test_a_path_that_cannot_be_written_is_named(
    hub: Path, command: tuple[str, ...]
) -> None:
    target = hub.parent / "taken/below"

    ended = run(hub, *command, target)

    assert ended.returncode == 1 and str(target) in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_data_folder_that_cannot_be_made_is_named(hub: Path) -> None:
    ended = run(hub.parent / "taken/hub", "status")

    assert ended.returncode and str(hub.parent / "taken/hub") in ended.stderr


def test_a_program_that_is_missing_is_named(
    hub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    ended = run(hub, "guard", "install", env={"PATH": str(tmp_path)})

    assert ended.returncode and "git cannot be run" in ended.stderr
    assert "Traceback" not in ended.stderr
