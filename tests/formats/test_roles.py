"""Roles of files by path and dialect."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from memoryhub.dialects.registry import detect
from memoryhub.dialects.roles import Role, chosen_role, is_obeyed, role_of

_PLAN = "# Plan\n\n## Progress\n\n- [ ] Drain\n\n## Decision Log\n\n- None yet\n"


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("MEMORY.md", Role.MEMORY),
        ("USER.md", Role.MEMORY),
        ("2026-05-02.md", Role.MEMORY),
        ("memory/2026-05-02.md", Role.MEMORY),
        ("memory/boiler.md", Role.MEMORY),
        ("memory-bank/progress.md", Role.MEMORY),
        ("memory-bank/notes.md", Role.MEMORY),
        (".serena/memories/style.md", Role.MEMORY),
        (".claude/agent-memory/linter/MEMORY.md", Role.MEMORY),
        (".claude/agent-memory/linter/pumps.md", Role.MEMORY),
        ("docs/memory/boiler.md", Role.MEMORY),
        ("journal/2026-05-02.md", Role.MEMORY),
        ("HANDOFF.md", Role.MEMORY),
        ("TODO.md", Role.WORK),
        ("docs/backlog.md", Role.WORK),
        ("docs/plans/2026-05-02-boiler.md", Role.WORK),
        ("specs/001-tariffs/tasks.md", Role.WORK),
        (".beads/issues.jsonl", Role.WORK),
        ("decisions.md", Role.RECORD),
        ("memory/decisions.md", Role.RECORD),
        ("docs/adr/0001-valve.md", Role.RECORD),
        ("CLAUDE.md", Role.INSTRUCTION),
        ("AGENTS.md", Role.INSTRUCTION),
        ("memory/AGENTS.md", Role.INSTRUCTION),
        ("SOUL.md", Role.INSTRUCTION),
        ("skills/tolls/SKILL.md", Role.INSTRUCTION),
        (".claude/commands/handoff.md", Role.INSTRUCTION),
        (".cursor/rules/tolls.mdc", Role.INSTRUCTION),
        (".github/instructions/py.instructions.md", Role.INSTRUCTION),
        ("README.md", Role.DOCUMENT),
        ("memory/README.md", Role.DOCUMENT),
        ("memory/templates/day.md", Role.DOCUMENT),
        ("docs/keys.md", Role.DOCUMENT),
        ("security/GUARDRAILS.md", Role.DOCUMENT),
        ("reports/daily/2026-05-02.md", Role.DOCUMENT),
        ("wiki/pumps.md", Role.DOCUMENT),
        ("ideas.md", Role.DOCUMENT),
        ("src/pump.py", Role.DOCUMENT),
    ],
)
def test_a_file_has_a_role(path: str, role: Role) -> None:
    place = PurePosixPath(path)

    assert role_of(place, detect(place, "# Text\n").name) == role


def test_front_matter_of_a_fact_makes_a_note_memory() -> None:
    place = PurePosixPath("facts/valve.md")
    text = "---\nname: valve\ndescription: stays\ntype: project\n---\nIt stays.\n"

    assert role_of(place, detect(place, text).name) == Role.MEMORY


def test_a_plan_that_keeps_a_log_of_decisions_is_memory_of_work() -> None:
    place = PurePosixPath("plans/boiler.md")

    assert role_of(place, detect(place, _PLAN).name) == Role.MEMORY


def test_a_dated_note_is_memory_but_among_documents() -> None:
    assert role_of(PurePosixPath("water/t.md"), "plain", dated=True) == Role.MEMORY
    assert role_of(PurePosixPath("docs/t.md"), "plain", dated=True) == Role.DOCUMENT


def test_the_workspaces_own_memory_folder_is_one() -> None:
    place = PurePosixPath("brain/boiler.md")

    assert role_of(place, "plain", "brain") == Role.MEMORY
    assert role_of(place, "plain", "other") == Role.DOCUMENT


def test_the_first_pattern_that_matches_a_path_gives_its_role() -> None:
    chosen = [("notes/draft-*", "document"), ("notes/**", "memory")]

    assert chosen_role("notes/draft-1.md", chosen) == Role.DOCUMENT
    assert chosen_role("notes/a/b.md", chosen) == Role.MEMORY
    assert chosen_role("docs/b.md", chosen) is None


def test_hosts_obey_rules_by_name_or_folder() -> None:
    assert is_obeyed(PurePosixPath("a/rules.md"))
    assert is_obeyed(PurePosixPath("hooks/a.txt"))
    assert not is_obeyed(PurePosixPath("memory/a.md"))
