"""One estimate of tokens for people, one for the seeds' rules, each in one place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memoryhub.values import tokens
from memoryhub.values.limits import INDEX_LINE, INDEX_TOKENS

ROOT = Path(__file__).parents[1]
SOURCES = [
    path
    for folder in ("memoryhub", "topics", "snapshots")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if path.name not in {"tokens.py", "limits.py"}
]


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("abcd", 1), ("abcde", 2), ("压缩ab", 3), ("—", 1)]
)
def test_four_characters_are_a_token_and_so_is_one_of_cjk(
    text: str, count: int
) -> None:
    assert tokens.shown(text) == count


def test_quarters_of_parts_are_those_of_the_whole() -> None:
    parts = ["ab", "压缩", "—x", "\n"]

    assert sum(map(tokens.quarters, parts)) == tokens.quarters("".join(parts))


def test_a_seed_counts_characters_of_any_script_alike() -> None:
    assert [tokens.seed(size) for size in (3, 4, 3_203, 3_204)] == [0, 1, 800, 801]
    assert (INDEX_TOKENS, INDEX_LINE) == (800, 150)


def test_no_other_module_divides_characters_by_four() -> None:
    inline = re.compile(r"len\([^\n]*\)\)? // 4\b|_CHARACTERS = 4\b")

    assert [p.name for p in SOURCES if inline.search(p.read_text())] == []
