"""Issues of beads and files of Claude Code's teams, which are read only."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Agent, Problem, Workspace
from memoryhub.journal.scopes import Scope, scope_to_write
from memoryhub.sync.scan.walk import scan, takes
from snapshots.models import LogEntry, OpenItem
from snapshots.services.open_items import close_item
from tests.writing import assert_a_rebuild_changes_nothing, say, write_files
from topics.models import Topic
from topics.services.topics import Author

DIALECTS = Path(__file__).parents[2] / "memoryhub/dialects"


@pytest.fixture
def workspace(
    workspace_root: Path, make_workspace: Callable[[Path], Workspace]
) -> Workspace:
    return make_workspace(workspace_root)


def sample(name: str) -> str:
    dialect, _, file = name.partition("/")
    return (DIALECTS / dialect / "samples" / file).read_text("utf-8")


def test_issues_of_beads_are_open_items(workspace: Workspace) -> None:
    say(workspace, {".beads/issues.jsonl": sample("beads/issues.jsonl")})

    entry = LogEntry.objects.get()
    assert (entry.title, entry.kind) == ("fy-1 Measure the tide", LogEntry.Kind.ENTRY)
    assert entry.agent is not None and entry.agent.name == "pilot"
    waiting = OpenItem.objects.get(text__startswith="fy-2")
    assert waiting.occurred_at.isoformat() == "2026-05-01T07:00:00.123456+00:00"
    assert Problem.objects.filter(code_name="json-invalid").count() == 2
    assert not Topic.objects.exists()
    assert_a_rebuild_changes_nothing(workspace)


def test_a_team_gives_agents_tasks_and_messages(workspace: Workspace) -> None:
    files = {
        ".claude/tasks/harbour/1.json": sample("agent_team/1.json"),
        ".claude/teams/harbour/config.json": sample("agent_team/config.json"),
        ".claude/teams/harbour/inboxes/team-lead.json": sample(
            "agent_team/team-lead.json"
        ),
    }
    say(workspace, {**files})

    names = Agent.objects.filter(declared=True).values_list("name", flat=True)
    assert {*names} == {"team-lead", "painter"}
    task = OpenItem.objects.get()
    assert task.agent is not None and task.agent.name == "painter"
    told = LogEntry.objects.order_by("first_line").select_related("agent")
    assert [(row.title, row.agent and row.agent.name) for row in told] == [
        ("painter: Buoys painted", "painter"),
        ("pilot: Is the [pier] free? I come at noon", "pilot"),
    ]
    assert_a_rebuild_changes_nothing(workspace)


def test_their_items_are_closed_in_their_own_program(workspace: Workspace) -> None:
    text = sample("beads/issues.jsonl")
    say(workspace, {".beads/issues.jsonl": text})
    row = OpenItem.objects.get(text__startswith="fy-3")

    with pytest.raises(FormatError, match=r"^item-read-only"):
        close_item(workspace, row, "done", Author("", date(2026, 5, 4)))
    assert (Path(workspace.root) / ".beads/issues.jsonl").read_text("utf-8") == text
    assert scope_to_write(".beads/issues.jsonl") is Scope.INSTRUCTIONS


@pytest.mark.parametrize("root", ["", "tasks", "teams"])
def test_a_folder_of_teams_can_be_the_workspace(tmp_path: Path, root: str) -> None:
    write_files(
        tmp_path,
        {".claude/tasks/a/1.json": "{}", ".claude/teams/a/config.json": "{}",
         ".claude/settings.json": "{}"},
    )  # fmt: skip
    place = tmp_path / ".claude" / root

    found = {file.path for file in scan(place).found}
    assert len(found) == (1 if root else 2)
    assert all(takes(place, path) for path in found)
    assert not takes(place, "settings.json") or root
