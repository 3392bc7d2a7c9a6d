"""Open items that an entry of a log of a later day reports as done, in its words.

An item closed wrongly is lost to its reader, so a sentence has to report something as
done and to share words with the item, a rare one among them, and the same numbers. The
rarer the words, the fewer are enough.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from memoryhub.formats.statements.open_sentences import words_of
from memoryhub.formats.text.open_phrases import UNSPACED
from memoryhub.formats.text.reporting import reports_work
from memoryhub.formats.text.sentences import LONGEST_LINE, sentences_of
from snapshots.rules.carried_over import Item, Statement

#: An entry later than this after the last mention is about something else.
_REACH = timedelta(days=60)
#: Least share of the weight of an item's words, and number of them; pairs of
#: characters tell less.
_SHARE, _WORDS, _PAIRS = 0.26, 2, 4
#: A word of more sentences than this is common.
_RARE = 4


class Entry(NamedTuple):
    """An entry of a log with its first line and text."""

    at: datetime
    file_id: int
    line: int
    id: int
    title: str
    text: str


class _Report(NamedTuple):
    entry: Entry
    sentence: str
    words: frozenset[str]


def with_reports(items: Sequence[Item], entries: Iterable[Entry]) -> list[Item]:
    """Close the open items that an entry behind their last mention reports as done."""
    wanted = {item: words_of(item.newest.text) for item in items if not item.closing}
    if not wanted:
        return list(items)
    known = frozenset().union(*wanted.values())
    reports = _Reports(sorted(entries), known)
    return [
        _closed(item, wanted[item], reports) if item in wanted else item
        for item in items
    ]


class _Reports:
    """Sentences with words of open items, by the rare ones, in the order of time."""

    def __init__(self, entries: Sequence[Entry], known: frozenset[str]) -> None:
        self._number = 0
        self._by_word: dict[str, list[_Report]] = defaultdict(list)
        found = [r for entry in entries for r in self._read(entry, known)]
        self._frequency = Counter(word for report in found for word in report.words)
        for report in found:
            for word in report.words:
                if self._frequency[word] <= _RARE:
                    self._by_word[word].append(report)

    def _read(self, entry: Entry, known: frozenset[str]) -> Iterator[_Report]:
        """Yield the sentences of an entry with words of open items, and only these."""
        for line in entry.text.split("\n"):
            if not line or len(line) > LONGEST_LINE:
                continue
            for sentence in sentences_of(line) or [line]:
                self._number += 1
                words = words_of(sentence)
                if kept := {word for word in words if word in known}:
                    kept.update(word for word in words if word[0].isdigit())
                    yield _Report(entry, sentence, frozenset(kept))

    def first_on(self, words: frozenset[str], behind: Statement) -> Entry | None:
        """Return the first entry after a statement that reports work of these words."""
        near = {r for word in words for r in self._by_word.get(word, ())}
        later = [
            report
            for report in near
            if behind.at.date() < report.entry.at.date()
            and report.entry.at <= behind.at + _REACH
            and report.entry.file_id != behind.file_id
            and self._is_about(words, report.words)
        ]
        later.sort(key=lambda report: (report.entry, report.sentence))
        told = (r.entry for r in later if reports_work(r.sentence))
        return next(told, None)

    def _is_about(self, words: frozenset[str], other: frozenset[str]) -> bool:
        """Return whether a sentence has enough of an item's words, no other number."""
        shared = words & other
        numbers = {word for word in words if word[0].isdigit()}
        others = {word for word in other if word[0].isdigit()}
        if numbers and others and numbers.isdisjoint(others):
            return False
        is_unspaced = any(UNSPACED.match(word) for word in shared)
        if len(shared) < (_PAIRS if is_unspaced else _WORDS):
            return False
        return self._weight(shared) >= _SHARE * self._weight(words)

    def _weight(self, words: frozenset[str]) -> float:
        """Return how much words tell: each by how few sentences have it."""
        return sum(
            math.log(1 + self._number / max(self._frequency[word], 1)) for word in words
        )


def _closed(item: Item, words: frozenset[str], reports: _Reports) -> Item:
    entry = reports.first_on(words, item.newest)
    if entry is None:
        return item
    place = (entry.at, entry.file_id, entry.line, entry.id)
    report = Statement(*place, entry.title, done=True, own=False, is_entry=True)
    return replace(item, closing=report)
