from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.facts import Document, History, Topic
from memoryhub.dialects.registry import detect
from memoryhub.dialects.wiki_page import parse
from memoryhub.formats.base import Lines

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/wiki_page/samples"
HEAD = "---\npageType: entity\nid: a\nclaims:\n"
PIECES = st.sampled_from(
    [
        *("  - id: a\n", "    text: ", ">-\n", "    status: x\n", "    evidence:\n"),
        *("      - path: a\n", "        lines: 1-2\n", "---\n", "questions:\n", "\t"),
        *("  - ", "\n", "\r\n", "a", " " * 50, '"', "'", ":", "-"),
    ]
)


def sample(name: str) -> Document:
    return parse((CORPUS / name).read_bytes().decode())


@given(st.lists(PIECES | st.text(max_size=4)).map("".join))
def test_any_text_renders_back(text: str) -> None:
    page = parse(HEAD + text)

    assert page.text == HEAD + text
    last = (HEAD + text).count("\n") + 1
    claims = (one.lines for one in page.told if isinstance(one, History))
    assert all(1 <= at.first <= at.last <= last for at in claims)
    assert parse(text).text == text


def test_claims_have_status_confidence_and_evidence() -> None:
    _, load, wind = sample("harbour.md").told

    assert isinstance(load, History) and load.lines == Lines(6, 17)
    assert load.text == (
        "2026-04-29: The crane lifts 12 tons at most. (supported, 0.9, "
        "memory/2026-04-20.md:12-14, source.harbour-master)"
    )
    assert isinstance(wind, History) and wind.text == (
        "It stops above wind force 7, and the siren sounds. (contested)"
    )


def test_questions_are_open_items() -> None:
    page = sample("harbour.md")

    (asked,) = page.statements().open_items
    assert (asked.text, asked.lines) == ("Who has the second key?", Lines(25, 25))
    assert page.title == "Harbour crane"
    topic = page.told[0]
    assert isinstance(topic, Topic)
    assert topic.status == "Built in 1974, painted twice since."


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (HEAD + "---\n", "wiki_page"),
        ("---\npageType: concept\nid: concept.a\n---\n", "wiki_page"),
        ("---\npageType: concept\n---\n", "plain"),
        ("---\nid: a\nclaims:\n  - text: b\n---\n", "plain"),
    ],
)
def test_a_page_type_tells_it(text: str, name: str) -> None:
    assert name == detect(PurePosixPath("wiki/entities/a.md"), text).name


def test_large_files_are_read() -> None:
    claims = "  - id: a\n    text: b\n    evidence:\n      - path: c\n" * 3_000

    assert len(parse(HEAD + claims + "---\n").told) == 3_001
    parse(HEAD + "  - " * 100_000 + "\n---\n")
