from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.base import Lines
from memoryhub.formats.text.list_items import (
    bullets_of,
    is_none,
    list_items,
    paragraph,
    without_checkbox,
)

NOTE = """# Note

- [ ] open
- [x] done
  over two lines
  * nested

```
- in a fence
```
## Other
1. first
text
"""


def test_it_joins_the_lines_of_an_item() -> None:
    items = list_items("Intro:\n- a\n  b\n  - c\n\n* d\ntail\n2. e", 10)

    assert [item.text for item in items] == ["a b - c", "d", "e"]
    assert [item.lines for item in items] == [
        Lines(11, 13),
        Lines(15, 15),
        Lines(17, 17),
    ]


def test_an_item_goes_on_over_blank_lines_while_lines_are_indented() -> None:
    items = list_items("- a\n\tb\n\n  c\n10. d\n  - e\n - f\ntext\n  g\n- h\n-", 5)

    assert [(item.text, item.lines) for item in items] == [
        ("a b c", Lines(5, 8)),
        ("d - e - f", Lines(9, 11)),
        ("h", Lines(14, 14)),
        ("", Lines(15, 15)),
    ]


def test_an_item_further_out_ends_the_one_above() -> None:
    items = list_items("  - a\n  - b\n- c\n", 1)

    assert [(item.text, item.lines) for item in items] == [
        ("a", Lines(1, 1)),
        ("b", Lines(2, 2)),
        ("c", Lines(3, 3)),
    ]
    assert list_items("text\n  more\n", 1) == ()


@given(st.text(alphabet="- *1.\n\tab"))
def test_items_never_overlap(body: str) -> None:
    ends = [0]
    for item in list_items(body, 1):
        assert item.lines.first > ends[-1]
        ends.append(item.lines.last)


def test_a_checkbox_is_cut_off() -> None:
    assert without_checkbox("[x] done") == ("x", "done")
    assert without_checkbox("[link](x)") == ("", "[link](x)")
    assert without_checkbox("[~]  half") == ("~", "half")


@pytest.mark.parametrize(
    "text", ["none", " None.\n", "- none", "(none)", "**none**", ""]
)
def test_the_word_for_none_may_be_dressed(text: str) -> None:
    assert is_none(text)


def test_other_words_are_not_none() -> None:
    assert not is_none("none of the tests pass")
    assert not is_none("nonempty")
    assert not is_none("X none")


def test_prose_is_one_item() -> None:
    assert paragraph("\na\n b\n", 3)[0].text == "a b"
    assert paragraph("\na\n b\n", 3)[0].lines == Lines(4, 5)
    assert paragraph(" \n", 3) == ()


def test_it_reads_items_with_section_and_lines() -> None:
    found = [(item.text, item.section, item.lines) for item in bullets_of(NOTE)]

    assert found == [
        ("open", "Note", Lines(3, 3)),
        ("done over two lines", "Note", Lines(4, 5)),
        ("nested", "Note", Lines(6, 6)),
        ("first", "Other", Lines(12, 12)),
    ]


def test_it_reads_marks_boxes_and_depth() -> None:
    found = [(item.mark, item.checked, item.depth) for item in bullets_of(NOTE)]

    assert found == [("-", False, 0), ("-", True, 0), ("*", None, 2), ("1.", None, 0)]


def test_a_bullet_ends_at_a_blank_line_and_at_a_fence() -> None:
    found = bullets_of(
        "# T\n\t- [X] a\n\t  more\n- b\n  ```\n  - code\n  ```\n  c\n- [ ]  d\n \n"
        "  e\n+ [-] f\n-g\n2) h\nXII\n  i\n"
    )

    assert [(item.text, item.checked, item.depth, item.lines) for item in found] == [
        ("a more", True, 4, Lines(2, 3)),
        ("b", None, 0, Lines(4, 4)),
        ("d", False, 0, Lines(9, 9)),
        ("[-] f", None, 0, Lines(12, 12)),
        ("h", None, 0, Lines(14, 14)),
    ]
    assert {(item.section, item.level) for item in found} == {("T", 1)}
    assert [item.mark for item in found] == ["-", "-", "-", "+", "2)"]


def test_it_reads_lines_that_end_in_cr_lf() -> None:
    assert [i.text for i in bullets_of("- a\r\n  b\r\n- c\r\n")] == ["a b", "c"]


@given(
    st.lists(st.sampled_from(["- ", "a", "\n", "  ", "```", "# ", "\t"])).map("".join)
)
def test_the_lines_of_items_ascend(text: str) -> None:
    ends = [0] + [n for item in bullets_of(text) for n in item.lines]

    assert ends == sorted(ends)


def test_a_huge_list_is_read() -> None:
    text = "- a\n  b\n" * 100_000 + " " * 200_000

    assert len(bullets_of(text)) == 100_000


def test_the_word_for_none_is_short() -> None:
    assert is_none("none".ljust(23, "."))
    assert not is_none("none".ljust(24, "."))
