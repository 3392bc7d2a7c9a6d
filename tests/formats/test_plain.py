from __future__ import annotations

from pathlib import Path, PurePosixPath

from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.plain import first_paragraph, parse
from memoryhub.formats.base import Lines

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/plain/samples"
PIECES = st.sampled_from(["---", "\n", "k: v", "# ", "- ", "```", "a", "\r\n", "> "])
TEXTS = st.lists(PIECES | st.text(max_size=4)).map("".join)


@given(TEXTS)
def test_any_text_renders_back(text: str) -> None:
    note = parse(text)

    assert note.text == text
    said, lines = first_paragraph(text)
    assert (lines is None) == (not said)


def test_it_reads_title_and_first_paragraph() -> None:
    text = (CORPUS / "note.md").read_text(encoding="utf-8")

    assert parse(text).title == "The queue"
    assert first_paragraph(text) == ("> Note", Lines(10, 10))


def test_a_list_gives_its_first_item() -> None:
    text = (CORPUS / "list.md").read_text(encoding="utf-8")

    assert parse(text).title == ""
    assert first_paragraph(text) == ("只有列表", Lines(1, 1))


def test_the_front_matter_gives_a_title_where_no_heading_does() -> None:
    assert parse("---\ntitle: A b\n---\ntext\n").title == "A b"


def test_a_paragraph_ends_at_a_blank_line_or_a_list() -> None:
    assert first_paragraph("# t\n\na\r\nb\n- c\n") == ("a b", Lines(3, 4))
    assert first_paragraph("```\ncode\n```\n| t |\n") == ("", None)


def test_data_has_no_headings() -> None:
    data = parse("# a comment\nkey: value\n", PurePosixPath("a.yaml"))

    assert (data.title, data.told) == ("", ())


def test_large_texts_are_read() -> None:
    text = "---\n" + "x: y\n" * 50_000 + "# h\n" * 6_000 + "- " * 100_000

    assert parse(text).text == text
