from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.auto_memory import matches, parse
from memoryhub.dialects.facts import Document, Recalled, Topic
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


def sample(name: str) -> Document:
    return parse((CORPUS / name).read_bytes().decode())


@given(st.lists(PIECES | st.text(max_size=4)).map("".join))
def test_any_text_renders_back(text: str) -> None:
    assert parse(text).text == text


@pytest.mark.parametrize("name", ["metadata.md", "crlf.md"])
def test_it_reads_a_fact_with_metadata(name: str) -> None:
    recalled, topic = sample(name).told

    assert isinstance(topic, Topic)
    assert (topic.title, topic.status) == (
        "deploy-needs-checks",
        "Deploys: run the checks before the tag",
    )
    assert topic.status_lines == Lines(3, 3)
    assert isinstance(recalled, Recalled)
    assert recalled.session_id.startswith("4f1c0c6e") and not recalled.of_person


def test_feedback_is_of_a_person_and_no_topic() -> None:
    assert sample("typed.md").told == (Recalled("abc", of_person=True),)


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
