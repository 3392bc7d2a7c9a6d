"""Reports of finished work in a text, compared with its open items.

An item is done where a line below it reports all of its words. Lines are read once: a
text that grew is read on from where the version before it ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from memoryhub.formats.statements.item_words import words_of
from memoryhub.formats.statements.prose import Prose
from memoryhub.formats.text.growing import WHOLE, Growing
from memoryhub.formats.text.sentences import LONGEST_LINE, sentences_of
from memoryhub.formats.text.stems import lines_with

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

#: Words of each report, with the last line that reports them.
_Reported = dict[frozenset[str], int]


class _Read(NamedTuple):
    """Reports in the lines of a text up to an offset, by each of their words.

    Of lines that hold one of the `sought` words; `number` is that of the line at the
    offset.
    """

    sought: frozenset[str]
    at: int
    number: int
    by_word: Mapping[str, _Reported]


#: Reports, continued in the next versions of their texts in lower case.
_READ: Growing[_Read] = Growing()


class Reports:
    """Sentences that report finished work, by each of their words."""

    def __init__(self, by_word: Mapping[str, _Reported]) -> None:
        self.by_word = dict(by_word)
        self._own = set[str]()

    def is_done(self, words: frozenset[str], line: int) -> bool:
        """Return whether a report below a line has all words of an item, if several."""
        if len(words) < 2:
            return False
        rarest = min((self.by_word.get(word, {}) for word in words), key=len)
        return any(n > line and words <= reported for reported, n in rarest.items())

    def add(self, line: str, number: int) -> None:
        """Add the reports of finished work in a line."""
        for words in _reports_in(line):
            for word in words:
                reported = self._own_of(word)
                reported[words] = max(number, reported.get(words, 0))

    def _own_of(self, word: str) -> _Reported:
        """Return the reports with a word, to be changed: earlier texts share theirs."""
        if word not in self._own:
            self._own.add(word)
            self.by_word[word] = dict(self.by_word.get(word, {}))
        return self.by_word[word]


def reports_on(prose: Prose, items: Iterable[frozenset[str]]) -> Reports:
    """Return the reports of finished work in lines that may report an item.

    Items are given by their words. Lines with words of earlier items are among them.
    """
    words = {_longest(item) for item in items if len(item) > 1}
    if not words:
        return Reports({})
    parts = _READ.parts_of(prose.low)
    known = parts.before(WHOLE) or _Read(frozenset(), 0, 1, {})
    reports, sought = Reports(known.by_word), known.sought | words
    last = prose.low.rfind("\n") + 1
    _search(prose, words - known.sought, (0, known.at), 1, reports)
    _search(prose, sought, (known.at, last), known.number, reports)
    number = known.number + prose.low.count("\n", known.at, last)
    parts.note(WHOLE, _Read(sought, last, number, reports.by_word))
    # The last line may go on.
    reports = Reports(reports.by_word)
    _search(prose, sought, (last, len(prose.low)), number, reports)
    return reports


def _longest(words: frozenset[str]) -> str:
    return max(words, key=lambda word: (len(word), word))


def _search(
    prose: Prose,
    words: frozenset[str] | set[str],
    span: tuple[int, int],
    first: int,
    reports: Reports,
) -> None:
    """Add the reports in the lines of a span that hold one of some words."""
    if words and span[0] < span[1]:
        for place in lines_with(words, prose.low[slice(*span)]):
            number = first + place - 1
            reports.add(prose.lines[number - 1], number)


def _reports_in(line: str) -> tuple[frozenset[str], ...]:
    """Return the words of each sentence of a line that reports finished work."""
    if len(line) > LONGEST_LINE or not _REPORT.search(line.lower()):
        return ()
    return tuple(
        words_of(sentence)
        for sentence in sentences_of(line)
        if _REPORT.search(low := sentence.lower()) and not _NOT_REPORTED.search(low)
    )
