from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import call_command

from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Problem, Workspace
from memoryhub.sync.edit.editing import apply_edit, undo
from memoryhub.sync.edit.edits import Conflict, Edit
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.files import clearing
from memoryhub.sync.record.projection import rebuild
from memoryhub.timeline.queries.frame import open_problems
from tests.factories import imported, write
from tests.projected import differences, projected_rows

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

LOG = "memory/2026-11-20.md"
LONG = "# 2026-11-20\n\n## 09:00 - Started\n" + "One line.\nAnother.\n" * 5


def shrunk(root: Path) -> Workspace:
    workspace = imported(root, {LOG: LONG})
    write(root, {LOG: "# 2026-11-20\n"})
    sync_workspace(workspace)
    return workspace


def test_a_cleared_problem_is_listed_no_more(workspace_root: Path) -> None:
    workspace = shrunk(workspace_root)
    row = Problem.objects.get()

    apply_edit(workspace, clearing([row], "shrank", actor="dana"))

    assert open_problems(workspace) == []
    assert Problem.objects.get().until_seq is None


def test_no_door_counts_a_cleared_problem(
    workspace_root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace = shrunk(workspace_root)
    apply_edit(workspace, clearing([Problem.objects.get()], "shrank", actor="dana"))

    call_command("status", "--json")
    call_command("tool", "workspace_status", "--json")

    status, tool = map(json.loads, capsys.readouterr().out.splitlines())
    assert status["workspaces"][0]["open_problems"] == 0
    assert tool["open_problems"] == 0


def test_it_stays_cleared_while_its_file_changes(workspace_root: Path) -> None:
    workspace = shrunk(workspace_root)
    apply_edit(workspace, clearing([Problem.objects.get()], "shrank", actor="dana"))

    write(workspace_root, {LOG: "# 2026-11-20\nMore.\n"})
    sync_workspace(workspace)

    assert open_problems(workspace) == []


def test_a_rebuild_gives_cleared_problems_again(workspace_root: Path) -> None:
    workspace = shrunk(workspace_root)
    apply_edit(workspace, clearing([Problem.objects.get()], "shrank", actor="dana"))
    before = projected_rows(workspace)

    rebuild(workspace)

    assert not differences(before, projected_rows(workspace))
    assert open_problems(workspace) == []


def test_clearing_is_taken_back(workspace_root: Path) -> None:
    workspace = shrunk(workspace_root)
    edit = clearing([Problem.objects.get()], "shrank", actor="dana")
    done = apply_edit(workspace, edit)

    undo(workspace, done, "dana")

    assert len(open_problems(workspace)) == 1
    rebuild(workspace)
    assert len(open_problems(workspace)) == 1


def test_what_another_cleared_is_a_conflict(workspace_root: Path) -> None:
    workspace = shrunk(workspace_root)
    row = Problem.objects.get()
    apply_edit(workspace, clearing([row], "shrank", actor="dana"))

    with pytest.raises(Conflict):
        apply_edit(workspace, clearing([row], "shrank", actor="lee"))


def test_a_problem_that_is_not_there_is_refused(workspace_root: Path) -> None:
    workspace = shrunk(workspace_root)

    for code in ("", "0000000000000", "no code"):
        with pytest.raises(FormatError):
            payload = {"problems": [code], "label": ""}
            apply_edit(workspace, Edit("problem:x", "clear_problem", payload, "dana"))
