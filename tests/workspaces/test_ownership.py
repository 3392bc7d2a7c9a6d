from __future__ import annotations

import pytest

from memoryhub.journal.ownership import agent_of_path, agent_of_root, is_agent


@pytest.mark.parametrize(
    ("root", "agent"),
    [
        ("/home/ana/.openclaw/workspace-fin", "fin"),
        ("/home/ana/.openclaw/agents/dev/workspace", "dev"),
        ("/home/ana/.openclaw/workspace", ""),
        ("/home/ana/workspace-", ""),
        ("/home/ana/notes", ""),
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
