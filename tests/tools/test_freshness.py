"""Answers to programs are of the files as they are, or name those that are newer."""

from __future__ import annotations

import io
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.management import call_command

from memoryhub.disk.files import locked
from memoryhub.errors.base import ToolError
from memoryhub.journal.models import SyncRun, Workspace
from memoryhub.mcp import tools as mcp_tools
from memoryhub.mcp.connections import Connection
from memoryhub.mcp.resources import read, resources
from memoryhub.people.access import Access
from memoryhub.people.callers import Caller
from memoryhub.sync.engine import workspace_lock
from memoryhub.sync.scan import pending
from memoryhub.tools.calling import (
    CallerOptions,
    dated_call,
)
from memoryhub.tools.freshness import read_newer
from memoryhub.tools.registry import tool_named
from memoryhub.workspaces.services.adding import add_workspace
from tests.factories import small, snapshot_text, write
from tests.signing import own_program
from tests.tools.asking import asked
from tests.waiting import wait_for

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

LOG = "memory/2026-11-20.md"
NEW = snapshot_text(3, decisions="1. Sign each delivery")


@pytest.fixture
def acme(workspace_root: Path) -> Workspace:
    return small(workspace_root)


def append(workspace: Workspace, text: str = NEW) -> None:
    """Add to the log as an agent does, without the hub."""
    with Path(workspace.root, LOG).open("a") as file:
        file.write(text)


def test_a_reading_tool_gives_what_an_agent_wrote_just_now(acme: Workspace) -> None:
    append(acme)
    caller = Caller(acme, "builder")

    assert "Sign each delivery" in asked(caller, "snapshot_recall").as_text()
    tool = tool_named("snapshot_recall")
    when = dated_call(tool, caller, tool.request())[1]
    acme.refresh_from_db()
    assert when.seq == acme.projected_seq and not when.newer


def test_a_deleted_file_is_no_longer_listed(acme: Workspace) -> None:
    Path(acme.root, "memory/context-api.md").unlink()

    answer = asked(Caller(acme, "builder"), "context_snap", action="list")

    assert "context-api" not in answer.as_text()


def test_the_command_line_gives_it_without_a_server(acme: Workspace) -> None:
    append(acme)
    out = io.StringIO()

    call_command("tool", "snapshot_recall", stdout=out)

    assert "Sign each delivery" in out.getvalue()


def test_rest_reads_give_it_and_say_as_of_when(acme: Workspace) -> None:
    append(acme)
    program = own_program()

    answer = program.get("/api/v1/workspaces/acme/snapshots")

    assert len(answer.json()["data"]) == 3
    acme.refresh_from_db()
    assert answer["MemoryHub-Seq"] == str(acme.projected_seq)
    assert answer["MemoryHub-As-Of"] and "MemoryHub-Stale" not in answer


def test_mcp_gives_it_by_tools_and_resources(acme: Workspace) -> None:
    append(acme)
    connection = Connection(CallerOptions(), Access())

    assert any("2026-11-20-03" in str(one.title) for one in resources(connection))
    append(acme, "\n## 17:00 - Late\nA line more.\n")
    assert "A line more." in read("memoryhub://acme/days/2026-11-20", connection)
    answer = mcp_tools.answered(tool_named("snapshot_recall"), connection, {})
    assert answer.meta is not None
    assert answer.meta[mcp_tools.AS_OF_META]["stale"] is False


def test_a_workspace_that_was_only_added_answers_from_its_files(
    workspace_root: Path,
) -> None:
    write(workspace_root, {LOG: f"# 2026-11-20\n{NEW}"})
    added = add_workspace(workspace_root, slug="acme")

    text = asked(Caller(added, "builder"), "snapshot_recall").as_text()

    assert "Sign each delivery" in text


def test_one_with_too_many_files_says_that_it_is_not_imported(
    workspace_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pending, "_FILES", 1)
    write(workspace_root, {LOG: NEW, "MEMORY.md": "# Memory\n"})
    added = add_workspace(workspace_root, slug="acme")

    with pytest.raises(ToolError) as refused:
        asked(Caller(added, "builder"), "snapshot_recall")

    assert refused.value.code == "not-imported"
    assert refused.value.parameters["files"] == 2


def test_where_an_import_is_under_way_the_newer_files_are_named(
    acme: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pending, "_PATIENCE", 0.05)
    append(acme)
    program = own_program()

    with locked(workspace_lock(acme)):
        connection = Connection(CallerOptions(), Access())
        answer = mcp_tools.answered(tool_named("snapshot_recall"), connection, {})
        response = program.get("/api/v1/workspaces/acme/snapshots")

    assert answer.meta is not None
    assert answer.meta[mcp_tools.AS_OF_META]["newer"] == [LOG]
    assert LOG in answer.content[-1].model_dump()["text"]
    assert response["MemoryHub-Stale"] == LOG


def test_what_cannot_be_read_is_not_tried_at_each_call(acme: Workspace) -> None:
    os.mkfifo(Path(acme.root, "memory/pipe.md"))
    Path(acme.root, "memory/other.md").symlink_to("gone.md")
    before = SyncRun.objects.count()

    asked(Caller(acme, "builder"), "snapshot_recall")

    assert SyncRun.objects.count() == before and not read_newer(acme).newer


def test_a_file_that_was_only_touched_is_read_once(acme: Workspace) -> None:
    read_newer(acme)
    os.utime(Path(acme.root, LOG), ns=(1, 1))
    assert [file.path for file in pending.pending(acme) or []] == [LOG]

    assert not read_newer(acme).newer and pending.pending(acme) == []
    append(acme)
    assert [file.path for file in pending.pending(acme) or []] == [LOG]


def test_callers_that_wait_share_a_look_that_began_after_they_asked(
    acme: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[Workspace] = []
    waiting: list[int] = []
    shared = pending._Scan()

    def looked(*_: object) -> pending._Scan:
        waiting.append(1)
        return shared

    def found(workspace: Workspace) -> list[str]:
        looks.append(workspace)
        return []

    monkeypatch.setattr(pending, "_scans", SimpleNamespace(setdefault=looked))
    monkeypatch.setattr(pending, "_read", found)

    with ThreadPoolExecutor(4) as pool:
        with shared.lock:
            calls = [pool.submit(pending.read_pending, acme) for _ in range(4)]
            wait_for(lambda: len(waiting) == 4)
        assert [call.result() for call in calls] == [[]] * 4
    assert len(looks) == 1
    pending.read_pending(acme)
    assert len(looks) == 2
