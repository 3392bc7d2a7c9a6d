from __future__ import annotations

import datetime
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.basic_memory import BasicNote, parse
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


def sample(name: str) -> BasicNote:
    return parse((CORPUS / name).read_bytes().decode())


@given(st.lists(PIECES | st.text(max_size=4)).map("".join))
def test_any_text_renders_back(text: str) -> None:
    assert parse(HEAD + text).text == HEAD + text
    assert parse(text).text == text


def test_observations_have_category_text_and_tags() -> None:
    note = sample("Beehive.md")

    assert [(one.category, one.tags) for one in note.observations] == [
        ("decision", ("#winter",)),
        ("fact", ("#queen",)),
        ("todo", ("#order",)),
        ("question", ()),
        ("preference", ()),
    ]
    assert note.observations[2].text == "order a new entrance block"
    assert note.observations[2].lines == Lines(14, 14)


def test_categories_decide_what_is_stated() -> None:
    stated = sample("Beehive.md").stated

    assert [one.text for one in stated.decisions] == [
        "Two supers for the winter, not three (the colony is small)"
    ]
    assert [one.text for one in stated.directives] == [
        "Always write weights in kilograms"
    ]
    assert [(one.text, one.done) for one in stated.open_items] == [
        ("order a new entrance block", False),
        ("does the north wall need straw?", False),
        ("feed in August", True),
        ("weigh in March", False),
    ]


def test_categories_may_be_labels_of_another_language() -> None:
    stated = parse(
        HEAD + "- [décision] Cuire à 240 °C\n- [pendiente] comprar harina\n"
    ).stated

    assert [one.text for one in stated.decisions] == ["Cuire à 240 °C"]
    assert [one.text for one in stated.open_items] == ["comprar harina"]


def test_a_line_of_tags_is_read_in_linear_time() -> None:
    line = "- [decision] x" + " #a" * 200_000

    (one,) = parse(f"{HEAD}{line} y\n{HEAD}").observations

    assert one.tags == ()
    assert len(parse(f"{HEAD}{line}\n").observations[0].tags) == 40


def test_relations_name_other_notes() -> None:
    assert [(one.kind, one.target) for one in sample("Beehive.md").relations] == [
        ("part_of", "Apiary"),
        ("relates_to", "Sugar Order 2026"),
    ]


def test_front_matter_names_and_dates_the_note() -> None:
    note = sample("Beehive.md")

    assert note.title == "Beehive 3"
    assert note.at == datetime.date(2026, 2, 3)
    assert sample("leer-crlf.md").status == "Kerzen aus dem Altwachs"


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

    assert len(parse(text).observations) == 50_000
