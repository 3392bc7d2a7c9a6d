"""Which scope a change of a file needs, by its path."""

from __future__ import annotations

import pytest

from memoryhub.dialects.memory_index.scaffold import starting_files
from memoryhub.journal.scopes import Scope, scope_to_write
from tests.factories import NOON


@pytest.mark.parametrize(
    "path",
    [
        "MEMORY.md", "USER.md", "DREAMS.md", "memory/2026-11-20.md",
        "memory/context-api.md", "memory/context-session-map.json",
        "memory/.dreams/short-term-recall.json", "memory/sessions/CMEM-1.md",
        "memories/errors.md", "memory-bank/activeContext.md", "core-memory/a.md",
        "agents/scout/memory/2026-11-20.md", ".memory/notes.md", "memory/规划.md",
    ],
)  # fmt: skip
def test_files_in_folders_of_memory_need_memory(path: str) -> None:
    assert scope_to_write(path) is Scope.MEMORY


@pytest.mark.parametrize(
    "path",
    [
        "CLAUDE.md", "AGENTS.md", "GEMINI.md", "SOUL.md", "IDENTITY.md", "TOOLS.md",
        "HEARTBEAT.md", ".claude/CLAUDE.md", ".claude/skills/x/SKILL.md",
        ".claude/settings.json", ".claude/agents/x.md", ".cursor/rules/x.mdx",
        ".github/copilot-instructions.md", "memory/CLAUDE.md", "memory/claude.md",
        "memory/settings.json", "memory/.claude/memory/a.md", "memory/skills/x/a.md",
        "memory/x.prompt.md", "README.md", "docs/notes.md", ".hidden/memory/a.md",
        "memory/.hidden.md", "memory/ＣLAUDE.md", "src/agents/planner.md",
    ],
)  # fmt: skip
def test_what_hosts_obey_and_all_other_files_need_instructions(path: str) -> None:
    assert scope_to_write(path) is Scope.INSTRUCTIONS


def test_logs_of_handoffs_need_handoff() -> None:
    assert scope_to_write("memory/handoffs/20261120-03.md") is Scope.HANDOFF
    assert scope_to_write("memory/handoffs/notes.txt") is Scope.MEMORY


def test_a_folder_that_a_person_has_set_is_one_of_memory() -> None:
    own = ".agents/notes"

    assert scope_to_write(f"{own}/a.md", own) is Scope.MEMORY
    assert scope_to_write(f"{own}/CLAUDE.md", own) is Scope.INSTRUCTIONS
    assert scope_to_write(f"{own}/.git/a.md", own) is Scope.INSTRUCTIONS
    assert scope_to_write(".agents/a.md", own) is Scope.INSTRUCTIONS


def test_a_workspace_can_be_a_folder_of_memory_itself() -> None:
    assert scope_to_write("feedback.md", root="/home/x/memory") is Scope.MEMORY
    assert scope_to_write("CLAUDE.md", root="/home/x/memory") is Scope.INSTRUCTIONS
    assert scope_to_write("feedback.md", root="/home/x/.claude") is Scope.INSTRUCTIONS


def test_of_the_optimizers_files_only_the_roles_are_instructions() -> None:
    needed = {p: scope_to_write(p) for p in starting_files("acme", NOON)}

    assert needed.pop("AGENTS.md") is Scope.INSTRUCTIONS
    assert set(needed.values()) == {Scope.MEMORY}


def test_write_is_an_earlier_name_of_memory() -> None:
    assert Scope("write").value == Scope.WRITE.value == "memory"
    assert [scope.value for scope in Scope].count("memory") == 1
