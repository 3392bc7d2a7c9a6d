from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.base import Lines
from memoryhub.formats.text.bullets import bullets_of

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
