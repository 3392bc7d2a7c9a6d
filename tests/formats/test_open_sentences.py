"""Sentences of open work, written before the rules for them, in thirteen languages.

The table has families of constructions in each language and near misses: what is done,
a rule, a program that waits, a choice. Sentences stand in the prose of a log.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from memoryhub.formats.text.labels import is_open_label

from memoryhub.formats.openclaw.daily_log import parse
from tests.formats.open_items import items_at

_TABLE = Path(__file__).parent / "statements/open.tsv"
_ROWS = [line.split("\t") for line in _TABLE.read_text("utf-8").splitlines()]
_LABELS = [
    line.split("\t")
    for line in _TABLE.with_name("open_labels.tsv").read_text("utf-8").splitlines()
]
_LOG = "# 2026-05-04\n\n## 10:00 Pump\n\nWe met.\n"


def _of(verdict: str) -> list[str]:
    return [text for _, one, text in _ROWS if one == verdict]


@pytest.mark.parametrize("sentence", _of("yes"))
def test_it_finds_open_work(sentence: str) -> None:
    assert [one.done for one in parse(f"{_LOG}{sentence}\n").open_items] == [False]


@pytest.mark.parametrize("sentence", _of("no"))
def test_it_leaves_out_what_is_no_open_work(sentence: str) -> None:
    assert not parse(f"{_LOG}{sentence}\n").open_items


def test_the_table_has_all_languages() -> None:
    assert len({language for language, *_ in _ROWS}) == 13


@pytest.mark.parametrize("label", [text for one, text in _LABELS if one == "yes"])
def test_it_knows_a_label_by_one_strong_phrase(label: str) -> None:
    assert is_open_label(label)


@pytest.mark.parametrize("label", [text for one, text in _LABELS if one == "no"])
def test_a_label_of_something_else_is_none(label: str) -> None:
    assert not is_open_label(label)


@pytest.mark.parametrize(
    ("name", "found"), [("techContext", []), ("activeContext", ["We have to dry it."])]
)
def test_a_bank_plans_work_where_it_tells_of_work(name: str, found: list[str]) -> None:
    assert items_at(f"memory-bank/{name}.md", "# Boat\n\nWe have to dry it.\n") == found
