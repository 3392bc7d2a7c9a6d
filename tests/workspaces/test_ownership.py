from __future__ import annotations

import pytest

from memoryhub.journal.ownership import (
    agent_of_path,
    agent_of_root,
    agent_with_memory,
    is_agent,
)


@pytest.mark.parametrize(
    ("root", "agent"),
    [
        ("/home/ana/.openclaw/workspace-fin", "fin"),
        ("/home/ana/.openclaw/agents/dev/workspace", "dev"),
        ("/home/ana/.openclaw/workspace", ""),
        ("/home/ana/workspace-", ""),
        ("/home/ana/notes", ""),
        ("/home/ana/.claude/projects/-srv-shop/memory", "claude"),
        ("/home/ana/shop/.claude", "claude"),
        ("/home/ana/.codex/memories", "codex"),
        ("/home/ana/shop/.serena/memories", "serena"),
        ("/home/ana/.claude/agent-memory", ""),
        ("/home/ana/.claude/agent-memory/reviewer", "reviewer"),
        ("/home/ana/claude/notes", ""),
        ("/", ""),
    ],
)
def test_a_folder_s_name_tells_whose_workspace_it_is(root: str, agent: str) -> None:
    assert agent_of_root(root) == agent


@pytest.mark.parametrize(
    ("path", "agent"),
    [
        ("agents/dev/notes.md", "dev"),
        ("team/agents/dev/memory/2026-11-01.md", "dev"),
        ("agents/notes.md", ""),
        ("myagents/dev/notes.md", ""),
        ("memory/2026-11-01.md", ""),
    ],
)
def test_a_folder_on_the_way_tells_whose_a_file_is(path: str, agent: str) -> None:
    assert agent_of_path(path) == agent


@pytest.mark.parametrize(
    ("root", "path", "agent"),
    [
        ("/home/ana/.claude/agent-memory", "reviewer/MEMORY.md", "reviewer"),
        ("/home/ana/shop", ".claude/agent-memory/reviewer/MEMORY.md", "reviewer"),
        ("/home/ana/shop", "reviewer/MEMORY.md", ""),
        ("/home/ana/.claude/agent-memory", "MEMORY.md", ""),
    ],
)
def test_each_agent_of_agent_memory_has_a_folder(
    root: str, path: str, agent: str
) -> None:
    assert agent_with_memory(root, path) == agent


def test_who_signs_in_is_no_agent_whatever_the_case() -> None:
    assert is_agent("dana", {"ruth"})
    assert not is_agent("Dana", {"dana"})


@pytest.mark.parametrize(
    ("actor", "agent"),
    [
        ("scout", True),
        ("测试 1", True),
        ("operator", False),
        ("Human", False),
        ("", False),
        ("other/scout", False),
        ("x" * 81, False),
    ],
)
def test_who_acts_is_an_agent_or_a_person(actor: str, *, agent: bool) -> None:
    assert is_agent(actor) is agent
