"""What a topic file says line by line, and what each edit of it changes."""

from __future__ import annotations

import pytest

from memoryhub.dialects import topic_context
from memoryhub.dialects.topic_context import (
    DECISIONS,
    HISTORY,
    parse,
    plain_status,
    render_topic,
    tidied,
    with_entry,
    with_item,
    with_meta,
    with_status,
    without_item,
)
from memoryhub.formats.base import FormatError, Lines

LIST = """\
## Key Decisions
- a
   more
\ttab
* star
- b
1. number
plain
(none yet)
- c

text
"""


def test_an_entry_goes_on_in_indented_and_plain_lines_right_below_it() -> None:
    items = parse(LIST).decisions

    assert [(item.text, item.lines) for item in items] == [
        ("a", Lines(2, 4)),
        ("b", Lines(6, 6)),
        ("c", Lines(10, 10)),
    ]
    plain = parse("## History\n- a\nand more\n\nof it\n## History\n- b\n").history
    assert [item.lines for item in plain] == [Lines(2, 3), Lines(7, 7)]
    ended = parse("## History\n- a\n# c\n- b\n## Meta\n").history
    assert [item.lines for item in ended] == [Lines(2, 2), Lines(4, 4)]


def test_a_value_of_meta_has_a_bold_key_with_its_colon_behind() -> None:
    topic = parse(
        "# t\n## Meta\n- **a**: 1\n- **b** : 2\n- **c**:\n- **d**:x\n- e: 5\n"
        "- **f**: **:g\n* **h**: 1\n- ****: i\n## History\n- **k**: no\n"
    )

    assert [(one.key, one.value, one.lines.first) for one in topic.meta] == [
        ("a", "1", 3),
        ("d", "x", 6),
        ("f", "**:g", 8),
    ]


def test_the_first_title_above_the_sections_counts() -> None:
    assert parse("#  Attic X \n# Cellar\n").title == "Attic X"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("## Current Status\na\n\n\nb\n\n## History\nc\n", Lines(2, 5)),
        ("\n## Current Status\na\n# c\n", Lines(3, 3)),
        ("## Current Status\na\n## Current Status\nb\n", Lines(2, 2)),
        ("## Current Status\n\n", None),
    ],
)
def test_a_status_has_the_lines_from_its_first_word_to_its_last(
    text: str, lines: Lines | None
) -> None:
    assert parse(text).status_lines == lines


@pytest.mark.parametrize(
    ("text", "edited"),
    [
        ("# t\n\n## Meta\n## History\n", "# t\n\n## Meta\n- **k**: v\n\n## History\n"),
        ("## Meta\n- **k**: old X\n", "## Meta\n- **k**: v\n"),
        ("## Meta\r\n  - **k**: X\r\nx", "## Meta\r\n  - **k**: v\r\nx"),
        (
            "## Meta\n- **a**: 1\nlost\n- **b**: 2\n\n## History\n",
            "## Meta\n- **a**: 1\nlost\n- **b**: 2\n- **k**: v\n\n## History\n",
        ),
        ("# t", "# t\n\n## Meta\n- **k**: v\n"),
    ],
)
def test_a_value_of_meta_is_written_in_its_line_or_behind_the_last(
    text: str, edited: str
) -> None:
    assert with_meta(text, "k", " v ") == edited


@pytest.mark.parametrize(
    ("text", "edited"),
    [
        (
            "# t\n\n## Current Status\n\n## History\n- a\n",
            "# t\n\n## Current Status\ngo\nnow\n\n## History\n- a\n",
        ),
        (
            "## Current Status\n\nold\n\nX\n\n## History\n",
            "## Current Status\n\ngo\nnow\n\n## History\n",
        ),
        (
            "## Current Status\nold\n## History\n- a\n## Current Status\nmore\n",
            "## Current Status\ngo\nnow\n## History\n- a\n## Current Status\n",
        ),
        (
            "# t\n\n## Key Decisions\n- a\n",
            "# t\n\n## Current Status\ngo\nnow\n\n## Key Decisions\n- a\n",
        ),
        ("## Meta\n- **a**: 1", "## Meta\n- **a**: 1\n\n## Current Status\ngo\nnow\n"),
    ],
)
def test_a_status_takes_the_place_of_the_old_one(text: str, edited: str) -> None:
    assert with_status(text, "go\r\nnow") == edited


def test_a_status_of_one_line_is_refused_with_its_number() -> None:
    with pytest.raises(FormatError) as caught:
        with_status("", "## Meta")

    assert (caught.value.code, caught.value.line) == ("status-breaks-sections", 1)
    raw = with_status("# t\n", "## Meta X", raw=True)
    assert raw == "# t\n\n## Current Status\n## Meta X\n"


@pytest.mark.parametrize(
    ("text", "limit", "edited"),
    [
        ("## Key Decisions\n- a\n- b\n", 1, "## Key Decisions\n- c\n"),
        ("## Key Decisions\n- a\n- b\n", 2, "## Key Decisions\n- b\n- c\n"),
        ("## Key Decisions\n- a\n- b\n", 0, "## Key Decisions\n(none yet)\n"),
        ("# t\n", 0, "# t\n"),
        ("## Key Decisions\n\ntext\n", None, "## Key Decisions\n- c\n\ntext\n"),
        ("## Key Decisions\ntext\n", None, "## Key Decisions\n- c\n\ntext\n"),
        (
            "## Key Decisions\n\n  (none yet)\n\n## History\n(none yet)\n",
            None,
            "## Key Decisions\n\n- c\n\n## History\n(none yet)\n",
        ),
        (
            "## Key Decisions\n(none yet)\n- a\n",
            None,
            "## Key Decisions\n(none yet)\n- a\n- c\n",
        ),
        ("# t\ntext", None, "# t\ntext\n\n## Key Decisions\n- c\n"),
        ("", None, "## Key Decisions\n- c\n"),
    ],
)
def test_an_entry_is_added_behind_the_last_and_the_oldest_go(
    text: str, limit: int | None, edited: str
) -> None:
    assert with_entry(text, DECISIONS, " c ", limit=limit) == edited


@pytest.mark.parametrize(
    ("lines", "left"),
    [
        (Lines(2, 2), "## Key Decisions\n(none yet)\n## History\n- a\n- b\n"),
        (Lines(4, 4), "## Key Decisions\n- a\n## History\n- b\n"),
        (Lines(5, 5), "## Key Decisions\n- a\n## History\n- a\n"),
    ],
)
def test_an_entry_is_taken_out_of_its_own_list(lines: Lines, left: str) -> None:
    text = "## Key Decisions\n- a\n## History\n- a\n- b\n"

    assert without_item(text, lines) == left


def test_an_entry_of_several_lines_is_taken_out_whole() -> None:
    left = without_item(LIST, Lines(2, 4))

    assert left == LIST.replace("- a\n   more\n\ttab\n", "")


def test_a_rewritten_entry_has_its_indent_and_line_end() -> None:
    text = "## History\r\n\t - the old X\r\n- b"

    assert with_item(text, Lines(2, 2), " new ") == "## History\r\n\t - new\r\n- b"


@pytest.mark.parametrize(
    ("index", "lines"),
    [
        (0, ["- X", "- a", "- b", "- c"]),
        (1, ["- a", "- X", "- b", "- c"]),
        (3, ["- a", "- b", "- c", "- X"]),
        (9, ["- a", "- b", "- c", "- X"]),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_entry_comes_back_before_the_one_at_its_index(
    index: int, lines: list[str], newline: str
) -> None:
    text = newline.join(["## History", "- a", "- b", "- c", ""])

    edited = topic_context.put_at(text, HISTORY, index, f"- X{newline}")

    assert edited == newline.join(["## History", *lines, ""])
    new = topic_context.put_at("# t", HISTORY, index, "  - X \n")
    assert new == "# t\n\n## History\n- X \n"


def test_the_newest_of_equal_entries_is_the_one_that_is_named() -> None:
    topic = "## Key Decisions\n- a\n  old\n- b\n- a\n  new"

    assert topic_context.source_of(topic, DECISIONS, " a ") == (2, "- a\n  new\n")
    with pytest.raises(FormatError) as caught:
        topic_context.removed(topic, HISTORY, "a")
    assert caught.value.code == "item-not-there"
    assert caught.value.parameters == {"text": "a"}


def test_what_one_more_entry_drops_is_the_first() -> None:
    topic = "## History\n- a\n  more\n- b\n"

    assert topic_context.dropped_by(topic, HISTORY, 1, 2) == "- a\n  more\n"
    assert topic_context.dropped_by(topic, HISTORY, 0, 1) == ""
    assert topic_context.dropped_by(topic, DECISIONS, 1, 1) == ""


def test_a_topic_without_values_is_written_with_the_words_for_none() -> None:
    assert render_topic("t", {}, "", ["a"], []) == (
        "# t\n\n## Current Status\n(no status yet)\n\n## Key Decisions\n- a\n\n"
        "## History\n(none yet)\n"
    )


@pytest.mark.parametrize("changed", ["-  a", " - a", "- a\n- b", "- a\n  b"])
def test_a_file_that_differs_by_more_than_line_ends_is_not_tidied(changed: str) -> None:
    saved = render_topic("t", {}, "", ["a"], ["h"])
    text = saved.replace("- a", f"{changed} \t").replace("- h\n", "- h \n")

    expected = saved.replace("- a", "- a\n- b") if "- b" in changed else text

    assert tidied(text) == expected


def test_headings_of_a_status_are_deepened_as_far_as_they_would_end_it() -> None:
    assert plain_status("a\r\n ## Historyx\n# t\n#x") == "a\n### Historyx\n## t\n#x"
