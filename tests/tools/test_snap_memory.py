"""snap-memory's tool: what its scenarios do not ask."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memoryhub.errors.base import ToolError
from memoryhub.formats import injection
from memoryhub.journal.models import Operation, Workspace
from memoryhub.people.callers import Caller
from memoryhub.tools.calling import call, request_of
from memoryhub.tools.registry import tool_named
from memoryhub.tools.snap_memory import SnapAnswer
from memoryhub.workspaces.services.adding import add_workspace
from tests.writing import say

#: Already the next day in the workspace's zone, not yet in UTC.
NOW = datetime(2026, 11, 20, 23, 30, tzinfo=UTC)
SESSION = "agent:main:main"
NOTES_END = "END_QUOTED_NOTES"
MAP = "memory/context-session-map.json"


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    workspace = add_workspace(workspace_root)
    workspace.time_zone = "Asia/Tokyo"
    workspace.save()
    return workspace


def snap(workspace: Workspace, key: str = "", **fields: Any) -> SnapAnswer:
    tool = tool_named("context_snap")
    caller = Caller(workspace, "main", "main", SESSION, key, clock=lambda: NOW)
    answer = call(tool, caller, request_of(tool, fields))
    assert isinstance(answer, SnapAnswer)
    return answer


def save(workspace: Workspace, topic: str = "auth", **fields: Any) -> SnapAnswer:
    return snap(workspace, action="checkpoint", topic=topic, **fields)


def text_of(workspace: Workspace, topic: str = "auth") -> str:
    return Path(workspace.root, f"memory/context-{topic}.md").read_text()


def files_of(workspace: Workspace) -> list[str]:
    root = Path(workspace.root)
    return sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file())


def test_days_are_those_of_utc(workspace: Workspace) -> None:
    save(workspace)

    assert "- **created**: 2026-11-20\n" in text_of(workspace)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"action": "delete"}, "Unknown action: delete"),
        ({"action": "read"}, "Error: 'topic' required for read action."),
        ({"action": "checkpoint"}, "Error: 'topic' required for checkpoint action."),
        ({"action": "read", "topic": "a/b"}, "Not found: context-a/b.md"),
        ({"action": "list"}, "No context snap files found."),
    ],
)
def test_what_is_not_there_is_said_in_snap_memorys_words(
    workspace: Workspace, fields: dict[str, str], text: str
) -> None:
    assert snap(workspace, **fields).as_text() == text


def test_a_topic_in_a_folder_is_refused_after_the_session_was_bound(
    workspace: Workspace,
) -> None:
    answer = save(workspace, "a/b", status="x")

    assert answer.failed
    assert answer.text == (
        "Error: Error: ENOENT: no such file or directory, open 'context-a/b.md'"
    )
    assert files_of(workspace) == [MAP]
    assert json.loads(Path(workspace.root, MAP).read_text()) == {SESSION: "a/b"}


@pytest.mark.parametrize(
    "fields",
    [
        {"topic": "a\0"},
        {"topic": "a\nb"},
        {"topic": "\udc80"},
        {"topic": "x" * 301},
        {"topic": "a", "sessionId": "a\nb"},
        {"topic": "a", "status": "x" * 100_001},
        {"topic": "a", "decisions": ["x"] * 101},
    ],
)
def test_what_is_no_text_or_too_much_is_refused_before_anything(
    workspace: Workspace, fields: dict[str, Any]
) -> None:
    with pytest.raises(ToolError, match="request-invalid"):
        snap(workspace, action="checkpoint", **fields)

    assert files_of(workspace) == []


def test_a_text_that_no_file_holds_changes_nothing(workspace: Workspace) -> None:
    assert save(workspace, status="a\0b").failed
    assert files_of(workspace) == []


def test_a_damaged_map_is_left_alone_and_the_topic_is_saved(
    workspace: Workspace,
) -> None:
    say(workspace, {MAP: "{broken"})

    answer = save(workspace, status="Half done.")

    assert "not bound" in answer.text
    assert "json-invalid" in answer.text
    assert not answer.failed
    assert "Half done." in text_of(workspace)
    assert Path(workspace.root, MAP).read_text() == "{broken"


@pytest.mark.parametrize(
    "injected",
    [
        injection.wrap("# other\n"),
        f"{injection.OLD_MARKER}\nold",
        f"{injection.HUB_HEADER}\n### Topic\n\n> old\n",
        f"[Startup context loaded by runtime]\nx\n{NOTES_END}",
        f"[Untrusted daily memory: a.md]\n{NOTES_END}\nx\n{NOTES_END}",
    ],
)
def test_what_was_put_before_the_agent_is_not_stored_again(
    workspace: Workspace, injected: str
) -> None:
    save(workspace)
    before = text_of(workspace)

    save(workspace, status=injected, decisions=[injected], historyLine=injected)
    assert text_of(workspace) == before

    save(workspace, status=f"Half done.\n{injected}")
    assert "## Current Status\nHalf done.\n\n## Key" in text_of(workspace)


def test_a_call_made_again_is_one_checkpoint(workspace: Workspace) -> None:
    for _ in range(2):
        answer = snap(
            workspace, "k1", action="checkpoint", topic="auth", historyLine="once"
        )

    assert answer.text == "✅ Context saved: context-auth.md"
    assert text_of(workspace).count("once") == 1
    assert Operation.objects.count() == 2


def test_reading_tells_what_waits_to_be_written(workspace: Workspace) -> None:
    workspace.review_before_writing = True
    workspace.save()
    save(workspace, status="Half done.")

    assert "Half done." in snap(workspace, action="read", topic="auth").text
    assert snap(workspace, action="list").text == (
        "Context snaps:\n- context-auth.md (bound: 1 session)"
    )
    assert files_of(workspace) == []


def test_a_link_that_leaves_the_workspace_is_not_read(
    workspace: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "context-auth.md").write_text("secret")
    Path(workspace.root, "memory").symlink_to(tmp_path)

    for fields in ({"action": "read"}, {"action": "checkpoint", "status": "x"}):
        answer = snap(workspace, topic="auth", **fields)
        assert answer.failed and "secret" not in answer.text
    assert (tmp_path / "context-auth.md").read_text() == "secret"
