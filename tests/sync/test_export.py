"""Exports: byte for byte, as of any time, into folders and zips."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memoryhub.journal.models import Workspace
from memoryhub.repair.trial import SAMPLES
from memoryhub.sync.edit.editing import (
    Unwritten,
    apply_edit,
)
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.export import (
    ExportFile,
    TargetNotEmpty,
    export_to,
    with_staged,
    workspace_files,
    write_files,
    write_zip,
)
from tests.factories import write

BEGIN = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
PATH = "memory/context-trial.md"


@pytest.fixture
def workspace(
    make_workspace: Callable[[Path], Workspace], workspace_root: Path
) -> Workspace:
    write(workspace_root, SAMPLES)
    workspace = make_workspace(workspace_root)
    sync_workspace(workspace, clock=lambda: BEGIN)
    return workspace


def bytes_in(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_every_byte_comes_back(workspace: Workspace, tmp_path: Path) -> None:
    count = export_to(workspace, tmp_path / "out")

    assert count == len(SAMPLES)
    assert bytes_in(tmp_path / "out") == SAMPLES


def test_times_of_files_come_back(workspace: Workspace, tmp_path: Path) -> None:
    place = Path(workspace.root, PATH)
    os.utime(place, ns=(1, 1_700_000_000_123_456_789))
    place.write_bytes(b"new")
    os.utime(place, ns=(1, 1_700_000_000_123_456_789))
    sync_workspace(workspace)

    export_to(workspace, tmp_path / "out")

    assert (tmp_path / "out" / PATH).stat().st_mtime_ns == 1_700_000_000_123_456_789


def test_any_past_state_comes_back(workspace: Workspace, tmp_path: Path) -> None:
    root = Path(workspace.root)
    (root / "MEMORY.md").rename(root / "memory/INDEX.md")
    (root / "memory/decisions.md").unlink()
    (root / PATH).write_text("other")
    sync_workspace(workspace, clock=lambda: BEGIN + timedelta(hours=1))

    export_to(workspace, tmp_path / "then", as_of=BEGIN + timedelta(minutes=1))
    export_to(workspace, tmp_path / "now")
    before = list(workspace_files(workspace, as_of=BEGIN - timedelta(seconds=1)))

    assert bytes_in(tmp_path / "then") == SAMPLES
    assert bytes_in(tmp_path / "now") == bytes_in(root)
    assert before == []


def test_names_that_are_no_utf8_come_back(
    make_workspace: Callable[[Path], Workspace], workspace_root: Path, tmp_path: Path
) -> None:
    name = os.fsdecode(b"caf\xe9.md")
    (workspace_root / name).write_bytes(b"x")
    workspace = make_workspace(workspace_root)
    sync_workspace(workspace)

    export_to(workspace, tmp_path / "out")

    assert [place.name for place in (tmp_path / "out").iterdir()] == [name]


def test_a_folder_that_holds_something_is_left_alone(
    workspace: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine").touch()

    for target in (tmp_path / "out", tmp_path / "out/mine"):
        with pytest.raises(TargetNotEmpty):
            export_to(workspace, target)

    assert bytes_in(tmp_path / "out") == {"mine": b""}


@pytest.mark.parametrize("path", ["../x", "a/../../x", "/x", ""])
def test_a_path_that_leaves_the_target_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(ValueError):
        write_files([ExportFile(path, b"x")], tmp_path / "out")

    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("mtime_ns", [0, -1, 10**18, 2**63 - 1])
def test_a_zip_holds_every_byte_at_any_time(mtime_ns: int) -> None:
    out = io.BytesIO()

    write_zip([ExportFile(p, d, mtime_ns) for p, d in SAMPLES.items()], out)

    with zipfile.ZipFile(out) as archive:
        assert {n: archive.read(n) for n in archive.namelist()} == SAMPLES


def test_staged_edits_are_in_an_export(workspace: Workspace) -> None:
    workspace.review_before_writing = True
    workspace.save()
    for path, text in ((PATH, "Edited."), ("memory/context-new.md", "Begun.")):
        apply_edit(workspace, Edit(path, "set_status", {"text": text}, "person:1"))
    left: list[Unwritten] = []

    files = with_staged(workspace, workspace_files(workspace), left)
    found = {file.path: file.data for file in files}

    assert b"Edited." in found[PATH] and b"Begun." in found["memory/context-new.md"]
    assert {p: d for p, d in found.items() if p in SAMPLES and p != PATH} == {
        p: d for p, d in SAMPLES.items() if p != PATH
    }
    assert left == []


def test_a_staged_edit_in_conflict_is_named_and_left_out(workspace: Workspace) -> None:
    workspace.review_before_writing = True
    workspace.save()
    edit = Edit(PATH, "set_status", {"text": "Edited."}, "person:1", base="")
    apply_edit(workspace, edit)
    newer = SAMPLES[PATH].replace(b"(no status yet)", b"By an agent.")
    Path(workspace.root, PATH).write_bytes(newer)
    sync_workspace(workspace)
    left: list[Unwritten] = []

    files = with_staged(workspace, workspace_files(workspace), left)

    assert {file.path: file.data for file in files}[PATH] == newer
    assert [unwritten.path for unwritten in left] == [PATH]
