from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.agent_roles import matches, parse
from memoryhub.dialects.facts import Agent
from memoryhub.formats.base import Lines
from memoryhub.formats.identities import named_agent

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/agent_roles/samples"
PIECES = st.sampled_from(
    [
        "## Roles",
        "\n",
        "- ",
        "**a**",
        ": ",
        "b",
        "| Agent |",
        "## Agent: x",
        "```",
        "{",
        "\r\n",
    ]
)


def roles_in(text: str) -> list[Agent]:
    return [one for one in parse(text).told if isinstance(one, Agent)]


@given(st.lists(PIECES | st.text(max_size=4)).map("".join))
def test_any_text_renders_back(text: str) -> None:
    assert parse(text).text == text


@pytest.mark.parametrize("name", ["AGENTS.md", "crlf.md"])
def test_it_reads_lists_tables_and_headings(name: str) -> None:
    roles = roles_in((CORPUS / name).read_bytes().decode())

    assert [(role.name, role.responsibility) for role in roles] == [
        ("planner", "cuts work into tasks"),
        ("builder", "writes the code"),
        ("reviewer", "reads it twice"),
        ("ops", "deploys"),
        ("测试员", "写测试。"),
        ("archivist", "Keeps the memory."),
    ]
    assert roles[2].lines == Lines(8, 9)


def test_the_first_of_equal_names_counts() -> None:
    (role,) = roles_in("## Roles\n- a: one\n- a: two\n")

    assert role.responsibility == "one"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("# IDENTITY\n\n- **Name:** Ada\n", "Ada"),
        ("- **Name**: Ada Two\r\n", "Ada Two"),
        ("Name: Ada", "Ada"),
        ("- **名字：** 小艾\n", "小艾"),
        ("- **Name:** _(pick something you like)_\n", ""),
        ("- **Name:**\n  _(pick something you like)_\n", ""),
        ("- **Name:** {name}\n- **Name:** *Ada*\n", "Ada"),
        ("- **Nickname:** x\n", ""),
        ("", ""),
    ],
)
def test_it_reads_the_name_of_an_identity(text: str, name: str) -> None:
    found = named_agent(PurePosixPath("IDENTITY.md"), text)

    assert (found[0] if found else "") == name


def test_it_matches_by_name() -> None:
    assert matches(PurePosixPath("AGENTS.md"), "")
    assert matches(PurePosixPath("agents/x/agents.md"), "")
    assert not matches(PurePosixPath("IDENTITY.md"), "")


@pytest.mark.parametrize(
    "text",
    [
        "## Roles\n" + "- a: b\n" * 50_000,
        "## Roles\n- " + " " * 200_000,
        "## Roles\n- a" + "-" * 200_000,
    ],
)
def test_large_texts_are_read(text: str) -> None:
    assert parse(text).text == text


def test_a_list_of_agents_below_the_title_is_no_agent() -> None:
    text = "# AGENTS\n\n## Roles\n\n- builder: code\n\nDana signs.\n"

    assert [role.name for role in roles_in(text)] == ["builder"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("# AGENTS\n\n## Setup\n\nRun make.\n", []),
        ("# AGENTS\n\n## Roles\n\n### mei\n\nTides.\n", ["mei"]),
        ("# Agents\n\n## mei\n\nTides.\n", ["mei"]),
        ("# Agents\n\n## Rules\n\n- Never push\n\n## mei\n\nTides.\n", ["mei"]),
        ("# AGENTS\n\n- mei: tides\n\n## Older\n\nGone.\n", ["mei"]),
    ],
)
def test_chapters_of_the_file_are_no_roles(text: str, names: list[str]) -> None:
    assert [role.name for role in roles_in(text)] == names
