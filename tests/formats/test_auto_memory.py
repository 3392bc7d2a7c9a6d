from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.auto_memory import AutoMemory, matches, parse
from memoryhub.formats.base import Lines

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/auto_memory/samples"
ANYWHERE = PurePosixPath("memory/fact.md")
PIECES = st.sampled_from(
    [
        "---",
        "\n",
        "name: a",
        "type: user",
        "**Why:** ",
        "**How to apply:**",
        "x",
        "\n\n",
    ]
)


def sample(name: str) -> AutoMemory:
    return parse((CORPUS / name).read_bytes().decode())


@given(st.lists(PIECES | st.text(max_size=4)).map("".join))
def test_any_text_renders_back(text: str) -> None:
    assert parse(text).text == text


@pytest.mark.parametrize("name", ["metadata.md", "crlf.md"])
def test_it_reads_a_fact_with_metadata(name: str) -> None:
    fact = sample(name)

    assert (fact.name, fact.type) == ("deploy-needs-checks", "project")
    assert fact.description == "Deploys: run the checks before the tag"
    assert (fact.description_lines, fact.body_line) == (Lines(3, 3), 9)
    assert fact.session_id.startswith("4f1c0c6e")


def test_it_reads_a_fact_with_its_type_on_top() -> None:
    fact = sample("typed.md")

    assert (fact.type, fact.session_id) == ("feedback", "abc")


@pytest.mark.parametrize("name", sorted(p.name for p in CORPUS.iterdir()))
def test_it_matches_facts(name: str) -> None:
    assert matches(ANYWHERE, sample(name).text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---\nname: skill\ndescription: does things\n---\n",
        "---\nname: a\ntype: project\n---\n",
        "---\nname: a\ndescription: b\ntype: recipe\n---\n",
        "# name: a\n",
    ],
)
def test_it_leaves_other_front_matter(text: str) -> None:
    assert not matches(ANYWHERE, text)
