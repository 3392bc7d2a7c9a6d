"""Words as terms: equal to those of FTS5, with names whole and CJK as pairs."""

from __future__ import annotations

import random
import sqlite3
from collections import defaultdict
from pathlib import Path

import pytest

from memoryhub.search import words
from memoryhub.search.words import stem
from tests.growth import assert_ends, assert_in_proportion

ROOT = Path(__file__).parents[2]
TOKENIZER = "porter unicode61 remove_diacritics 2"
_ENDINGS = (
    "ational tional enci anci izer logi bli alli entli eli ousli ization ation ator"
    " alism iveness fulness ousness aliti iviti biliti ical ness icate iciti ful ative"
    " alize al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive"
    " ize s es ed ing eed sses ies y e ll"
)
ENDINGS = _ENDINGS.split()


def fts5_terms(texts: list[str], tokenizer: str = TOKENIZER) -> dict[int, set[str]]:
    """Return the terms that FTS5 makes of each text."""
    connection = sqlite3.connect(":memory:")
    connection.execute(
        f"CREATE VIRTUAL TABLE t USING fts5(b, content='', tokenize='{tokenizer}')"
    )
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, 'instance')")
    connection.executemany(
        "INSERT INTO t(rowid, b) VALUES (?, ?)", enumerate(texts, start=1)
    )
    found = defaultdict(set)
    for term, row in connection.execute("SELECT term, doc FROM v"):
        found[row - 1].add(term)
    connection.close()
    return found


def own_terms(text: str) -> set[str]:
    return {term.text for term in words.terms(text)}


def test_stems_are_those_of_fts5() -> None:
    rng = random.Random(5)
    made = {
        "".join(rng.choices("abcdeiouylstxwzнé", k=rng.randint(0, 6)))
        + rng.choice(ENDINGS)
        + rng.choice(("", "s", "ed", "ing"))
        for _ in range(8_000)
    }
    texts = sorted(made)
    theirs = fts5_terms(texts, "porter unicode61 remove_diacritics 0")

    assert {t: {stem(t)} for t in texts} == {t: theirs[n] for n, t in enumerate(texts)}


def test_terms_of_the_samples_are_those_of_fts5() -> None:
    folders = ("samples", "memoryhub/dialects/*/samples", "tests/corpus")
    paths = [path for folder in folders for path in ROOT.glob(f"{folder}/**/*.md")]
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in paths]
    theirs = fts5_terms([words.indexed_text(text) for text in texts])

    assert len(texts) > 50
    for number, text in enumerate(texts):
        extra = {term for term in theirs[number] - own_terms(text) if len(term) > 1}
        assert own_terms(text) <= theirs[number]
        assert not extra


@pytest.mark.parametrize(
    "text",
    [
        "größe Größe naïve café CAFÉ straße İstanbul tiếng Việt",
        "Привет Йод ёлка Ελλάδα",
        "cafe\u0301 🦞deploy❤️now ＡＰＩ",
        "データベースを移行した 存一下 ｶﾀｶﾅ 데이터베이스",
        "المُسْتَخْدِم يفضّل الإجـابات ٣٠ کتابخانه‌ی שָׁלוֹם",
    ],
)
def test_terms_of_other_alphabets_are_those_of_fts5(text: str) -> None:
    (theirs,) = fts5_terms([words.indexed_text(text)]).values()

    assert own_terms(text) <= theirs


def test_a_part_of_a_chinese_or_japanese_run_is_found() -> None:
    for run, part in (("记忆压缩", "压缩"), ("データベースを移行した", "データベース")):
        (theirs,) = fts5_terms([words.indexed_text(run)]).values()

        assert set(words.cjk_terms(part)) <= theirs


def test_terms_know_their_places() -> None:
    text = "Deploying 存一下 to café"
    places = [(text[term.start : term.end], term.text) for term in words.terms(text)]

    assert places == [
        ("Deploying", "deploi"),
        ("存一", "存一"),
        ("一下", "一下"),
        ("to", "to"),
        ("café", "cafe"),
    ]


def test_names_are_whole() -> None:
    text = "see `src/api/auth.ts`: ERR_DUPLICATE_KEY, agent:main:discord:1. 见src/x.py"

    assert words.names(text) == {
        "src/api/auth.ts",
        "err_duplicate_key",
        "agent:main:discord:1",
        "src/x.py",
    }


def test_a_name_is_not_found_inside_a_longer_one() -> None:
    assert any(words.name_places("raised ERR_DUP.", "err_dup"))
    assert any(words.name_places("见ERR_DUP了", "err_dup"))
    assert not any(words.name_places("raised ERR_DUPLICATE", "err_dup"))
    assert not any(words.name_places("MY_ERR_DUP", "err_dup"))


def test_odd_words_are_names_and_plain_ones_are_not() -> None:
    assert words.name_in("getUserById") == "getuserbyid"
    assert words.name_in("CMEM-20261116-183015,") == "cmem-20261116-183015"
    assert words.name_in("HTTP") == "http"
    assert words.name_in("Deployment") == words.name_in("存一下") == ""


def test_a_name_becomes_a_term_that_stemming_leaves_alone() -> None:
    token = words.name_token("running/ponies.ing")

    assert token.isdecimal()
    assert fts5_terms([token])[0] == {token}


@pytest.mark.parametrize("text", ["a", "a-", "_", "a\u0300", "\ud800"], ids=ascii)
def test_hostile_texts_cost_no_more_than_their_length(text: str) -> None:
    def read(size: int) -> None:
        said = text * (size // len(text))
        words.names(said)
        words.indexed_text(said)
        assert sum(1 for _ in words.terms(said)) <= size

    assert_in_proportion(read, 6_000)
    assert_ends(lambda: read(1_000_000))
