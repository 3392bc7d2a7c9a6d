"""Sentences about work that waits, is unfinished or must be done.

In a text that lists its open work, a sentence about the same things repeats it. Words
are of thirteen languages; what stands in quotes is somebody's speech.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.statements.lists import Listed
from memoryhub.formats.statements.prose import Prose
from memoryhub.formats.text.growing import Growing
from memoryhub.formats.text.labels import kind_of_label, normalise_label
from memoryhub.formats.text.open_phrases import UNSPACED, says_open
from memoryhub.formats.text.phrases import REASON_LABELS
from memoryhub.formats.text.sentences import (
    LONGEST_LINE,
    plain_line,
    quotes_of,
    sentences_of,
)
from memoryhub.formats.text.stems import lines_with

_NO_PROSE = ("#", "|", "<", ">", "```", "~~~", "---", "![", "{", '"')
#: Words of a report that something was done.
_REPORT = re.compile(
    r"\b(?:\w{3,20}ed|sent|done|found|went|came|got|told|bought|put|made|erledigt"
    r"|fertig"
    r"|gemacht|geklärt|behoben|ge\w{3,12}t|hecho|hecha|list[oa]|envi(?:ado|é|ó)"
    r"|feit[oa]"
    r"|resolvid[oa]|chegou|llegó|fait|réglé|envoyé|reçu|fatto|risolto|arrivato|gedaan"
    r"|сделал\w*|готово|отправ\w+|приш\w+|закры\w+|привезли|zrobione|tamamlandı)\b"
    r"|已|完成|搞定|解决|完了|済み|対応した|届いた|완료|했다|도착|[✅✔☑]"
)
_NOT_REPORTED = re.compile(
    r"\b(?:not|n['’]t|no|never|yet|nicht|kein\w*|noch|ni|aún|não|ainda|pas|non|niet|не"
    r"|nie"
    r"|still|need\w*|unfinished|half|waiting)\b|[未没沒]|まだ|半|아직|미"
)
_BULLETS = ("→ ", "- ", "* ", "+ ", "• ", "– ", "1. ", "1) ")
_LONGEST_LIST = 20
_LONG, _SHORT = 120, 34
#: Up to here an item of several sentences counts as a whole.
_SHORT_ITEM = 60
#: Ends of a sentence that the next one belongs to.
_GOES_ON = ("?", "？", ";", "；")
#: A wider paragraph is about several things.
_PARAGRAPH = 240
_COLON = re.compile("[:：]")
_REASONS = REASON_LABELS | {"how to apply"}
#: A list item that ends with a question, and nothing else in it.
_ASKS = re.compile(r"[^?？\"“”„«»]{12,200}[?？]\Z")
_CLAUSE_END = re.compile(r"[,，;；:：(（] ?|\s[-–—→]\s")
_COMMON_WORDS = (
    "the and for not are was has had but you she her his him its our who how all any"
    " one"
    " two yet der die das den dem des und ist ein auf mit von für nur los las del una"
    " con"
    " por que uma dos das com não sem les des une pas pour par sur est gli che non per"
    " het een van met для что как еще ещё"
)
_COMMON = frozenset(_COMMON_WORDS.split())
_WORD = re.compile(r"[^\W_]+")
#: Letters that tell a word: of scripts with long endings one less.
_STEM, _STEM_OF_OTHERS = 5, 4


class _Clause(NamedTuple):
    """A sentence about open work; `at_start`: its first words show it, not its work."""

    text: str
    at_start: bool


class _Read(NamedTuple):
    """A line bare of marks; whether it is an item; its sentences of open work."""

    bare: str
    is_item: bool
    stated: tuple[str, ...]


_NOTHING = _Read("", False, ())
#: Lines as read, found again in the next versions of their texts.
_READ: Growing[_Read] = Growing()
_REPORTED: Growing[tuple[frozenset[str], ...]] = Growing()


def open_sentences(
    prose: Prose,
    stated: Iterable[str],
    skipped: frozenset[int],
    *,
    loose: bool,
) -> Iterator[Listed]:
    """Yield the sentences of open work that no item in `stated` is about.

    `loose`: sentences that plan or oblige count, too.
    """
    known, lines = [words_of(text) for text in stated], prose.lines
    parts, end = _READ.parts_of(prose.text), 0
    for number in prose.open_lines(loose=loose):
        if number in skipped or number <= end or not _may_be_open(lines[number - 1]):
            continue
        first, end, line = prose.paragraph_at(number)
        part = (first, end, len(line), loose)
        bare, is_item, stated = parts.value(part, partial(_read, line, loose=loose))
        if not stated:
            continue
        heads = not is_item and _heads_a_list(lines, end)
        if _is_label(bare, heads):
            continue
        about = bare if _width(bare) <= _PARAGRAPH else ""
        new = [one for one in stated if not _is_known(f"{about} {one}", known)]
        last = len(bare) <= _LONG or bare.endswith(tuple(new[-1:]))
        if new and heads and last:
            yield from _list_below(lines, end, skipped)
        else:
            place = Lines(first, end)
            for text in new:
                yield Listed(text, "", _lines_with(text, lines, place))


def _lines_with(text: str, lines: Sequence[str], place: Lines) -> Lines:
    """Return the lines of a wrapped paragraph that a sentence of it is on."""
    inside = [
        number
        for number in range(place.first, place.last + 1)
        if (bare := plain_line(lines[number - 1])) and _overlap(text, bare)
    ]
    return Lines(inside[0], inside[-1]) if inside else place


def _overlap(text: str, line: str) -> bool:
    """Return whether a line holds a sentence, a part of it, or its beginning."""
    if text in line or line in text:
        return True
    words = text.split()
    head, tail = " ".join(words[:3]), " ".join(words[-3:])
    return line.endswith(head) or head in line or tail in line


def _read(line: str, *, loose: bool) -> _Read:
    """Return a line with its sentences about open work; a question may be one."""
    bare = plain_line(line)
    is_item = line.lstrip().startswith(_BULLETS)
    stated = _open_in(bare, whole=is_item, loose=loose)
    if not stated and is_item and loose and _asks(bare):
        stated = [bare]
    return _Read(bare, is_item, tuple(stated)) if stated else _NOTHING


def _may_be_open(line: str) -> bool:
    is_prose = not line.lstrip().startswith(_NO_PROSE) or "?" in line or "？" in line
    return is_prose and len(line) <= LONGEST_LINE


def _asks(bare: str) -> bool:
    return bare.endswith(("?", "？")) and _ASKS.search(bare) is not None


def _heads_a_list(lines: Sequence[str], number: int) -> bool:
    return number < len(lines) and lines[number].lstrip().startswith(_BULLETS)


def _is_known(text: str, known: Iterable[frozenset[str]]) -> bool:
    """Return whether a text repeats one of the items."""
    words = words_of(text)
    return any(_is_about(words, item) for item in known)


def _list_below(
    lines: Sequence[str], head: int, skipped: frozenset[int]
) -> Iterator[Listed]:
    """Yield the items right below a sentence that heads their list."""
    for number in range(head + 1, min(head + _LONGEST_LIST, len(lines)) + 1):
        line = lines[number - 1]
        if not line.lstrip().startswith(_BULLETS):
            return
        if number not in skipped:
            text = plain_line(line[:LONGEST_LINE])
            yield Listed(text, "", Lines(number, number))


def _is_label(bare: str, heads_a_list: bool) -> bool:
    """Return whether a line is a label above a list, or has one of a reason."""
    head = _COLON.split(bare, maxsplit=1)[0]
    return (
        bare.endswith((":", "："))
        or (heads_a_list and kind_of_label(bare) != "")
        or normalise_label(head) in _REASONS
    )


def _open_in(bare: str, *, whole: bool, loose: bool) -> list[str]:
    """Return a line's sentences about open work; a short list item as a whole.

    A short one that names no work comes with the sentence before it, or else behind.
    """
    sentences = sentences_of(bare)
    found: list[str] = []
    for place, sentence in enumerate(sentences):
        clause = _open_clause(sentence, loose)
        if clause is None:
            continue
        if whole and (len(sentences) == 1 or len(bare) <= _SHORT_ITEM):
            return [bare]
        before = sentences[place - 1] if place else ""
        follows = bool(found) and found[-1].endswith(before)
        text = clause.text
        if _width(text) < _SHORT and (clause.at_start or follows):
            if follows:
                found.pop()
            text = f"{before} {text}" if before else " ".join(sentences[:2])
        elif whole and before.endswith(_GOES_ON):
            text = f"{before} {text}"
        found.append(text)
    return found


def _width(text: str) -> int:
    """Return the length of a text; a letter of an unspaced script counts as three."""
    return len(text) + 2 * len(UNSPACED.findall(text))


def _open_clause(sentence: str, loose: bool) -> _Clause | None:
    """Return a sentence that states open work; of a long one the clause that does."""
    low = sentence.replace("İ", "I").lower()
    found = says_open(low, loose=loose)
    if not found or len(low) != len(sentence) or _is_quoted(sentence, found.start):
        return None
    if len(sentence) <= _LONG:
        return _Clause(sentence, found.firm and found.start <= 1)
    starts = [cut.end() for cut in _CLAUSE_END.finditer(sentence, 0, found.start)]
    clause = sentence[starts[-1] if starts else 0 :]
    return _Clause(clause, at_start=False) if len(clause) <= 2 * _LONG else None


def _is_quoted(sentence: str, place: int) -> bool:
    return any(
        len(quote.before) < place < len(sentence) - len(quote.behind)
        for quote in quotes_of(sentence)
    )


class Reports:
    """Sentences that report finished work: their words, and the last line of each."""

    def __init__(
        self, found: Iterable[tuple[int, frozenset[str]]], sought: frozenset[str]
    ) -> None:
        """Index reports by those of their words that items have (`sought`)."""
        last = {words: number for number, words in found}
        self._with: dict[str, list[tuple[int, frozenset[str]]]] = defaultdict(list)
        for words, number in last.items():
            for word in words & sought:
                self._with[word].append((number, words))

    def is_done(self, text: str, line: int) -> bool:
        """Return whether a report below a line has all words of an item, if several."""
        words = words_of(text)
        if len(words) < 2:
            return False
        rarest = min((self._with.get(word, []) for word in words), key=len)
        return any(n > line and words <= reported for n, reported in rarest)


def reports_on(prose: Prose, items: Iterable[str]) -> Reports:
    """Return the reports of finished work in lines that may report an item."""
    several = [words for text in items if len(words := words_of(text)) > 1]
    return Reports(_done_lines(prose, several), frozenset().union(*several))


def _done_lines(
    prose: Prose, several: Sequence[frozenset[str]]
) -> Iterator[tuple[int, frozenset[str]]]:
    """Yield the words of each report, with its line, in file order."""
    if not several:
        return
    parts = _REPORTED.parts_of(prose.text)
    for number in lines_with({max(words, key=len) for words in several}, prose.low):
        line = prose.lines[number - 1]
        reported = parts.value((number, len(line)), partial(_reports_in, line))
        yield from ((number, words) for words in reported)


def _reports_in(line: str) -> tuple[frozenset[str], ...]:
    """Return the words of each sentence of a line that reports finished work."""
    if len(line) > LONGEST_LINE or not _REPORT.search(line.lower()):
        return ()
    return tuple(
        words_of(sentence)
        for sentence in sentences_of(line)
        if _REPORT.search(low := sentence.lower()) and not _NOT_REPORTED.search(low)
    )


def words_of(text: str) -> frozenset[str]:
    """Return the beginnings of the longer words, and pairs of unspaced characters."""
    words = set[str]()
    for word in _WORD.findall(text.lower()):
        if not word.isascii() and UNSPACED.search(word):
            words.update(word[i : i + 2] for i in range(len(word) - 1))
        elif (len(word) > 2 and word not in _COMMON) or word[0].isdigit():
            words.add(word[: _STEM if word.isascii() else _STEM_OF_OTHERS])
    return frozenset(words)


def _is_about(words: frozenset[str], item: frozenset[str]) -> bool:
    """Return whether a line holds a good part of an item's words."""
    shared = words & item
    least = 4 if any(UNSPACED.match(word) for word in item) else 3
    return len(shared) >= max(1, (len(item) + 1) // least)
