"""An agent that knows only a system's own text works by MCP and by command.

One test per system, with the examples and words of its published text.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.core.management import CommandError, call_command

from memoryhub.journal.models import Workspace
from memoryhub.tools.calling import CallerOptions
from tests.conftest import MakeWorkspace
from tests.mcp_server.asking import asked
from tests.signing import own_program

pytestmark = pytest.mark.django_db(transaction=True)

AGENT = CallerOptions(agent="main", session="agent:main:main")


@pytest.fixture
def workspace(make_workspace: MakeWorkspace, workspace_root: Path) -> Workspace:
    return make_workspace(workspace_root)


def called(tool: str, /, **arguments: Any) -> str:
    """Return the text of a call by MCP, as of a connection without a profile."""
    done = asked(lambda client: client.call_tool(tool, arguments), AGENT)
    assert not done.is_error, done.content
    return "\n".join(part.text for part in done.content if part.type == "text")


def typed(*line: str) -> str:
    out = io.StringIO()
    call_command(*line, stdout=out)
    return out.getvalue()


def test_big_memory_is_saved_found_and_recalled(workspace: Workspace) -> None:
    called(
        "snapshot_save",
        goal="Ship webhooks, so that nobody polls.",
        phase="testing",
        next_steps=["Write tests for Y endpoint: success (201), duplicate (409)"],
    )

    assert "Task Snapshot" in called("memory_search", query="BIG-MEMORY-SNAPSHOT")
    told = called("more_tools", name="snapshot_recall", arguments={})
    assert "Ship webhooks, so that nobody polls." in told
    assert "Does this match where we left off?" in told
    assert "Write tests for Y endpoint" in typed("tool", "snapshot_recall")


def test_snap_memory_checkpoints_lists_and_reads(workspace: Workspace) -> None:
    saved = called(
        "context_snap",
        action="checkpoint",
        topic="api-redesign",
        status="Phase 1 complete. REST endpoints live. Starting Phase 2 (webhooks).",
        decisions=["2026-03-15: Use event-driven webhooks over polling"],
        historyLine="2026-03-15: Phase 1 deployed to production",
    )

    assert saved == "✅ Context saved: context-api-redesign.md"
    assert "api-redesign" in called("context_snap", action="list")
    read = ("tool", "context_snap", "--action=read", "--topic=api-redesign")
    assert "Use event-driven webhooks over polling" in typed(*read)


def test_the_optimizers_files_are_made_and_its_errors_consulted(
    workspace: Workspace,
) -> None:
    called("more_tools", name="scaffold", arguments={"project": "Shop"})
    called("error_append", text="src/gone.py", kind="FileNotFound")

    assert "src/gone.py" in called("errors_consult", words="gone.py")
    assert "src/gone.py" in typed("tool", "errors_consult", "--words=gone.py")
    assert "of 800 tokens" in called("more_tools", name="memory_budget", arguments={})
    assert "memories/project.md" in called("memory_get", path="MEMORY.md")


def test_clawdbots_facts_and_notes_are_written_found_and_got(
    workspace: Workspace,
) -> None:
    called("memory_append", content="- Remember this: Kim keeps the deploy key.\n")
    called("memory_append", content="- Kim prefers tea.\n", path="MEMORY.md")

    assert "Kim keeps the deploy key" in called("memory_search", query="deploy key")
    assert "Kim prefers tea." in called("memory_get", path="MEMORY.md")
    assert "Kim prefers tea." in typed("get", "MEMORY.md")


def test_ccws_session_is_imported_and_exported_by_its_recovery_id(
    workspace: Workspace,
) -> None:
    text = "## Session ID\nWFS-auth\n\n## Objective\nShip the webhooks"
    saved = called("core_memory", operation="import", text=text)
    recovery_id = saved.partition("Recovery ID: ")[2].split()[0]

    assert saved.startswith(f"Created memory: {recovery_id}")
    assert "Ship the webhooks" in called(
        "core_memory", operation="export", id=recovery_id
    )
    line = ("tool", "core_memory", "--operation=export", f"--id={recovery_id}")
    assert typed(*line) == text


@pytest.mark.parametrize(
    "path",
    ["./MEMORY.md", "memory/../MEMORY.md", "{root}/MEMORY.md", "{root}/x/../MEMORY.md"],
)
def test_a_path_inside_the_workspace_is_resolved_at_every_door(
    workspace: Workspace, path: str
) -> None:
    called("memory_append", content="- Kim prefers tea.\n", path="MEMORY.md")
    path = path.format(root=workspace.root)

    assert "Kim prefers tea." in called("memory_get", path=path)
    assert "Kim prefers tea." in typed("get", path)
    assert "Kim prefers tea." in by_rest(workspace, path).content.decode()
    document = at_documents(workspace, path)
    assert "Kim prefers tea." in document.json()["data"]["text"]
    written = own_program().put(
        document.request["PATH_INFO"],
        {"text": "- Kim prefers coffee.\n"},
        "application/json",
        headers={"if-match": document["ETag"]},
    )
    assert written.json()["data"]["path"] == "MEMORY.md"
    called("memory_append", content="- And cake.\n", path=path)
    assert Path(workspace.root, "MEMORY.md").read_text().endswith("- And cake.\n")


@pytest.mark.parametrize(
    "path",
    ["../kept.md", "memory/../../kept.md", "{root}/../kept.md", "{root}x/kept.md"],
)
def test_a_path_that_leads_out_of_the_workspace_is_refused_at_every_door(
    workspace: Workspace, path: str
) -> None:
    Path(workspace.root, "../kept.md").write_text("- Nobody's business.\n")
    path = path.format(root=workspace.root)

    done = asked(lambda client: client.call_tool("memory_get", {"path": path}), AGENT)

    assert done.is_error
    with pytest.raises(CommandError):
        typed("get", path)
    assert by_rest(workspace, path).status_code == 422
    assert at_documents(workspace, path).status_code == 404


def test_a_command_takes_a_path_from_the_current_folder(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Path(workspace.root)
    (root / "memory").mkdir(exist_ok=True)
    (root / "memory/tea.md").write_text("- Kim prefers tea.\n")
    Path(root, "../kept.md").write_text("- Nobody's business.\n")
    monkeypatch.chdir(root / "memory")

    assert typed("get", "tea.md") == typed("get", "memory/tea.md")
    assert "Kim prefers tea." in typed("get", "tea.md")
    with pytest.raises(CommandError):
        typed("get", "../../kept.md")


def at_documents(workspace: Workspace, path: str) -> Any:
    place = f"/api/v1/workspaces/{workspace.slug}/documents/{quote(path, safe='')}"
    return own_program().get(place)


def by_rest(workspace: Workspace, path: str) -> Any:
    place = f"/api/v1/workspaces/{workspace.slug}/tools/memory_get"
    return own_program().post(place, json.dumps({"path": path}), "application/json")
