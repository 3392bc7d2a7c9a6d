"""Open items that a later entry of a log reports as done, in its own words.

An item closed wrongly is lost to its reader, so an entry has to share half of an item's
words, a rare one among them, and the same numbers, within some weeks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from memoryhub.formats.statements.open_sentences import report_words, words_of
from memoryhub.formats.text.open_phrases import UNSPACED
from snapshots.rules.carried_over import Item, Statement

#: An entry later than this after the last mention is about something else.
_REACH = timedelta(days=60)
#: Least share of an item's words, and number of them; pairs of characters tell less.
_SHARE, _WORDS, _PAIRS = 0.4, 2, 3
#: A word of more entries than this, and of a greater share of them, is common.
_RARE, _RARE_SHARE = 3, 0.05


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
    words: frozenset[str]


def with_reports(items: Sequence[Item], entries: Iterable[Entry]) -> list[Item]:
    """Close the open items that an entry behind their last mention reports as done."""
    if all(item.closing for item in items):
        return list(items)
    reports = _Reports(sorted(entries))
    return [item if item.closing else _closed(item, reports) for item in items]


class _Reports:
    """Sentences that report work, by their rare words, in the order of time."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        found = [
            _Report(entry, words)
            for entry in entries
            for words in report_words(entry.title, entry.text)
        ]
        counted = Counter(word for report in found for word in report.words)
        most = max(_RARE, _RARE_SHARE * len(found))
        self._by_word: dict[str, list[_Report]] = defaultdict(list)
        for report in found:
            for word in report.words:
                if counted[word] <= most:
                    self._by_word[word].append(report)

    def first_on(self, words: frozenset[str], behind: Statement) -> Entry | None:
        """Return the first entry after a statement that reports work of these words."""
        near = {r for word in words for r in self._by_word.get(word, ())}
        entries = [
            report.entry
            for report in near
            if behind.at < report.entry.at <= behind.at + _REACH
            and report.entry.file_id != behind.file_id
            and _is_about(words, report.words)
        ]
        return min(entries, default=None)


def _closed(item: Item, reports: _Reports) -> Item:
    entry = reports.first_on(words_of(item.newest.text), item.newest)
    if entry is None:
        return item
    place = (entry.at, entry.file_id, entry.line, entry.id)
    report = Statement(*place, entry.title, done=True, own=False, is_entry=True)
    return replace(item, closing=report)


def _is_about(words: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether a report has enough of an item's words, and no other number."""
    shared = words & other
    numbers = {word for word in words if word[0].isdigit()}
    others = {word for word in other if word[0].isdigit()}
    if numbers and others and numbers.isdisjoint(others):
        return False
    is_unspaced = any(UNSPACED.match(word) for word in shared)
    least = _PAIRS if is_unspaced else _WORDS
    return len(shared) >= max(least, _SHARE * len(words))
