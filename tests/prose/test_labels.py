"""Labels: how they are compared, and that their words are sound data."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoryhub.prose
from memoryhub.prose.labels import (
    LabelKind,
    is_column,
    kind_of_label,
    normalise,
    says_nothing,
    state_of,
    tables,
)

PACKAGE = Path(memoryhub.prose.__file__).parent
#: What the reading of prose may take, training apart.
MOST_LINES, MOST_DATA = 1_600, 2_000
#: Tables that say of a label more than its kind.
APART = ("shown", "bidding", "replaced")


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("🎯 Next Steps:", "next steps"),
        ("**Next steps**", "next steps"),
        ("3. Key Decisions (2026-03-01)", "key decisions"),
        ("一、待办事项：", "待办事项"),
        ("[x] Done", "done"),
        ("[TODO]", "todo"),
        ("Ｎｅｘｔ", "next"),
        ("`Pending`", "pending"),
        ("next_step", "next step"),
        ("⏭️  What’s   left", "what's left"),
        ("«À faire» :", "à faire"),
        ("x" * 500, ""),
        ("", ""),
    ],
)
def test_a_label_is_compared_bare(text: str, label: str) -> None:
    assert normalise(text) == label


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        *(("Decisions", "decision"), ("🔑 KEY DECISIONS:", "decision")),
        *(("Next steps / TODO", "open"), ("Next steps after the review", "open")),
        *(("Under consideration", "option"), ("Done", "done"), ("原因", "reason")),
        *(
            ("Decisions and lessons learned", "decision"),
            ("Rules from Dana", "directive"),
        ),
        *(("Decision making process", "none"), ("Next.js upgrade", "none")),
        *(("Summary", "outcome"), ("Result", "outcome"), ("none yet", "nothing")),
        *(("Opened the box", ""), ("The fence", ""), ("", "")),
    ],
)
def test_a_label_has_a_kind(label: str, kind: str) -> None:
    assert kind_of_label(label) == kind


@pytest.mark.parametrize(
    "text", ["", "None", "*none.*", "N/A", "TBD", "(to be filled)", "无", "---", "なし"]
)
def test_it_knows_what_says_nothing(text: str) -> None:
    assert says_nothing(text)


@pytest.mark.parametrize("text", ["None of the tests pass", "No-op mode", "x", "空间"])
def test_it_keeps_what_says_something(text: str) -> None:
    assert not says_nothing(text)


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("in progress", "open"),
        ("Waiting for Ana", "open"),
        ("等房东", "open"),
        ("**Done**", "done"),
        ("erledigt.", "done"),
        ("oiled", ""),
        ("", ""),
    ],
)
def test_a_cell_names_a_state(text: str, state: str) -> None:
    assert state_of(text) == state


def test_columns_are_known_by_their_labels() -> None:
    assert is_column("**Status**", "state")
    assert is_column("Aufgabe", "title")
    assert not is_column("Notes", "state")


def test_labels_are_lists_of_words_by_kind_and_language() -> None:
    kinds = {*get_args(LabelKind), "columns", "states", *APART} - {""}

    assert {*tables()} == kinds
    for languages in tables().values():
        for words in languages.values():
            assert words and all(isinstance(word, str) for word in words)
            assert len(words) == len({*words})


def test_no_label_is_of_two_kinds() -> None:
    kinds: dict[str, set[str]] = {}
    for kind, languages in tables().items():
        for word in (word for words in languages.values() for word in words):
            if kind not in ("columns", "states", *APART) and "…" not in word.strip("…"):
                bare = normalise(word.strip("…"))
                kinds.setdefault(bare, set()).add(kind)

    assert {word: some for word, some in kinds.items() if len(some) > 1} == {}


def test_words_are_written_as_they_are_compared() -> None:
    odd = [
        word
        for kind, languages in tables().items()
        for words in languages.values()
        for word in words
        if word != word.casefold() or word != " ".join(word.split())
    ]

    assert odd == []


def test_data_and_code_stay_within_their_budget() -> None:
    data = [path.read_text("utf-8") for path in PACKAGE.glob("*.toml")]
    code = [
        path.read_text("utf-8")
        for path in PACKAGE.glob("*.py")
        if path.name not in ("fit.py", "__main__.py")
    ]

    assert sum(text.count("\n") for text in code) <= MOST_LINES
    assert sum(text.count("\n") for text in data) <= MOST_DATA
    assert all(tomllib.loads(text) for text in data)


@given(st.text(max_size=80))
def test_any_text_may_be_asked(text: str) -> None:
    normalise(text)
    says_nothing(text)
    kind_of_label(text)
    state_of(text)


@pytest.mark.parametrize("part", ["(", "- ", "1.", "*", "a/", ":", " "])
def test_a_long_line_is_no_burden(part: str) -> None:
    assert kind_of_label(part * 100_000) == ""
    assert normalise(part * 100_000) == ""
