"""Alternatives behind one condition find what they find one by one."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from memoryhub.formats.text.alternatives import compile_alternatives
from memoryhub.formats.text.binding import DIRECTING
from memoryhub.formats.text.clauses import find_deciding
from memoryhub.formats.text.stems import Families

PATTERN = r"\bnever\b|^(?:ok,? )?go\b|x[|)]y|不要|\bstop (?:a|b)|\|end|(?<!\bi )must"
WORDS = ["never", "ok", "go", "x|y", "x)y", "不要", "stop a", "stop", "|end", "i must"]


@given(st.lists(st.sampled_from([*WORDS, "must", ",", "nevermore"]), max_size=6))
def test_grouped_alternatives_find_the_same(words: list[str]) -> None:
    text = " ".join(words)
    plain, grouped = (
        re.search(PATTERN, text),
        compile_alternatives(PATTERN).search(text),
    )

    assert (plain and plain.span()) == (grouped and grouped.span())


def test_bars_in_sets_and_groups_do_not_cut() -> None:
    assert (
        compile_alternatives(r"\ba|\b[|(]b|^c|d").pattern == r"\b(?:a|[|(]b)|^(?:c)|d"
    )


def test_the_rules_are_compiled_so() -> None:
    assert Families(DIRECTING).search("please never deploy on friday")
    assert find_deciding("we decided to keep the old pump")
