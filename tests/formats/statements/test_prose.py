"""What sentences of twelve languages state, written before the rules saw them.

`prose/<language>.txt` has a sentence a line: D a decision, R a directive, O open work,
N none of these. Each is read as an item of a daily log.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from memoryhub.formats.statements.prose import signs_of
from memoryhub.formats.statements.stated import find_stated
from memoryhub.formats.text.sentences import plain_line, sentences_of

from memoryhub.formats.text.source import split_sections

FILES = sorted((Path(__file__).parents[1] / "prose").glob("*.txt"))
#: The share of the sentences of a kind that has to be found.
LEAST = {"D": 0.9, "R": 0.95, "O": 0.85}
#: Share of sentences that may be read as another kind, too.
MOST_OTHERS = 0.05


def _sentences(path: Path) -> Iterator[tuple[str, str]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield line[0], line[2:]


def _kinds(sentence: str) -> set[str]:
    text = f"# 2026-05-04\n\n## Morning\n\n- first things\n- {sentence}\n"
    stated = find_stated(text, split_sections(text))
    return {kind for kind, found in zip("DRO", stated, strict=True) if found}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("kind", LEAST)
def test_most_sentences_of_a_kind_are_found(path: Path, kind: str) -> None:
    sentences = [text for one, text in _sentences(path) if one == kind]
    missed = [text for text in sentences if kind not in _kinds(text)]
    assert len(missed) <= (1 - LEAST[kind]) * len(sentences) + 0.5, missed


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_sentences_that_state_nothing_are_no_rows(path: Path) -> None:
    wrong = [text for kind, text in _sentences(path) if kind == "N" and _kinds(text)]
    assert wrong == []


def test_few_sentences_are_read_as_another_kind() -> None:
    sentences = [one for path in FILES for one in _sentences(path)]
    wrong = [text for kind, text in sentences if _kinds(text) - {kind}]
    assert len(wrong) <= MOST_OTHERS * len(sentences), wrong


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_line_has_the_signs_of_its_sentences(path: Path) -> None:
    texts = [text for _, text in _sentences(path)]
    for one, other in pairwise(texts):
        plain = plain_line(f"- **{one}** {other}")
        for sentence in sentences_of(plain):
            assert signs_of(sentence) <= signs_of(plain), plain
