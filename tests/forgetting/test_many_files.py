"""Forgetting a text that many files hold: in batches, and past what hinders one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memoryhub.disk.files import FileError
from memoryhub.journal.models import (
    Operation,
    Workspace,
)
from memoryhub.sync.edit import editing, writing
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record import recording
from memoryhub.sync.record.projection import Projection, rebuild
from tests.factories import write
from tests.forgetting.conftest import LOG, OTHER, SECRET, forgotten, rows


def test_many_files_are_redacted_with_few_commits(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(150):
        write(Path(workspace.root), {f"notes/{number}.md": f"{SECRET} {number}\n"})
    sync_workspace(workspace)
    synced: list[int] = []
    made: list[Projection] = []

    def counted(*given: Any, **named: Any) -> Projection:
        made.append(Projection(*given, **named))
        return made[-1]

    monkeypatch.setattr(editing, "sync_commits", lambda: synced.append(1))
    monkeypatch.setattr(recording, "Projection", counted)
    done = forgotten(workspace, kind="text", text=SECRET)

    left = [p for p in Path(workspace.root).rglob("*.md") if SECRET in p.read_text()]
    assert (left, done.result["left"], done.result["kept"]) == ([], [], [])
    assert (len(synced), len(made)) == (3, 3)
    assert Operation.objects.filter(verb="redact", state="applied").count() == 151
    before = rows()
    rebuild(workspace)
    assert rows() == before


def test_what_hinders_one_file_leaves_the_others_redacted(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(Path(workspace.root), {OTHER: f"{SECRET} here too\n"})
    sync_workspace(workspace)
    real = writing.write

    def refused(disk: Any, data: bytes | None) -> bytes:
        if disk.place.name == OTHER:
            raise FileError(OTHER, "the disk refuses")
        return real(disk, data)

    monkeypatch.setattr(editing, "write", refused)
    done = forgotten(workspace, kind="text", text=SECRET)

    assert SECRET not in Path(workspace.root, LOG).read_text()
    assert (done.result["left"], done.result["kept"]) == (
        [f"{OTHER}: the disk refuses"],
        [OTHER],
    )
