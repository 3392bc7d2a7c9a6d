"""`memoryhub checkpoint`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from memoryhub.journal.models import Operation, Workspace


@pytest.fixture
def workspace(
    make_workspace: Callable[[Path], Workspace], workspace_root: Path
) -> Workspace:
    return make_workspace(workspace_root)


def text_of(workspace: Workspace, topic: str) -> str:
    return Path(workspace.root, f"memory/context-{topic}.md").read_text()


def test_it_saves_a_topic(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command(
        "checkpoint",
        "auth",
        "--status=Begun.",
        "--decision=2026-11-20: Use JWT (stateless)",
        "--decision=2026-11-20: Rotate keys",
        "--history=2026-11-20: Started",
        "--session=agent:main:main",
    )

    text = text_of(workspace, "auth")
    assert "Begun." in text and text.endswith("- 2026-11-20: Started\n")
    assert "- 2026-11-20: Use JWT (stateless)\n- 2026-11-20: Rotate keys\n" in text
    assert capsys.readouterr().out.splitlines() == [
        "memory/context-session-map.json: saved",
        "memory/context-auth.md: saved",
    ]


def test_it_tells_programs_what_became_of_it(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace.review_before_writing = True
    workspace.save()

    call_command("checkpoint", "auth", "--status=Begun.", "--as=builder", "--json")

    (told,) = json.loads(capsys.readouterr().out)["operations"]
    assert (told["path"], told["state"]) == ("memory/context-auth.md", "staged")
    assert Operation.objects.get().actor == "builder"


@pytest.mark.parametrize(
    "arguments",
    [
        ("a/b",),
        ("",),
        ("auth", "--status=\udcff"),
        ("auth", "--as=agent:main"),
        ("auth", "--as=Operator"),
    ],
)
def test_what_no_file_can_hold_is_refused(
    workspace: Workspace, arguments: tuple[str, ...]
) -> None:
    with pytest.raises(CommandError):
        call_command("checkpoint", *arguments)

    assert not Operation.objects.exists()


def test_it_takes_the_workspace_of_the_current_folder(
    workspace: Workspace,
    make_workspace: Callable[[Path], Workspace],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "other").mkdir()
    make_workspace(tmp_path / "other")
    Path(workspace.root, "memory").mkdir()
    with pytest.raises(CommandError, match="name one of the workspaces"):
        call_command("checkpoint", "auth")

    monkeypatch.chdir(Path(workspace.root, "memory"))
    call_command("checkpoint", "auth", "--status=Begun.")

    assert "Begun." in text_of(workspace, "auth")


def test_a_current_folder_that_is_gone_is_no_workspace(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()

    call_command("checkpoint", "auth", "--status=Begun.")

    assert "Begun." in text_of(workspace, "auth")
