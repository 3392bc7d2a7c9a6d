"""Edits of files that another agent holds, at the hooks of hosts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memoryhub.claims.models import FileClaim
from memoryhub.claims.services import Wanted, claim_files, end_claims
from memoryhub.hooks import client
from memoryhub.hooks.delivery import deliver
from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.tools.models import HeardSession
from tests.claims.test_claims import NOW
from tests.conftest import MakeWorkspace

AT = NOW.timestamp()


@pytest.fixture
def workspace(make_workspace: MakeWorkspace, workspace_root: Path) -> Workspace:
    (workspace_root / "MEMORY.md").write_text("# Memory\n")
    made = make_workspace(workspace_root)
    sync_workspace(made)
    return made


def told(
    workspace: Workspace,
    event: str,
    said: dict[str, Any],
    agent: str = "",
    at: float = 60,
) -> Any:
    """Return what a hook's client prints, `at` seconds after `NOW`."""
    frame = {
        "event": event.encode(),
        "key": b"k",
        "at_ns": str(int((AT + at) * 1e9)).encode(),
        "folder": workspace.root.encode(),
        "workspace": workspace.slug.encode(),
        "agent": agent.encode(),
        "body": json.dumps(said).encode(),
    }
    answer = deliver(frame)
    return json.loads(answer) if answer else None


def edit(workspace: Workspace, path: str, tool: str = "Edit") -> dict[str, Any]:
    said = {"session_id": "s1", "cwd": workspace.root, "tool_name": tool}
    return {**said, "tool_input": {"file_path": path, "old_string": "a"}}


def hold(workspace: Workspace, agent: str, *paths: str, repository: str = "") -> None:
    claim_files(workspace, agent, Wanted(paths, repository, 30, "the new parser"), NOW)


def test_claude_code_is_refused_what_another_agent_holds(workspace: Workspace) -> None:
    hold(workspace, "ann", "src")
    path = f"{workspace.root}/src/parser.py"

    output = told(workspace, "PreToolUse", edit(workspace, path))["hookSpecificOutput"]

    assert output["permissionDecision"] == "deny"
    why = output["permissionDecisionReason"]
    assert "> src by ann until 2026-11-25T12:30+00:00: the new parser" in why


@pytest.mark.parametrize("tool", ["Read", "Bash", ""])
def test_only_edits_are_refused(workspace: Workspace, tool: str) -> None:
    hold(workspace, "ann", "src")
    said = edit(workspace, f"{workspace.root}/src/parser.py", tool)
    assert told(workspace, "PreToolUse", said) is None


@pytest.mark.parametrize("path", ["", "a\0b", "../" * 60 + "x", "src/" + "a" * 5000])
def test_odd_paths_are_no_fault(workspace: Workspace, path: str) -> None:
    hold(workspace, "ann", "lib")
    assert told(workspace, "PreToolUse", edit(workspace, path)) is None


def test_the_holder_edits_and_so_does_anybody_once_it_ended(
    workspace: Workspace,
) -> None:
    hold(workspace, "Ann", "src")
    said = edit(workspace, f"{workspace.root}/src/parser.py")

    assert told(workspace, "PreToolUse", said, "ann") is None
    assert told(workspace, "PreToolUse", said, "bob") is not None
    assert told(workspace, "PreToolUse", said, "bob", at=31 * 60) is None


def test_a_file_of_a_repository_elsewhere_is_held_by_its_name(
    workspace: Workspace, tmp_path: Path
) -> None:
    repository = tmp_path / "web"
    (repository / ".git").mkdir(parents=True)
    hold(workspace, "ann", "src/*.py", repository="web")

    inside = edit(workspace, str(repository / "src/app.py"))
    other = edit(workspace, str(tmp_path / "src/app.py"))

    assert told(workspace, "PreToolUse", inside) is not None
    assert told(workspace, "PreToolUse", other) is None


def test_openclaw_is_refused_in_its_own_form(workspace: Workspace) -> None:
    hold(workspace, "ann", "notes")
    event = {"toolName": "write", "params": {"path": "notes/a.md"}}
    ctx = {"agentId": "main", "workspaceDir": workspace.root}

    given = told(workspace, "before_tool_call", {"event": event, "ctx": ctx})

    assert given["block"] is True
    assert "notes by ann until" in given["blockReason"]


def test_without_a_server_an_edit_goes_on(tmp_path: Path) -> None:
    frame = dict.fromkeys(client.PARTS, b"") | {"event": b"PreToolUse"}
    assert client.delivered(frame, str(tmp_path)) == b""


def test_an_agent_hears_that_a_person_ended_its_claim(workspace: Workspace) -> None:
    said = {"session_id": "s1", "cwd": workspace.root}
    told(workspace, "SessionStart", said, "ann", at=0)
    assert HeardSession.objects.exists()
    hold(workspace, "ann", "src")
    (claim,) = FileClaim.objects.all()
    end_claims(workspace, [claim.pk], "lead", NOW.replace(minute=5))

    first = told(workspace, "UserPromptSubmit", said, "ann", at=600)
    again = told(workspace, "UserPromptSubmit", said, "ann", at=700)

    assert "ended by lead" in first["hookSpecificOutput"]["additionalContext"]
    assert again is None


def test_a_recall_names_what_others_hold(workspace: Workspace) -> None:
    hold(workspace, "ann", "src")
    said = {"session_id": "s1", "cwd": workspace.root}

    of_bob = told(workspace, "SessionStart", said, "bob")
    of_ann = told(workspace, "SessionStart", said, "ann")

    assert "> src by ann until" in of_bob["hookSpecificOutput"]["additionalContext"]
    assert "Held by other agents" not in json.dumps(of_ann)
