"""A file that another program is just saving is read when it is whole."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Timer

import pytest

from memoryhub.journal.blobs import blob_bytes
from memoryhub.journal.models import Revision
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.read import reader
from tests.conftest import MakeWorkspace
from tests.writing import say, write_files

pytestmark = pytest.mark.usefixtures("machine_clock")
_SAVES = """
import sys, time
from pathlib import Path
from threading import Timer
place, whole = Path(sys.argv[1]), Path(sys.argv[1]).read_text()
for number in range(30):
    with place.open("r+") as out:
        out.truncate(0)
        time.sleep(0.02)
        out.write(f"{whole}- 2026-11-20: Saved {number:02}\\n")
    time.sleep(0.01)
"""


def test_no_file_is_imported_in_the_middle_of_a_save(
    make_workspace: MakeWorkspace, workspace_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy machine may stop the other process anywhere, hence the patience."""
    monkeypatch.setattr(reader, "_QUIET", 20.0)
    monkeypatch.setattr(reader, "_PATIENCE", 60.0)
    workspace = make_workspace(workspace_root)
    whole = "# auth\n\n## Key Decisions\n- 2026-11-01: Keep it\n\n## History\n"
    say(workspace, {"memory/context-auth.md": whole, "memory/2026-11-20.md": "# Day\n"})
    place = workspace_root / "memory/context-auth.md"

    with subprocess.Popen([sys.executable, "-c", _SAVES, place]) as saving:
        while saving.poll() is None:
            with (workspace_root / "memory/2026-11-20.md").open("a") as log:
                log.write("- appended\n")
            sync_workspace(workspace)

    kept = Revision.objects.filter(path="memory/context-auth.md", blob__isnull=False)
    assert kept.count() > 2
    assert {blob_bytes(r.blob)[: len(whole)] for r in kept if r.blob} == {
        whole.encode()
    }


def test_an_edit_waits_for_the_end_of_a_save(
    make_workspace: MakeWorkspace, workspace_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_QUIET", 20.0)
    monkeypatch.setattr(reader, "_PATIENCE", 60.0)
    workspace = make_workspace(workspace_root)
    path = "memory/context-auth.md"
    text = "# auth\n\n## Current Status\nBegun.\n\n## Key Decisions\n\n## History\n"
    say(workspace, {path: text})
    place = workspace_root / path
    place.write_bytes(b"")  # as a program does that saves in place
    saving = Timer(0.1, place.write_text, [f"{text}- 2026-11-20: Saved\n"])
    saving.start()

    apply_edit(workspace, Edit(path, "set_status", {"text": "Done."}, "dev"))

    saving.join()
    versions = Revision.objects.filter(path=path).order_by("seq")
    assert [r.kind for r in versions] == ["seen", "seen", "written"]
    assert all(b"## Key Decisions" in blob_bytes(r.blob) for r in versions if r.blob)
    assert "Done." in place.read_text() and "Saved" in place.read_text()


def test_a_file_that_only_grew_is_not_waited_for(
    make_workspace: MakeWorkspace, workspace_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace(workspace_root)
    say(workspace, {"memory/2026-11-20.md": "# Day\n"})
    monkeypatch.setattr(reader, "_STEP", -1.0)  # no wait is possible
    write_files(workspace_root, {"memory/2026-11-20.md": "# Day\n\nMore.\n"})

    assert sync_workspace(workspace).changed == 1
