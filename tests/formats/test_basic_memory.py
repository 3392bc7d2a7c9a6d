from __future__ import annotations

import datetime
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.basic_memory import parse
from memoryhub.dialects.facts import Declared, Document, Topic
from memoryhub.dialects.registry import detect
from memoryhub.formats.base import Lines

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/basic_memory/samples"
HEAD = "---\npermalink: a\n---\n"
PIECES = st.sampled_from(
    [
        *("- [decision] ", "- [", "] ", "#tag", " (x)", "- relates_to [[", "]]", "a"),
        *("\n", "\r\n", "```\n", "[[a]]", "- [todo] ", "- [ ] ", " #", "\x00"),
    ]
)


def sample(name: str) -> Document:
    return parse((CORPUS / name).read_bytes().decode())


@given(st.lists(PIECES | st.text(max_size=4)).map("".join))
def test_any_text_renders_back(text: str) -> None:
    assert parse(HEAD + text).text == HEAD + text
    assert parse(text).text == text


def test_an_observation_is_read_without_its_tags() -> None:
    first = sample("Beehive.md").statements().open_items[0]

    assert (first.text, first.lines) == ("order a new entrance block", Lines(14, 14))


def test_categories_may_be_labels_of_another_language() -> None:
    stated = parse(
        HEAD + "- [décision] Cuire à 240 °C\n- [pendiente] comprar harina\n"
    ).statements()

    assert [one.text for one in stated.decisions] == ["Cuire à 240 °C"]
    assert [one.text for one in stated.open_items] == ["comprar harina"]


def test_a_line_of_tags_is_read_in_linear_time() -> None:
    tags = " #a" * 200_000

    (one,) = parse(f"{HEAD}- [todo] x{tags} y\n").statements().open_items
    (other,) = parse(f"{HEAD}- [todo] x{tags}\n").statements().open_items

    assert one.text == f"x{tags} y"
    assert other.text == f"x{tags[: -40 * 3]}"


def test_relations_name_other_notes() -> None:
    _, *related = sample("Beehive.md").told

    assert [one.name for one in related if isinstance(one, Declared)] == [
        "Apiary",
        "Sugar Order 2026",
    ]


def test_front_matter_names_and_dates_the_note() -> None:
    note, (topic,) = sample("Beehive.md"), sample("leer-crlf.md").told

    assert note.title == "Beehive 3"
    assert note.time.at == datetime.date(2026, 2, 3)
    assert isinstance(topic, Topic) and topic.status == "Kerzen aus dem Altwachs"


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("notes/Beehive.md", HEAD, "basic_memory"),
        ("memory/bees.md", HEAD, "basic_memory"),
        ("notes/2026-06-07 bees.md", HEAD, "daily_log"),
        ("notes/bees.md", "---\ntitle: a\n---\n- [decision] b\n", "plain"),
        ("notes/bees.md", "permalink: a\n", "plain"),
    ],
)
def test_a_permalink_tells_it(path: str, text: str, name: str) -> None:
    assert name == detect(PurePosixPath(path), text).name


def test_large_files_are_read() -> None:
    text = HEAD + "- [fact] a #b\n" * 50_000 + "- [a" * 50_000 + " #" * 50_000

    assert parse(text).text == text
