"""Deleted long-lived files: a loss, until they are back or a person has looked."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from memoryhub.journal.models import FileStat, Problem, SourceFile, Workspace
from memoryhub.journal.versions import version_at
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.files import Who, clearing, restore
from memoryhub.sync.record.projection import rebuild
from tests.factories import TOPIC, imported, write
from tests.projected import differences, projected_rows

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

LINES = "# People\n" + "".join(f"- person {n}\n" for n in range(12))
OTHERS = {f"notes/{n}.md": f"Note {n}.\n" for n in range(3)}


def losses(workspace: Workspace) -> list[tuple[str, str, int]]:
    """Return path, code and lines of the losses at which no person has looked."""
    rows = Problem.objects.filter(
        workspace=workspace, until_seq__isnull=True, cleared_seq__isnull=True
    )
    found = rows.order_by("path", "code_name")
    return [(row.path, row.code_name, row.parameters.get("lines")) for row in found]


def deleted(root: Path, path: str, text: str = LINES) -> Workspace:
    workspace = imported(root, {path: text, **OTHERS})
    (root / path).unlink()
    sync_workspace(workspace)
    return workspace


def test_a_file_deleted_behind_a_repair_is_deleted_once(workspace_root: Path) -> None:
    workspace = imported(workspace_root, {"MEMORY.md": LINES, **OTHERS})
    # As a repair leaves a file that is not what the journal has.
    FileStat.objects.filter(path="MEMORY.md").update(sha256="", recheck=True)
    (workspace_root / "MEMORY.md").unlink()

    assert [sync_workspace(workspace).deleted for _ in range(2)] == [1, 0]
    assert not SourceFile.objects.get(path="MEMORY.md").present


@pytest.mark.parametrize(
    "path",
    [
        *("MEMORY.md", "USER.md", "AGENTS.md", "CLAUDE.md"),
        *("memory-bank/progress.md", "memory/people.md", "memory/2026-11-20.md"),
    ],
)
def test_a_deleted_long_lived_file_is_a_loss(workspace_root: Path, path: str) -> None:
    workspace = deleted(workspace_root, path)

    assert losses(workspace) == [(path, "memory-gone", 13)]
    before = projected_rows(workspace)
    rebuild(workspace)
    assert not differences(before, projected_rows(workspace))


def test_a_file_keeps_its_protection_when_its_folder_is_renamed(
    workspace_root: Path,
) -> None:
    days = {f"memory/2026-11-0{n}.md": f"- day {n} and its line\n" for n in range(1, 7)}
    notes = {f"notes/{n}.md": f"Note {n}.\n" for n in range(9)}
    workspace = imported(workspace_root, {**days, **notes})

    (workspace_root / "memory").rename(workspace_root / "memory_20261120")
    assert sync_workspace(workspace).moved == 6
    shutil.rmtree(workspace_root / "memory_20261120")
    sync_workspace(workspace)

    assert losses(workspace) == [
        (path.replace("memory", "memory_20261120"), "memory-gone", 1) for path in days
    ]
    before = projected_rows(workspace)
    rebuild(workspace)
    assert not differences(before, projected_rows(workspace))


def test_a_log_in_a_renamed_folder_still_only_grows(workspace_root: Path) -> None:
    workspace = imported(workspace_root, {"memory/people.md": LINES, **OTHERS})
    (workspace_root / "memory").rename(workspace_root / "aside")
    sync_workspace(workspace)

    (workspace_root / "aside/people.md").write_text("# People\n", "utf-8")
    sync_workspace(workspace)

    assert losses(workspace) == [("aside/people.md", "memory-shrank", 12)]


def test_a_deleted_topic_is_a_loss(workspace_root: Path) -> None:
    path = "memory/context-api.md"

    assert losses(deleted(workspace_root, path, TOPIC))[0][:2] == (path, "memory-gone")


@pytest.mark.parametrize(
    ("path", "text"), [("notes/draft.md", LINES), ("MEMORY.md", "\n\n")]
)
def test_other_files_and_empty_ones_are_none(
    workspace_root: Path, path: str, text: str
) -> None:
    assert losses(deleted(workspace_root, path, text)) == []


def test_it_is_over_when_the_file_is_restored(workspace_root: Path) -> None:
    workspace = deleted(workspace_root, "MEMORY.md")
    seq = Problem.objects.get().parameters["seq"]
    version = version_at(workspace, "MEMORY.md", seq)
    assert version is not None

    newest = SourceFile.objects.get(path="MEMORY.md").seq
    restore(workspace, "MEMORY.md", version, newest, Who("dana", "key-1"))

    assert losses(workspace) == []
    assert (workspace_root / "MEMORY.md").read_text() == LINES


def test_a_file_that_comes_back_with_another_text_has_lost_its_lines(
    workspace_root: Path,
) -> None:
    workspace = deleted(workspace_root, "MEMORY.md")

    write(workspace_root, {"MEMORY.md": "# Memory\n- something else\n"})
    sync_workspace(workspace)

    assert losses(workspace) == [("MEMORY.md", "memory-shrank", 13)]
    write(workspace_root, {"MEMORY.md": LINES})
    sync_workspace(workspace)
    assert losses(workspace) == []


def test_a_file_emptied_before_it_was_deleted_keeps_its_loss(
    workspace_root: Path,
) -> None:
    workspace = imported(workspace_root, {"MEMORY.md": LINES, **OTHERS})
    write(workspace_root, {"MEMORY.md": ""})
    sync_workspace(workspace)
    (workspace_root / "MEMORY.md").unlink()
    sync_workspace(workspace)

    assert losses(workspace) == [("MEMORY.md", "memory-shrank", 13)]


def test_a_file_replaced_by_another_text_has_lost_its_lines(
    workspace_root: Path,
) -> None:
    workspace = imported(workspace_root, {"MEMORY.md": LINES, **OTHERS})
    write(workspace_root, {"MEMORY.md": "# Memory\n- something else\n"})
    sync_workspace(workspace)

    assert losses(workspace) == [("MEMORY.md", "memory-shrank", 13)]


def test_a_moved_file_is_no_loss(workspace_root: Path) -> None:
    workspace = imported(workspace_root, {"MEMORY.md": LINES, **OTHERS})
    (workspace_root / "memory").mkdir()
    (workspace_root / "MEMORY.md").rename(workspace_root / "memory/MEMORY.md")
    sync_workspace(workspace)

    assert losses(workspace) == []


def test_it_stays_until_a_person_has_looked_and_does_not_return(
    workspace_root: Path,
) -> None:
    workspace = deleted(workspace_root, "MEMORY.md")
    write(workspace_root, {"notes/0.md": "Changed.\n"})
    sync_workspace(workspace)
    assert losses(workspace) == [("MEMORY.md", "memory-gone", 13)]

    apply_edit(workspace, clearing([Problem.objects.get()], "gone", actor="dana"))
    assert losses(workspace) == []

    write(workspace_root, {"MEMORY.md": "# Begun anew\n"})
    sync_workspace(workspace)
    assert losses(workspace) == []


def test_deletions_that_a_person_accepts_are_no_losses(workspace_root: Path) -> None:
    texts = {"MEMORY.md": LINES, **OTHERS}
    workspace = imported(workspace_root, texts)
    for path in texts:
        (workspace_root / path).unlink()
    assert sync_workspace(workspace).held

    report = sync_workspace(workspace, accept_deletions=True)

    assert report.deleted == 4
    assert losses(workspace) == []
    before = projected_rows(workspace)
    events = [row["title"] for row in before["Event"].values()]
    assert {*OTHERS, "MEMORY.md"} <= set(events)
    rebuild(workspace)
    assert not differences(before, projected_rows(workspace))


def test_every_door_gives_it(
    workspace_root: Path, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace = deleted(workspace_root, "MEMORY.md")
    base = f"/w/{workspace.slug}/"

    for page in ("", "health/", "imports/2/", "files/MEMORY.md"):
        html = " ".join(client.get(base + page).content.decode().split())
        assert "was deleted" in html, page
        assert "/files/MEMORY.md?rev=" in html, page
    capsys.readouterr()
    call_command("status", "--json")
    call_command("tool", "workspace_status", "--json")
    status, tool = map(json.loads, capsys.readouterr().out.splitlines())
    assert status["workspaces"][0]["open_problems"] == 1
    assert tool["open_problems"] == 1
    lost = {"path": "MEMORY.md", "lines": 13, "revision": 1, "deleted": True}
    assert tool["losses"] == [lost]
