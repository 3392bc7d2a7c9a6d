"""Parsing by another process during a replay: the same rows, also if it dies."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest

from memoryhub.journal.models import Workspace
from memoryhub.journal.reading import read_document
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record import ahead, projection
from memoryhub.sync.record.projection import rebuild
from memoryhub.workspaces.services.adding import add_workspace
from tests.every_dialect import write_every_dialect
from tests.projected import differences, projected_rows


@pytest.fixture
def workspace(
    workspace_root: Path, hub_data: Path, transactional_db: None
) -> Workspace:
    """Return a workspace with a file of every dialect, imported; a log has grown."""
    write_every_dialect(workspace_root)
    log = workspace_root / "memory" / "2026-02-03.md"
    log.write_text("## 09:15 Pump\n\n- We decided to keep the pump.\n")
    added = add_workspace(workspace_root)
    sync_workspace(added)
    with log.open("a") as file:
        file.write("\n## 10:30 Valve\n\n- [ ] Order a valve\n")
    sync_workspace(added)
    return added


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Popen[bytes]]:
    """Parse ahead from the first entry on; return the processes that are started."""
    found: list[Popen[bytes]] = []

    def noted(*args: Any, **options: Any) -> Popen[bytes]:
        found.append(Popen(*args, **options))
        return found[-1]

    monkeypatch.setattr(ahead, "Popen", noted)
    monkeypatch.setattr(projection, "_MANY", 0)
    monkeypatch.setattr(projection, "_REPLAY_BATCH", 5)
    return found


def test_files_parsed_by_another_process_give_the_same_rows(
    workspace: Workspace, started: list[Popen[bytes]]
) -> None:
    before = projected_rows(workspace)

    rebuild(workspace)

    assert differences(before, projected_rows(workspace)) == []
    assert len(started) == 1
    assert started[0].returncode is not None


def test_a_replay_goes_on_if_the_other_process_dies(
    workspace: Workspace, started: list[Popen[bytes]]
) -> None:
    before = projected_rows(workspace)

    def kill(done: int, total: int) -> None:
        if started[0].poll() is None:
            os.kill(started[0].pid, signal.SIGKILL)

    rebuild(workspace, progress=kill)

    assert differences(before, projected_rows(workspace)) == []
    assert len(started) == 1


def test_a_process_that_dies_idle_gives_nothing_more() -> None:
    group = [(number, "notes.md", b"# Notes\n" * 9_000) for number in range(9)]
    with ahead.Ahead("/notes") as parser:
        parser.give(group)
        assert len(parser.take()) == len(group)
        assert parser._child is not None
        os.kill(parser._child.pid, signal.SIGKILL)
        parser._child.wait()

        parser.give(group)

        assert parser.take() == {}


def test_what_the_other_process_parses_is_what_this_one_would() -> None:
    text = b"## 09:15 Pump\n\n- We decided to keep the pump.\n"
    with ahead.Ahead("/notes") as parser:
        parser.give([(7, "memory/2026-02-03.md", text)])

        found = parser.take()

    assert found == {7: read_document("/notes", "memory/2026-02-03.md", text)}
