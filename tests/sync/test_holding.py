"""Files that are gone at once are held, and nothing is written meanwhile."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from memoryhub.journal.models import Operation, Problem, SourceFile, Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.people.services.tokens import make_token
from memoryhub.sync.edit import editing
from memoryhub.sync.edit.editing import (
    apply_edit,
    settle,
    undo,
    write_staged,
)
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.edit.holding import WorkspaceAway, held_paths
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record.projection import rebuild
from memoryhub.sync.scan.plan import held_back
from tests.factories import imported
from tests.sync.test_editing_interrupted import Crash, crash
from tests.writing import write_files

pytestmark = pytest.mark.django_db

API = "/api/v1/workspaces/acme"
LOG = "memory/2026-11-20.md"


def named(*numbers: int) -> list[str]:
    return [f"memory/note-{number:02}.md" for number in numbers]


@pytest.fixture
def full(hub_data: Path, workspace_root: Path) -> Workspace:
    """Return a workspace of thirty files."""
    return imported(workspace_root, {name: f"# {name}\n" for name in named(*range(30))})


def take_away(workspace: Workspace, *numbers: int) -> None:
    write_files(Path(workspace.root), dict.fromkeys(named(*numbers)))


def give(workspace: Workspace, *numbers: int) -> None:
    files = {name: f"# {name}\n" for name in named(*numbers)}
    write_files(Path(workspace.root), files)  # type: ignore[arg-type]


def note(workspace: Workspace, text: str = "- ours\n", key: str = "once") -> Operation:
    payload = {"text": text, "label": "note"}
    return apply_edit(workspace, Edit(LOG, "append_text", payload, "scout", key=key))


def problems(workspace: Workspace) -> list[str]:
    return list(Problem.objects.values_list("code_name", flat=True))


def test_held_files_are_held_however_many_others_come(full: Workspace) -> None:
    take_away(full, *range(20))
    sync_workspace(full)
    give(full, *range(50, 63))

    for _ in range(3):
        report = sync_workspace(full)
        assert report.deleted == 0 and report.held == tuple(named(*range(20)))
    assert problems(full) == ["gone-at-once"]
    assert Problem.objects.get().parameters["reason"] == "20/43"


def test_a_reorganisation_of_most_files_waits_for_a_person(
    hub_data: Path, workspace_root: Path
) -> None:
    workspace = imported(
        workspace_root, {name: f"# {name}\n" for name in named(*range(100, 214))}
    )
    take_away(workspace, *range(100, 163))
    give(workspace, *range(300, 380))

    for _ in range(3):
        assert sync_workspace(workspace).deleted == 0
    assert len(held_paths(workspace)) == 63


def test_files_that_come_back_are_held_no_longer(full: Workspace) -> None:
    take_away(full, *range(20))
    sync_workspace(full)
    give(full, *range(12))

    assert sync_workspace(full).held == tuple(named(*range(12, 20)))
    give(full, *range(12, 20))
    report = sync_workspace(full)

    assert report.held == () and report.problems == ()
    assert SourceFile.objects.filter(present=True).count() == 30
    assert not problems(full)


def test_files_back_as_they_were_are_held_no_longer(full: Workspace) -> None:
    root = Path(full.root)
    root.rename(root.with_name("unmounted"))
    root.mkdir()
    assert len(sync_workspace(full).held) == 30
    root.rmdir()
    root.with_name("unmounted").rename(root)

    assert sync_workspace(full).held == ()
    assert note(full).state == Operation.State.APPLIED


def test_what_is_held_outlives_a_rebuild(full: Workspace) -> None:
    take_away(full, *range(20))
    sync_workspace(full)
    rebuild(full)

    assert sync_workspace(Workspace.objects.get()).held == tuple(named(*range(20)))
    assert problems(full) == ["gone-at-once"]


def test_one_file_more_is_deleted_and_many_more_are_held(full: Workspace) -> None:
    take_away(full, *range(20))
    sync_workspace(full)
    take_away(full, 20)
    assert sync_workspace(full).deleted == 1
    take_away(full, *range(21, 30))

    report = sync_workspace(full)

    assert report.deleted == 0 and len(report.held) == 29


def test_a_held_file_that_lies_elsewhere_has_moved(full: Workspace) -> None:
    take_away(full, *range(20))
    sync_workspace(full)
    (Path(full.root) / "memory/old").mkdir()
    for name in named(*range(20)):
        (Path(full.root) / name.replace("y/", "y/old/")).write_text(f"# {name}\n")

    report = sync_workspace(full)

    assert (report.moved, report.deleted, report.held) == (20, 0, ())
    assert not problems(full)


def test_files_ignored_from_now_on_are_not_gone_at_once(full: Workspace) -> None:
    full.ignore_patterns = ["memory"]
    full.save()

    assert (sync_workspace(full).deleted, held_paths(full)) == (30, [])


def test_what_is_accepted_is_what_was_held() -> None:
    gone = {"a", "b", "c", "d"}
    assert held_back(gone, 4, {"a", "b"}, accepted=True) == {"c", "d"}
    assert held_back({"a", "b"}, 2, set(), accepted=True) == set()


@pytest.mark.parametrize("gone", ["held", "emptied", "root"])
def test_nothing_is_written_into_a_hole(full: Workspace, gone: str) -> None:
    root = Path(full.root)
    root.rename(root.with_name("unmounted"))
    if gone != "root":
        root.mkdir()
    if gone == "held":
        sync_workspace(full)

    with pytest.raises(WorkspaceAway) as refused:
        note(full)

    assert refused.value.path == LOG
    assert not root.exists() or not list(root.iterdir())
    if root.exists():
        root.rmdir()
    root.with_name("unmounted").rename(root)
    sync_workspace(full)
    assert note(full).state == Operation.State.APPLIED
    assert (root / LOG).read_text() == "- ours\n"


def test_a_file_of_a_folder_whose_files_are_not_there_is_not_made_anew(
    hub_data: Path, workspace_root: Path
) -> None:
    files = {"AGENTS.md": "# A\n", LOG: "# L\n", "memory/2026-11-19.md": "# L\n"}
    workspace = imported(workspace_root, files)
    (workspace_root / "memory").rename(workspace_root.with_name("unmounted"))

    with pytest.raises(WorkspaceAway):
        note(workspace)

    assert not (workspace_root / "memory").exists()


def test_a_pending_operation_waits_while_files_are_held(full: Workspace) -> None:
    with pytest.MonkeyPatch.context() as patched, pytest.raises(Crash):
        patched.setattr(editing, "write", crash)
        note(full)
    root = Path(full.root)
    root.rename(root.with_name("unmounted"))
    root.mkdir()

    assert settle(full) == [LOG]
    sync_workspace(full)
    assert Operation.objects.get().state == Operation.State.PENDING
    root.rmdir()
    root.with_name("unmounted").rename(root)
    sync_workspace(full)

    assert Operation.objects.get().state == Operation.State.APPLIED
    assert (root / LOG).read_text() == "- ours\n"


def test_undo_and_staged_edits_wait_while_files_are_held(full: Workspace) -> None:
    done = note(full)
    full.review_before_writing = True
    full.save()
    note(full, key="staged")
    take_away(full, *range(20))
    sync_workspace(full)

    with pytest.raises(WorkspaceAway):
        undo(full, done, "person:1")
    _, (left,) = write_staged(full)

    assert isinstance(left.error, WorkspaceAway)
    assert (Path(full.root) / LOG).read_text() == "- ours\n"


@pytest.fixture
def program(full: Workspace) -> Client:
    """Return a program that may do everything."""
    secret = make_token(full, "keeper", [Scope.ADMIN]).secret
    return Client(headers={"authorization": f"Bearer {secret}"})


def test_programs_are_asked_to_come_back_later(
    full: Workspace, program: Client
) -> None:
    take_away(full, *range(20))
    sync_workspace(full)

    answer = program.post(
        f"{API}/tools/memory_append",
        {"content": "- ours"},
        content_type="application/json",
    )

    assert (answer.status_code, answer["Retry-After"]) == (503, "30")
    assert answer.json()["error"]["code"] == "workspace-away"
    assert "20 files" in answer.json()["error"]["message"]


def test_programs_list_what_is_held_and_accept_it(
    full: Workspace, program: Client
) -> None:
    take_away(full, *range(20))
    sync_workspace(full)
    listed = program.get(f"{API}/held-files").json()["data"]
    assert [row["path"] for row in listed] == named(*range(20))

    accept = partial(
        program.post, f"{API}/held-files/accept", content_type="application/json"
    )
    assert accept({"seen": 19}).json()["error"]["code"] == "held-other"
    answer = accept({"seen": 20})

    assert answer.json()["data"] == {"number": 2, "deleted": 20, "held": 0}
    assert not problems(full)
    assert note(full).state == Operation.State.APPLIED


def test_commands_name_what_is_held(
    full: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    take_away(full, *range(20))
    call_command("sync", "acme")
    call_command("status", "acme")
    said = capsys.readouterr().out
    assert said.count("held: memory/note-19.md") == 2
    assert said.count("files disappeared at once") == 2

    call_command("sync", "acme", "--json")
    assert json.loads(capsys.readouterr().out)["held"] == named(*range(20))
    call_command("sync", "acme", "--accept-deletions")
    assert "20 deleted" in capsys.readouterr().out


def test_pages_name_what_is_held(full: Workspace, client: Client) -> None:
    take_away(full, *range(20))
    sync_workspace(full)

    health = client.get("/w/acme/health/").content.decode()
    overview = client.get("/w/acme/").content.decode()

    assert all(name in health for name in named(*range(20)))
    assert named(0)[0] in overview and "nothing is written" in overview
