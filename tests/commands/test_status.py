"""`memoryhub status`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest
from django.core.management import call_command
from django.utils import timezone
from pytest_django import Settings

from memoryhub.journal.models import SourceFile, Workspace
from memoryhub.notices.models import Notice
from memoryhub.sync.engine import sync_workspace

MakeWorkspace = Callable[[Path], Workspace]


def test_it_tells_programs_how_fresh_everything_is(
    make_workspace: MakeWorkspace,
    workspace_root: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (workspace_root / "MEMORY.md").write_text("# Index\n")
    workspace = make_workspace(workspace_root)
    sync_workspace(workspace)

    call_command("status", "--json")

    (told,) = json.loads(capsys.readouterr().out)["workspaces"]
    assert told["workspace"] == "notes"
    assert (told["files"], told["journal_entries"], told["rows_behind"]) == (1, 1, 0)
    assert told["last_import"]["number"] == 1
    assert told["checked_at"] and told["root_exists"]


def test_rows_that_an_earlier_version_made_are_not_told_as_this_ones(
    make_workspace: MakeWorkspace,
    workspace_root: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (workspace_root / "MEMORY.md").write_text("# Index\n")
    sync_workspace(make_workspace(workspace_root))
    Workspace.objects.update(projection_version=1)
    SourceFile.objects.update(role="")

    call_command("status")
    call_command("status", "--json")

    shown, told = capsys.readouterr().out.split("\n{")
    assert "1 journal entries not read by this version: memoryhub sync" in shown
    assert "role" not in shown and '"rows_behind": 1' in told


def test_it_names_problems(
    make_workspace: MakeWorkspace,
    workspace_root: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (workspace_root / "memory").mkdir()
    (workspace_root / "memory/context-session-map.json").write_text("{broken")
    sync_workspace(make_workspace(workspace_root))

    call_command("status", "--problems")

    told = capsys.readouterr().out
    assert "  1 open problem\n" in told
    assert "memory/context-session-map.json:1: is not valid JSON" in told


def test_a_workspace_before_its_first_import_is_told(
    make_workspace: MakeWorkspace,
    workspace_root: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    make_workspace(workspace_root)
    workspace_root.rmdir()

    call_command("status")

    told = capsys.readouterr().out
    assert "(not there)" in told and "no import" in told and "looked at never" in told


def test_no_workspace_is_no_error(
    hub_data: Path, db: None, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("status")

    assert "memoryhub add PATH" in capsys.readouterr().out


def test_it_names_a_webhook_that_fails(
    make_workspace: MakeWorkspace,
    workspace_root: Path,
    settings: Settings,
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings.MEMORYHUB_WEBHOOK_URL = "https://hooks.example/key"
    Notice.objects.create(
        workspace=make_workspace(workspace_root),
        key="k",
        delivery=UUID(int=1),
        body={},
        error="answered 500",
        made_at=timezone.now(),
        tried_at=timezone.now(),
    )

    call_command("status")
    call_command("status", "--json")

    said, told = capsys.readouterr().out.rsplit("\n", 2)[:2]
    assert "Webhook: failing, answered 500 (just now); 1 to deliver, 0 given up" in said
    assert json.loads(told)["webhook"]["failing"]


def test_one_edit_that_waits_is_one_edit(
    make_workspace: MakeWorkspace,
    workspace_root: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    workspace = make_workspace(workspace_root)
    workspace.review_before_writing = True
    workspace.save()
    answer = ("memory_append", "--path=MEMORY.md", "--content=- Kim prefers tea.")
    call_command("tool", *answer)

    call_command("status")

    assert "\n  1 edit to be written: memoryhub export" in capsys.readouterr().out
