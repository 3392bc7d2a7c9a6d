from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.base import Field, FormatError, Lines
from memoryhub.formats.text.frontmatter import split, with_field

NOTE = """---
name: "The API: limits"
description: it's 60 a minute
metadata:
  node_type: memory
  type: project
tags: [api, 'rate limits']
files:
  - src/a.py
  - src/b.py
summary: >
  Two lines
  of text
---

# Body
"""
PIECES = st.sampled_from(
    ["---", "\n", "\r\n", "key: value", "  sub: 'x'", "- a", "# c", "a: [", "|", ": "]
)
TEXTS = st.lists(PIECES | st.text(max_size=5)).map("".join)


def test_it_reads_plain_and_quoted_values() -> None:
    matter = split(NOTE)

    assert matter.fields[0] == Field("name", "The API: limits", Lines(2, 2))
    assert matter.get("description") == "it's 60 a minute"
    assert matter.get("nothing", "else") == "else"


def test_it_reads_nested_fields_and_lists() -> None:
    matter = split(NOTE)

    assert matter.get("metadata.type") == "project"
    assert matter.items("tags") == ("api", "rate limits")
    assert matter.items("files") == ("src/a.py", "src/b.py")
    assert matter.get("summary") == "Two lines of text"


def test_it_tells_where_the_body_begins() -> None:
    matter = split(NOTE)

    assert matter.body == "\n# Body\n"
    assert matter.body_line == 15


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "---\n---\n",
        "---\nno end: here\n",
        "---\n\nJust a rule and a text.\n\n---\n",
        "---\n\n## Task Snapshot -- 10:00\nBranch: main\n---\n",
        "---\nkey: value\nand a sentence\n---\n",
        "\n---\nkey: value\n---\n",
        "--- x\nkey: value\n---\n",
    ],
)
def test_a_rule_is_not_front_matter(text: str) -> None:
    matter = split(text)

    assert (matter.source, matter.body, matter.body_line) == ("", text, 1)


@given(TEXTS)
def test_the_parts_join_back(text: str) -> None:
    matter = split(text)

    assert matter.source + matter.body == text
    assert all(field.lines.last < matter.body_line for field in matter.fields)


@given(TEXTS.map(lambda text: "---\na: b\n---\n" + text), st.text())
def test_a_value_that_was_set_is_read(text: str, value: str) -> None:
    value = value.replace("\n", "").replace("\r", "")

    edited = split(with_field(text, "a", value))

    assert edited.get("a").strip("[] ") == value.strip("[] ")
    assert edited.body == text.removeprefix("---\na: b\n---\n")


def test_an_edit_changes_one_line() -> None:
    edited = with_field(NOTE, "metadata.type", "user: x")

    assert edited == NOTE.replace("  type: project", "  type: 'user: x'")


def test_a_new_field_is_the_last_one() -> None:
    edited = split(with_field(NOTE.replace("\n", "\r\n"), "archived", "true"))

    assert edited.source.endswith("  of text\r\narchived: true\r\n---\r\n")


def test_a_note_without_front_matter_gets_one() -> None:
    assert with_field("text\n", "id", "A-1") == "---\nid: A-1\n---\ntext\n"


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("name", "a\nb", "value-has-newline"),
        ("a b", "c", "key-not-allowed"),
        ("files", "c", "value-not-a-line"),
        ("metadata.other", "c", "field-unknown"),
    ],
)
def test_it_refuses_what_the_block_cannot_hold(key: str, value: str, code: str) -> None:
    with pytest.raises(FormatError) as refused:
        with_field(NOTE, key, value)

    assert refused.value.code == code


def test_a_huge_block_is_read() -> None:
    matter = split("---\n" + "key: value\n" * 100_000 + "---\n" + "x" * 200_000)

    assert len(matter.fields) == 100_000
