"""Words of a text as indexed: folded, stemmed, CJK as pairs, names whole.

Prepares texts for FTS5's ``porter unicode61``, and splits lines into exactly FTS5's
terms, with their offsets.
"""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import chain, pairwise
from threading import Lock
from typing import NamedTuple

#: Scripts that put no blank between words: kana, Han, hangul.
_CJK = (
    "\u1100-\u11ff\u2e80-\u2fd5\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa"
    "\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"
)
#: Signs that newer Unicode has and FTS5 takes for letters, so that an emoji would
#: stick to the word beside it.
_SIGNS = re.compile(
    "[\u2010-\u205e\u2190-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u30fb"
    "\ufe00-\ufe0f\uff01-\uff0f\U0001f000-\U0001faff]+"
)
_CJK_RUN = re.compile(f"[{_CJK}]+")
#: Signs of vowels in Hebrew and Arabic, which most people leave out, and the line that
#: makes an Arabic word longer.
_VOWELS = (
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"
)
_NO_VOWELS = re.compile(f"[{_VOWELS}]+")
_ARABIC = re.compile("[\u0591-\u06fc]+")
#: Letters that stand for each other in Arabic and Persian, and their digits.
_SAME_LETTERS = str.maketrans(
    "أإآٱىیةک٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹", "ااااييهك01234567890123456789"
)
_MARKS = f"\u0300-\u036f\u0900-\u0903\u093a-\u094d{_VOWELS}"
_WORD = re.compile(f"[{_CJK}]+|(?:[^\\W_{_CJK}][{_MARKS}]*)+")
_ASCII_WORD = re.compile("[A-Za-z0-9]+")
#: What ends a word for the tokenizer of stems.
_SEPARATOR = re.compile("[\0-/:-@[-`{-\x7f]")
#: Identifiers, paths, keys: parts joined without a blank. Nothing is tried twice, so a
#: long line costs no more than its length.
_LETTER = "[A-Za-z0-9\u00c0-\u024f\u0370-\u052f]"
_PART = f"{_LETTER}++"
_JOINT = r"[-_./:@#\\+~]"
_NAME = re.compile(f"(?<!{_LETTER}){_PART}(?:{_JOINT}++{_PART})++")
#: Names by a sign before or behind them: _private, __init__.py, .env, #4821, C++.
_SIGNED = re.compile(
    rf"_(?<![\w/]_)_*+{_PART}(?:{_JOINT}++{_PART})*+_*+"
    rf"|\#(?<!\w\#)[0-9]++|\.(?<![\w.)/]\.)(?=[a-z]){_PART}"
)
_PLUS = re.compile(rf"(?<!{_LETTER}){_PART}\+\+(?!\w)")
#: Names of a query that are not indexed whole: they are found by their parts.
_JOINED = re.compile(r"\w+(?:[-–_./:@#\\+~=&%>|]+\w+)+")
_ODD = re.compile(_PART)
_NAME_LENGTH = 300
#: Words that only look like names when they stand alone: an inner capital, a digit
#: beside a letter, capitals throughout.
_ODD_WORD = re.compile(r"[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]|^[A-Z][A-Z0-9]{2,}$")

_STOP_WORDS = """
    a about above after again against all also although always am an and another any
    anybody anyone anything are aren around as ask asked at away be became because
    become been before being below between both but by call called came can cannot
    could couldn d did didn do does doesn doing don done down during each either else
    enough etc even ever every everyone everything few for from further gave get gets
    getting give given go goes going gone got had hadn happen happened has hasn have
    haven having he hello her here hers herself hey hi him himself his how however i
    if in instead into is isn it its itself just kind know known last least less let
    like ll long look looking lot m made make makes making many may maybe me mean
    means mentioned might mine more most much must mustn my myself need needed needs
    never next no nobody none nor not nothing now of off often ok okay on once one
    only onto or other others our ours ourselves out over own per perhaps please put
    quite rather re really recall remember s said same saw say saying says see seem
    seemed seems seen several shall she should shouldn since so some somebody someone
    something soon still such sure t take taken tell than thank thanks that the their
    theirs them themselves then there these they thing things think this those though
    through time times to together told too took toward under until up upon us use
    used uses using usually ve very want wanted wants was wasn way we well went were
    weren what whatever when where whether which while who whom whose why will with
    within without won would wouldn yes yet you your yours yourself yourselves
"""
#: Stop words: too common to identify a subject.
STOP_WORDS = frozenset(_STOP_WORDS.split())
_LITTLE_WORDS = """
    aber als am an auch auf aus bei bin bis da das dass dem den der des die du ein eine
    einem einen einer er es fur hat ich ihr im ist mit nach nicht noch nur oder sich sie
    sind so um und uns vom von vor war was wenn wer wie wir wird wo zu zum zur
    au aux avec ce ces dans de du elle en est et il ils je la le les leur ma mais mes
    mon ne nous on ou par pas pour qu que qui sa se ses son sont sur un une vous
    al como con del el ella era esta este ha las lo los me mi muy no o para pero por si
    sin su sus te tu una uno y ya yo 的 是 了 在 和 有 我 你 他 她 它 们 这 那 也 都
    不 就 与 吗 呢 什么 の は が を に で と も へ や か ね よ です ます
"""
#: Articles, pronouns and the like of other languages: alone they mean nothing, but
#: they can be English words too ("die", "war"), so they are found as words.
_FUNCTION_WORDS = STOP_WORDS | frozenset(_LITTLE_WORDS.split())

#: As many words are cached with their terms.
_MOST_WORDS = 65_536
_known_words: dict[str, tuple[str, ...]] = {}
#: Limit of cached stems.
_MOST_STEMS = 65_536
_stems: dict[str, str] = {}
_tokenizer_lock = Lock()


class Term(NamedTuple):
    """A term of the index and its offsets in a text."""

    start: int
    end: int
    text: str


def indexed_text(text: str) -> str:
    """Return a text for FTS5: CJK runs as pairs, no emoji, no vowels of Arabic.

    Deterministic in each version of the rules: FTS5 deletes a row by its indexed text.
    """
    if text.isascii():
        return text.replace("\0", " ")
    plain = unicodedata.normalize("NFKC", text).encode("utf-8", "replace").decode()
    plain = _ARABIC.sub(_bare_arabic, plain)
    pairs = _CJK_RUN.sub(
        lambda run: f" {' '.join(cjk_terms(run[0]))} ", _SIGNS.sub(" ", plain)
    )
    return pairs.replace("\0", " ")


def _bare_arabic(found: re.Match[str]) -> str:
    """Return Arabic or Hebrew without vowels, and with one form of each letter."""
    return _NO_VOWELS.sub("", found[0]).translate(_SAME_LETTERS)


def run_ends(text: str) -> set[str]:
    """Return the last characters of CJK runs, with which no pair begins.

    By these and the beginnings of pairs a single character is found everywhere.
    """
    if text.isascii():
        return set()
    return {run[-1] for run in _CJK_RUN.findall(unicodedata.normalize("NFKC", text))}


def cjk_terms(run: str) -> list[str]:
    """Return the pairs of neighbours in a run, or the only character."""
    if len(run) == 1:
        return [run]
    return [first + second for first, second in pairwise(run)]


def is_cjk(word: str) -> bool:
    """Return whether a word is a run of a script without blanks."""
    return bool(_CJK_RUN.fullmatch(word))


def words(text: str) -> list[str]:
    """Split a text into its words; a CJK run is one word."""
    return _word_in(text).findall(text)


def is_stop_word(text: str) -> bool:
    """Return whether a word, or each of its parts, is a stop word."""
    return all(fold(word) in STOP_WORDS for word in words(text))


def is_function_word(text: str) -> bool:
    """Return whether each part of a word is a stop word in some language."""
    return all(fold(word) in _FUNCTION_WORDS for word in words(text))


def placed_words(text: str) -> Iterator[tuple[int, str]]:
    """Split a text into its words, each with its offset."""
    return ((found.start(), found[0]) for found in _word_in(text).finditer(text))


def _word_in(text: str) -> re.Pattern[str]:
    """Return the pattern of a text's words; that of ASCII takes half the time."""
    return _ASCII_WORD if text.isascii() else _WORD


def terms(text: str) -> Iterator[Term]:
    """Split a text into FTS5's terms, in order."""
    for start, word in placed_words(text):
        first, *more = terms_in(word)
        yield Term(start, start + (2 if more else len(word)), first)
        for at, pair in enumerate(more, start + 1):
            yield Term(at, at + 2, pair)


def term_texts(text: str) -> list[str]:
    """Return the terms of a short text without their places."""
    return list(chain.from_iterable(map(terms_in, words(text))))


def terms_of_lines(lines: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Return the terms of lines that were split into words.

    Stems of all new words are looked up together, which takes a tenth of the time.
    """
    global _known_words
    known = _known_words
    found = set(chain.from_iterable(lines))
    new = {word for word in found if word not in known}
    if len(known) + len(new) > _MOST_WORDS:
        # Another thread may still read the old ones.
        known, new = {}, found
    if new:
        stems([fold(word) for word in new])
        known.update((word, _terms_in(word)) for word in new)
        _known_words = known
    term_of = known.__getitem__
    return [tuple(chain.from_iterable(map(term_of, line))) for line in lines]


def terms_in(word: str) -> tuple[str, ...]:
    """Return the terms of one word: the pairs of a CJK run, else its stem."""
    return _known_words.get(word) or terms_of_lines([[word]])[0]


def _terms_in(word: str) -> tuple[str, ...]:
    if len(word) > 1 and not word.isascii() and is_cjk(word):
        return tuple(map(fold, cjk_terms(word)))
    return (stem(fold(word)),)


@lru_cache(maxsize=_MOST_WORDS)
def fold(word: str) -> str:
    """Return a word in lower case and without accents, as unicode61 folds it.

    Arabic loses its vowels, as in the index.
    """
    if word.isascii():
        return word.lower()
    composed = _ARABIC.sub(_bare_arabic, unicodedata.normalize("NFKC", word)) or word
    return "".join(_bare(letter.lower()) for letter in composed)


@lru_cache(maxsize=4096)
def _bare(letter: str) -> str:
    """Return a Latin letter without its accents; other letters as they are."""
    if len(letter) > 1:
        return "".join(map(_bare, letter))
    if letter < "\u00c0":
        return letter
    base = unicodedata.normalize("NFD", letter)[0]
    if base.isascii() or unicodedata.name(letter, "").startswith("LATIN"):
        return base
    return "" if "\u0300" <= letter <= "\u036f" else letter


def names(text: str) -> set[str]:
    """Return the identifiers, paths and keys of a text, whole and in lower case."""
    found = _NAME.findall(text)
    found += _SIGNED.findall(text)
    if "++" in text:
        found += _PLUS.findall(text)
    return {name.lower() for name in found if len(name) <= _NAME_LENGTH}


def name_token(name: str) -> str:
    """Return the index term of a name: digits only, which no stemmer changes."""
    digest = blake2b(name.encode("utf-8", "replace"), digest_size=5).digest()
    return str(int.from_bytes(digest, "big"))


def name_in(word: str) -> str:
    """Return the name in a query word, in lower case; empty for a plain word."""
    for pattern in (_SIGNED, _NAME, _PLUS, _JOINED):
        if found := pattern.search(word):
            return found[0].lower()
    plain = _ODD.search(word)
    return plain[0].lower() if plain and _ODD_WORD.search(plain[0]) else ""


def name_places(text: str, name: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of whole-word occurrences of a name."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    at = lowered.find(name)
    while at >= 0:
        end = at + len(name)
        if not (_is_word(lowered, at - 1) or _is_word(lowered, end)):
            yield at, end
        at = lowered.find(name, end)


def _is_word(text: str, at: int) -> bool:
    if not 0 <= at < len(text):
        return False
    letter = text[at]
    return (letter.isalnum() or letter == "_") and not is_cjk(letter)


def stem(word: str) -> str:
    """Return the stem of a folded word; short and very long words are unchanged."""
    return stems([word])[0]


def stems(words: Collection[str]) -> list[str]:
    """Return the stem of each folded word. A batch takes a tenth of the time."""
    new = {word: word for word in words if word not in _stems}
    if new:
        new |= _tokenized(list(new))
    if len(_stems) < _MOST_STEMS:
        _stems.update(new)
    return [new[word] if word in new else _stems[word] for word in words]


def _tokenized(words: list[str]) -> dict[str, str]:
    """Return the term of each word; one that the tokenizer would split has none."""
    whole = [word for word in words if word and not _SEPARATOR.search(word)]
    text = " ".join(whole).encode("utf-8", "replace")
    with _tokenizer_lock:
        tokenizer = _tokenizer()
        tokenizer.execute("INSERT INTO t(b) VALUES (?)", (text,))
        found = tokenizer.execute("SELECT offset, term FROM v").fetchall()
        tokenizer.rollback()
    return {whole[n]: term for n, term in found}


@cache
def _tokenizer() -> sqlite3.Connection:
    """Return an index in memory whose words end at ASCII signs alone."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.execute(
        "CREATE VIRTUAL TABLE t USING fts5(b, content='', tokenize='porter ascii')"
    )
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, 'instance')")
    return connection
