from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.instructions import parse
from memoryhub.dialects.registry import detect

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/instructions/samples"
COMMAND = "---\ndescription: x\nargument-hint: [topic]\n---\n"


@given(st.text())
def test_any_text_renders_back(text: str) -> None:
    assert parse(text).text == text


def test_a_skill_has_a_title_and_states_nothing() -> None:
    read = parse((CORPUS / "SKILL.md").read_text("utf-8"))

    assert read.title == "Tide table"
    assert not any(read.statements())


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".claude/skills/tide/SKILL.md", ""),
        ("memories/skills/tide/reference.md", ""),
        (".claude/commands/ship.md", ""),
        (".claude/agents/reviewer.md", ""),
        (".claude/agents/team/reviewer.md", ""),
        (".claude/rules/python.md", ""),
        (".claude/README.md", ""),
        ("memory/CLAUDE.md", ""),
        ("memories/extensions/ad_hoc/instructions.md", ""),
        (".github/copilot-instructions.md", ""),
        (".cursor/rules/memory-of-decisions.md", "# Context\n\n## Current Status\n"),
        (".cursor/rules/tolls.mdc", ""),
        (".windsurf/rules/tolls.md", ""),
        (".roo/rules/tolls.md", ""),
        (".roo/rules-code/tolls.md", ""),
        (".amazonq/rules/tolls.md", ""),
        (".github/instructions/py.instructions.md", ""),
        (".openhands/microagents/repo.md", ""),
        ("memory/x.prompt.md", ""),
        ("memory/ship.md", COMMAND),
    ],
)
def test_what_hosts_obey_is_known(path: str, text: str) -> None:
    assert detect(PurePosixPath(path), text).name == "instructions"


@pytest.mark.parametrize(
    "path",
    [
        "agents/scout/memory/notes.md",
        "memory/instructions.md",
        "memory/README.md",
        ".claude/agent-memory/reviewer/style.md",
        "memory/ship.md",
        ".clinerules/memory-bank/lessons.md",
        "docs/steering/minutes.md",
    ],
)
def test_memory_is_not(path: str) -> None:
    assert detect(PurePosixPath(path), "# A note\n").name == "plain"
