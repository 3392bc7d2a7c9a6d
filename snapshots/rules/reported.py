"""Open items that an entry of a log of a later day reports as done, in its words.

An item closed wrongly is lost to its reader, so a sentence has to report something as
done and to share words with the item, a rare one among them, and the same numbers. The
words of its entry's title count as those of the sentence. A file that lists the work as
still open reports nothing of it. A sentence with all words of another item is about
that one, unless it has most words of this one too.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from typing import NamedTuple

from memoryhub.formats.statements.item_words import words_of
from memoryhub.formats.text.open_phrases import UNSPACED
from memoryhub.formats.text.reporting import asks, may_answer, reports_work
from memoryhub.formats.text.sentences import LONGEST_LINE, sentences_of
from snapshots.rules.carried_over import Item, Statement

#: An entry later than this after the last mention is about something else.
_REACH = timedelta(days=60)
#: Least share of the weight of an item's words, and number of them; two pairs of
#: characters may be of one word.
_SHARE, _WORDS, _PAIRS = 0.15, 2, 3
#: Least share of the weight of a question's words that a sentence has which answers it.
_ANSWER_SHARE = 0.4
#: Words of an item that a sentence has to name in full to be about it alone, and the
#: least share of another item's weight that it then reports too.
_NAMED, _MOST = 4, 0.6
#: Digits of a number that counts things: texts share it by chance.
_COUNT = 2
#: A word of more sentences than this is common.
_RARE = 8


class Entry(NamedTuple):
    """An entry of a log with its first line and text."""

    at: datetime
    file_id: int
    line: int
    id: int
    title: str
    text: str


class _Report(NamedTuple):
    """A sentence; its `own` words of open items, and these with those of the title.

    There are thousands: tuples, which are a seventh as large as sets.
    """

    entry: Entry
    sentence: str
    own: tuple[str, ...]
    words: tuple[str, ...]


def with_reports(
    items: Sequence[Item], entries: Iterable[Entry], zone: tzinfo
) -> list[Item]:
    """Close the open items that an entry behind their last mention reports as done.

    `zone`: in which an entry is of a later day.
    """
    wanted = {item: words_of(item.newest.text) for item in items if not item.closing}
    if not wanted:
        return list(items)
    named = frozenset(words_of(item.newest.text) for item in items)
    reports = _Reports(sorted(entries), wanted, named, zone)
    return [
        _closed(item, wanted[item], reports) if item in wanted else item
        for item in items
    ]


class _Reports:
    """Sentences with words of open items, by the rare ones, in the order of time."""

    def __init__(
        self,
        entries: Sequence[Entry],
        wanted: Mapping[Item, frozenset[str]],
        named: Set[frozenset[str]],
        zone: tzinfo,
    ) -> None:
        self._zone = zone
        #: Words of items that a sentence may name in full.
        self._named = [words for words in named if len(words) >= _NAMED]
        self._number = 0
        known = frozenset().union(*wanted.values())
        #: Words of the work that each file lists as open.
        self._open_in: dict[int, set[frozenset[str]]] = defaultdict(set)
        for item in wanted:
            for each in item.open:
                self._open_in[each.file_id].add(words_of(each.text))
        self._by_word: dict[str, list[_Report]] = defaultdict(list)
        found = [r for entry in entries for r in self._read(entry, known)]
        self._frequency = Counter(word for report in found for word in report.words)
        for report in found:
            for word in report.words:
                if self._frequency[word] <= _RARE:
                    self._by_word[word].append(report)

    def _read(self, entry: Entry, known: frozenset[str]) -> Iterator[_Report]:
        """Yield the sentences of an entry with words of open items, and only these."""
        titled = {w for w in words_of(entry.title) if w in known and not _is_number(w)}
        for line in entry.text.split("\n"):
            if not line or len(line) > LONGEST_LINE:
                continue
            for sentence in sentences_of(line) or [line]:
                self._number += 1
                words = words_of(sentence)
                if own := words & known:
                    about = own.union(titled, filter(_is_number, words))
                    yield _Report(entry, sentence, tuple(own), tuple(about))

    def first_on(self, words: frozenset[str], behind: Statement) -> Entry | None:
        """Return the first entry after a statement that reports work of these words."""
        near = {r for word in words for r in self._by_word.get(word, ())}
        day = behind.at.astimezone(self._zone).date()
        later = [
            report
            for report in near
            if day < report.entry.at.astimezone(self._zone).date()
            and report.entry.at <= behind.at + _REACH
            and report.entry.file_id != behind.file_id
            and not words.isdisjoint(report.own)
            and self._is_about(words, report.words)
        ]
        later.sort(key=lambda report: (report.entry, report.sentence))
        is_asked = asks(behind.text)
        done = (
            report.entry
            for report in later
            if (
                reports_work(report.sentence)
                or (is_asked and self._answers(report, words))
            )
            and not self._is_open_in(report.entry.file_id, words)
            and not self._is_about_another(report, words)
        )
        return next(done, None)

    def _is_about_another(self, report: _Report, words: frozenset[str]) -> bool:
        """Return whether a sentence names another item in full, and little of this."""
        told = self._weight(words.intersection(report.own))
        if told >= _MOST * self._weight(words):
            return False
        said = words_of(report.sentence)
        return any(other <= said for other in self._named if other != words)

    def _answers(self, report: _Report, words: frozenset[str]) -> bool:
        """Return whether a sentence states something about most words of a question."""
        told = self._weight(words.intersection(report.words))
        enough = told >= _ANSWER_SHARE * self._weight(words)
        return enough and may_answer(report.sentence)

    def _is_open_in(self, file_id: int, words: frozenset[str]) -> bool:
        """Return whether a file lists work of these words as open."""
        listed = self._open_in.get(file_id, ())
        return any(self._is_about(words, other) for other in listed)

    def _is_about(self, words: frozenset[str], other: Collection[str]) -> bool:
        """Return whether a sentence has enough of an item's words, no other number."""
        common = words.intersection(other)
        shared = {w for w in common if len(w) > _COUNT or not _is_number(w)}
        numbers = set(filter(_is_number, words))
        others = set(filter(_is_number, other))
        if numbers and others and numbers.isdisjoint(others):
            return False
        if _is_one_word(shared):
            return False
        return self._weight(shared) >= _SHARE * self._weight(words)

    def _weight(self, words: Set[str]) -> float:
        """Return how much words tell: each by how few sentences have it."""
        return sum(
            math.log(1 + self._number / max(self._frequency[word], 1)) for word in words
        )


def _is_one_word(shared: Set[str]) -> bool:
    """Return whether shared words may be one; pairs of characters of one overlap."""
    if len(shared) < _WORDS:
        return True
    pairs = [word for word in shared if UNSPACED.match(word)]
    if len(pairs) < len(shared) or len(pairs) >= _PAIRS:
        return False
    one, other = pairs
    return one[-1] == other[0] or other[-1] == one[0]


def _is_number(word: str) -> bool:
    return word[0].isdigit()


def _closed(item: Item, words: frozenset[str], reports: _Reports) -> Item:
    entry = reports.first_on(words, item.newest)
    if entry is None:
        return item
    place = (entry.at, entry.file_id, entry.line, entry.id)
    report = Statement(*place, entry.title, done=True, own=False, is_entry=True)
    return replace(item, closing=report)
