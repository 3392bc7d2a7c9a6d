"""Files of hosts that describe no topic, and whose memory has an agent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memoryhub.journal.models import Agent, SourceFile, Workspace
from snapshots.models import OpenItem
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Decision, Topic

SKILL = Path(__file__).parents[2] / "memoryhub/dialects/instructions/samples/SKILL.md"
LOG = "# 2026-08-03\n\n## 09:10 Review\n\nRead the tide code.\n"


@pytest.fixture
def workspace(
    workspace_root: Path, make_workspace: Callable[[Path], Workspace]
) -> Workspace:
    return make_workspace(workspace_root)


def test_skills_commands_rules_and_roles_are_listed_and_no_topics(
    workspace: Workspace,
) -> None:
    places = [
        ".claude/skills/tide/SKILL.md", ".claude/commands/tide.md",
        ".claude/rules/tide.md", ".claude/agents/tide.md", ".claude/CLAUDE.md",
        "memories/skills/tide/SKILL.md", "memories/extensions/tide/instructions.md",
    ]  # fmt: skip
    say(workspace, dict.fromkeys(places, SKILL.read_text("utf-8")))

    listed = SourceFile.objects.filter(format="instructions")
    assert {*listed.values_list("path", flat=True)} == {*places}
    assert not Topic.objects.exists()
    assert not Decision.objects.exists()
    assert not OpenItem.objects.exists()
    assert_a_rebuild_changes_nothing(workspace)


def test_a_topic_ends_where_its_file_becomes_a_command(workspace: Workspace) -> None:
    say(workspace, {"memory/ship.md": "# Ship\n\nNotes.\n"})
    say(workspace, {"memory/ship.md": "---\nallowed-tools: Bash\n---\n# Ship\n"})

    assert not Topic.objects.filter(last_seq=None).exists()
    assert_a_rebuild_changes_nothing(workspace)


@pytest.mark.parametrize("folder", ["agent-memory", "agent-memory-local"])
def test_memory_of_a_subagent_is_its_own(workspace: Workspace, folder: str) -> None:
    say(
        workspace,
        {
            f".claude/{folder}/reviewer/MEMORY.md": "- prefers short functions\n",
            f".claude/{folder}/pilot/2026-08-03.md": LOG,
        },
    )

    names = Agent.objects.values_list("name", flat=True)
    assert {*names} == {"pilot", "reviewer"}
    assert_a_rebuild_changes_nothing(workspace)


def test_roles_of_a_host_are_no_workspaces_of_agents(workspace: Workspace) -> None:
    say(workspace, {".claude/agents/team/2026-08-03.md": LOG})

    assert not Agent.objects.exists()
