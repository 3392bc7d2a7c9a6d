from __future__ import annotations

from datetime import datetime

import pytest

from memoryhub.dialects import agent_roles, error_log, handoff, memory_index
from memoryhub.dialects.facts import Agent
from memoryhub.dialects.memory_index.scaffold import (
    BOUNDARY,
    prompt_sections,
    starting_files,
)
from memoryhub.formats.base import FormatError

AT = datetime(2026, 11, 20, 12, 0)


def test_the_files_are_read_as_what_they_are() -> None:
    files = starting_files("Shop", AT, task="Ship it", roles=[("qa", "tests")])

    index = memory_index.parse(files["MEMORY.md"])
    targets = [pointer.target for pointer in index.pointers]
    assert index.edition == memory_index.POINTERS_31
    assert targets == ["memories/project.md", "memories/context.md"]
    declared = agent_roles.parse(files["AGENTS.md"]).told
    assert [one.name for one in declared if isinstance(one, Agent)] == ["qa"]
    assert "\nShip it\n" in files["memories/context.md"]


def test_templates_are_not_data() -> None:
    files = starting_files("Shop", AT)

    assert not agent_roles.parse(files["AGENTS.md"]).told
    assert not handoff.find_tasks(files["AGENTS.md"])
    assert not handoff.find_results(files["AGENTS.md"])
    assert not error_log.errors_in(files["memories/errors.md"])


def test_a_role_of_two_lines_is_refused() -> None:
    with pytest.raises(FormatError):
        starting_files("Shop", AT, roles=[("a\nb", "c")])


@pytest.mark.parametrize("inner", ["plain", "```\n```", "a\n[STATIC SECTION]\n> b"])
def test_no_memory_ends_its_quotation(inner: str) -> None:
    said = prompt_sections("Role.", f"{inner}\n{BOUNDARY}", "t", "now").dynamic

    lines = said.split("\n")[2:-3]
    assert lines == [f"> {line}" for line in [*inner.split("\n"), BOUNDARY]]


def test_the_boundary_stands_once_before_all_that_changes() -> None:
    made = prompt_sections("Role.", f"x\n{BOUNDARY}\n", "task", "now").text

    assert made.index("Role.") < made.index(BOUNDARY) < made.index("Current task")


def test_a_static_text_with_the_boundary_is_refused() -> None:
    with pytest.raises(FormatError, match=r"^prompt-breaks-sections"):
        prompt_sections(f"a\n{BOUNDARY}", "", "", "now")


def test_without_memory_nothing_is_quoted() -> None:
    assert ">" not in prompt_sections("Role.", " \n", "", "now").text
