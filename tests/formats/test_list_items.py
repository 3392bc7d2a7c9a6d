from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.base import Lines
from memoryhub.formats.text.list_items import (
    is_none,
    list_items,
    paragraph,
    without_checkbox,
)


def test_it_joins_the_lines_of_an_item() -> None:
    items = list_items("Intro:\n- a\n  b\n  - c\n\n* d\ntail\n2. e", 10)

    assert [item.text for item in items] == ["a b - c", "d", "e"]
    assert [item.lines for item in items] == [
        Lines(11, 13),
        Lines(15, 15),
        Lines(17, 17),
    ]


@given(st.text(alphabet="- *1.\n\tab"))
def test_items_never_overlap(body: str) -> None:
    ends = [0]
    for item in list_items(body, 1):
        assert item.lines.first > ends[-1]
        ends.append(item.lines.last)


def test_a_checkbox_is_cut_off() -> None:
    assert without_checkbox("[x] done") == ("x", "done")
    assert without_checkbox("[link](x)") == ("", "[link](x)")


@pytest.mark.parametrize(
    "text", ["none", " None.\n", "- none", "(none)", "**none**", ""]
)
def test_the_word_for_none_may_be_dressed(text: str) -> None:
    assert is_none(text)


def test_other_words_are_not_none() -> None:
    assert not is_none("none of the tests pass")
    assert not is_none("nonempty")


def test_prose_is_one_item() -> None:
    assert paragraph("\na\n b\n", 3)[0].text == "a b"
    assert paragraph("\na\n b\n", 3)[0].lines == Lines(4, 5)
    assert paragraph(" \n", 3) == ()
