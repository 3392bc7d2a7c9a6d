"""The model: the same answer on every machine, within its budget."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import memoryhub.prose
from memoryhub.prose.model import KINDS, Judge, cuts_of, phrases_in, why
from memoryhub.prose.stated import find_stated
from memoryhub.prose.units import blocks_of, units_of

PACKAGE = Path(memoryhub.prose.__file__).parent
MOST_PHRASES, MOST_BYTES = 1_500, 1 << 20
#: Sentences that any reader takes for what they are, whatever the weights.
PLAIN = {
    "We decided to use SQLite for the cache because it is one file.": "decision",
    "From now on never push to main without asking me.": "directive",
    "Still waiting for the office to sign the form.": "open",
    "The tests ran for nine minutes.": "",
}


def judged(text: str, place: int = 0) -> list[float]:
    return Judge([u for b in blocks_of(text) for u in units_of(b)]).of(place)


@pytest.mark.parametrize(("sentence", "kind"), PLAIN.items())
def test_plain_sentences_are_judged_as_they_are_meant(sentence: str, kind: str) -> None:
    found = judged(f"- {sentence}\n")

    best = max(KINDS, key=lambda one: found[KINDS.index(one)])
    assert best == (kind or best)
    assert all(0 <= p <= 1 for p in found)
    assert kind or max(found) < 0.4


def test_a_sentence_is_judged_alike_each_time() -> None:
    first = [judged(f"- {sentence}\n") for sentence in PLAIN]
    for _ in range(3):
        assert [judged(f"- {sentence}\n") for sentence in reversed(PLAIN)] == first[
            ::-1
        ]


def test_weights_are_whole_numbers_so_that_sums_are_exact() -> None:
    head, _, body = (PACKAGE / "weights.bin").read_bytes().partition(b"\n")

    assert len(body) == 3 << 18
    assert b"scales" in head and b"cuts" in head
    assert len(head) + len(body) < MOST_BYTES


def test_cuts_are_probabilities() -> None:
    for kind in KINDS:
        assert [0 < cut < 1 for cut in cuts_of(kind)] == [True, True]


def test_a_suggestion_has_a_confidence_below_one_and_says_why() -> None:
    text = "\n\n".join(PLAIN)

    found = find_stated(text)

    (decision,), (directive,), (item,) = found
    for one in (decision, directive, item):
        assert 0 < one.confidence < 1
        assert one.why
    assert decision.reason == "it is one file"
    assert find_stated(text, asked=()) == ((), (), ())
    assert find_stated(text, asked=["open"]) == ((), (), (item,))


def test_what_a_person_says_is_to_hold_from_now_on_is_suggested() -> None:
    said = find_stated("# 2026-05-03\n\nOlga: from now on, no deploys on Fridays.\n")

    (directive,) = said.directives
    assert directive.text == "from now on, no deploys on Fridays."
    assert directive.why.startswith("from now on")


def test_the_words_that_weighed_most_are_of_the_sentence() -> None:
    text = "We decided to use SQLite for the cache because it is one file."
    units = [u for b in blocks_of(text) for u in units_of(b)]

    words = why(units, 0, "decision").split(", ")

    assert 1 <= len(words) <= 3
    assert all(word in text.casefold() for word in words)


def test_phrases_are_whole_words() -> None:
    assert ("decided", "we decided") in [*phrases_in("Then WE DECIDED it.")]
    assert [*phrases_in("owe decidedly")] == []


def test_phrases_are_plain_and_few() -> None:
    tables = tomllib.loads((PACKAGE / "phrases.toml").read_text("utf-8"))
    phrases = [p for some in tables.values() for words in some.values() for p in words]

    assert not [p for p in phrases if p != p.casefold() or set(p) & set("|()[]\\")]
    assert len(phrases) <= MOST_PHRASES
