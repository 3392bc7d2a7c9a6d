"""Items of open work: statements of the same work in many files, folded into one.

A pure function of the statements, so that a rebuild gives the same items.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from typing import NamedTuple

from memoryhub.prose.closing import is_reported, is_same, stems_of, words_of
from memoryhub.prose.model import judge, phrases_in
from memoryhub.prose.stated import reports_done
from memoryhub.prose.units import Unit, blocks_of, units_of

#: So many of a text's rarest words are looked up, and texts for each of them.
_RARE_WORDS, _TEXTS, _RARE_STEMS = 3, 12, 5
#: So many sentences behind an item's last mention are looked at for each rare word.
_REPORTS = 30
#: An entry later than this after the last mention is about something else.
_REACH = timedelta(days=60)
#: A sentence that is this likely open work reports none as done: one that says so by a
#: word, by its verb's ending, by its rare words alone.
_DOUBT, _OPEN, _NOT_OPEN = 0.5, 0.2, 0.1
#: Letters of the ending of a report's verb; "-ing" has more.
_ENDING = 2
#: So many words, numbers apart, tell an item of which a report need not have all.
_LONG = 3
#: Share of the weight of an item's words that a report of it has.
_SHARE = 0.25


class Entry(NamedTuple):
    """An entry of a log with its first line and text."""

    at: datetime
    file_id: int
    line: int
    id: int
    title: str
    text: str


class Statement(NamedTuple):
    """A line of a file with open or done work; ordered by time, then by place."""

    at: datetime
    file_id: int
    line: int
    id: int
    text: str
    done: bool = False
    #: Whether it is shown although no file states it as open: a ticked checkbox.
    own: bool = True
    #: Whether it is an entry of a log: its id is that of another table.
    is_entry: bool = False
    #: Whether its file or text states a time: else `at` is the file's on disk.
    is_dated: bool = True


@dataclass(frozen=True, slots=True)
class Item:
    """A piece of work with its statements, oldest first.

    `closing` reports it as done; None while it is open. `open` are the statements since
    it was last done before.
    """

    open: tuple[Statement, ...]
    closing: Statement | None
    statements: tuple[Statement, ...]

    @property
    def newest(self) -> Statement:
        """The statement that is changed when the item is closed."""
        return self.open[-1] if self.open else self.statements[-1]

    @property
    def reopened(self) -> Statement:
        """The statement that is changed when the item is opened again."""
        closing = self.closing
        return closing if closing and not closing.is_entry else self.newest

    @property
    def is_dated(self) -> bool:
        """Whether any of its statements has a time; else its age is unknown."""
        return any(each.is_dated for each in self.open or self.statements)

    @property
    def since(self) -> datetime:
        return self._times[0]

    @property
    def last(self) -> datetime:
        return self._times[-1]

    @property
    def _times(self) -> list[datetime]:
        """The stated times in order; those of files on disk if none is stated."""
        told = self.open or self.statements
        return [each.at for each in told if each.is_dated or not self.is_dated]

    @property
    def id(self) -> int:
        """The row of its first statement."""
        return (self.open or self.statements)[0].id

    @property
    def times(self) -> int:
        """Number of files that state it as open."""
        return len({each.file_id for each in self.open or self.statements})


def items_of(statements: Iterable[Statement]) -> tuple[Item, ...]:
    """Fold statements into items, those mentioned last first, undated ones last."""
    ordered = sorted(statements)
    works = _Works()
    groups: dict[int, list[Statement]] = defaultdict(list)
    for each in ordered:
        if not each.done:
            groups[works.place(each.text)].append(each)
    own: dict[tuple[str, ...], list[Statement]] = defaultdict(list)
    for each in ordered:
        if each.done:
            ended = {
                w for w, text in works.near(each.text) if is_reported(text, each.text)
            }
            for work in ended:
                groups[work].append(each)
            if not ended and each.own:
                own[words_of(each.text)].append(each)
    items = [_item(sorted(group)) for group in (*groups.values(), *own.values())]
    items.sort(key=lambda item: (item.is_dated, item.last, item.id), reverse=True)
    return tuple(items)


class _Works:
    """Texts of open work; those of the same work have the number of the first."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._work: dict[tuple[str, ...], int] = {}
        self._with_word: dict[str, list[int]] = defaultdict(list)

    def place(self, text: str) -> int:
        """Return the number of a text's work; a new one if it is like none before."""
        words = words_of(text)
        if words not in self._work:
            like = (work for work, known in self.near(text) if is_same(known, text))
            number = len(self._texts)
            self._work[words] = next(like, number)
            self._texts.append(text)
            for word in {*words}:
                self._with_word[word].append(number)
        return self._work[words]

    def near(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield works, and their texts, with one of the rarest words of a text."""
        known = [
            (len(self._with_word[w]), w)
            for w in {*words_of(text)}
            if w in self._with_word
        ]
        places = {
            place
            for _, word in sorted(known)[:_RARE_WORDS]
            for place in self._with_word[word][-_TEXTS:]
        }
        for place in sorted(places):
            yield self._work[words_of(self._texts[place])], self._texts[place]


def with_reports(
    items: Sequence[Item], entries: Iterable[Entry], zone: tzinfo
) -> list[Item]:
    """Close the open items that an entry behind their last mention reports as done.

    A sentence reports an item by its id or as a whole, or one of many words by sharing
    the rare ones, if the model takes it for nothing open. `zone`: in which an entry has
    to be of a later day.
    """
    wanted = {item: stems_of(item.newest.text) for item in items if not item.closing}
    known = frozenset().union(*wanted.values())
    told, frequency = _sentences(entries, known)
    weights = {w: math.log(1 + (len(told) or 1) / max(1, frequency[w])) for w in known}
    with_word: dict[str, list[int]] = defaultdict(list)
    for number, (_, stems, *_) in enumerate(told):
        for word in stems & known:
            with_word[word].append(number)
    listed: dict[int, list[frozenset[str]]] = defaultdict(list)
    for item, words in wanted.items():
        for each in item.open:
            listed[each.file_id].append(words)

    def is_about(words: frozenset[str], stems: frozenset[str]) -> bool:
        shared, least = words & stems, _SHARE * sum(weights[w] for w in words)
        return (
            sum(_tells(w) and not w[0].isdigit() for w in words) >= _LONG
            and sum(map(_tells, shared)) > 1
            and sum(weights[w] for w in shared) >= least
            and not _differ(words, stems)
        )

    def is_told(words: frozenset[str], one: _Told) -> bool:
        entry, stems, units, place, _ = one
        others = listed[entry.file_id]
        return (
            is_about(words, stems)
            and not any(is_about(words, other) for other in others)
            and judge(units, place).open < _NOT_OPEN
        )

    closed: list[Item] = []
    times = [entry.at for entry, *_ in told]
    for item in items:
        words, text = wanted.get(item, frozenset()), item.newest.text
        rare = sorted(words, key=lambda word: (frequency[word], word))[:_RARE_STEMS]
        later = bisect_right(times, item.newest.at)
        near: set[int] = set()
        for places in map(with_word.__getitem__, rare):
            begin = bisect_left(places, later)
            near.update(places[begin : begin + _REPORTS])
        found = (
            one[0]
            for one in map(told.__getitem__, sorted(near))
            if _is_later(one[0], item, zone)
            and (_ends(text, *one[2:]) or is_told(words, one))
        )
        if entry := next(found, None):
            report = Statement(
                *entry[:4], entry.title, done=True, own=False, is_entry=True
            )
            item = replace(item, closing=report)
        closed.append(item)
    return closed


def _ends(text: str, units: Sequence[Unit], place: int, says_done: bool) -> bool:
    """Return whether a sentence reports an item as done, by its id or as a whole.

    It has a word or mark for it, or is the item with another ending: "Called Ana".
    """
    unit = units[place]
    if says_done:
        return is_reported(text, unit.text) and judge(units, place).open < _DOUBT
    (verb, *named), (told, *others) = (
        words_of(text) or [""],
        words_of(unit.text) or [""],
    )
    is_ended = told.startswith(verb) and 0 < len(told) - len(verb) <= _ENDING
    return is_ended and named == others and judge(units, place).open < _OPEN


#: An entry, the stems of a sentence, those beside it, its place, whether it says done.
_Told = tuple[Entry, frozenset[str], Sequence[Unit], int, bool]


def _sentences(
    entries: Iterable[Entry], known: frozenset[str]
) -> tuple[list[_Told], Counter[str]]:
    """Return the sentences with known stems in order, and in how many stems are."""
    told: list[_Told] = []
    frequency: Counter[str] = Counter()
    for entry in sorted(entries):
        units = [u for b in blocks_of(entry.text) for u in units_of(b)]
        for place, unit in enumerate(units):
            stems = stems_of(f"{unit.label} {unit.text}")
            frequency.update(stems)
            if stems & known:
                kinds = {kind for kind, _ in phrases_in(unit.text)}
                by_word = "done" in kinds and "hedged" not in kinds
                says_done = by_word or reports_done(unit.block)
                told.append((entry, stems, units, place, says_done))
    return told, frequency


def _tells(word: str) -> bool:
    """Return whether a word may name some work: no short one of an alphabet."""
    return len(word) > 3 or not word.isascii() or word[0].isdigit()


def _differ(words: frozenset[str], stems: frozenset[str]) -> bool:
    """Return whether two texts have numbers, and none in common."""
    one = {w for w in words if w[0].isdigit()}
    other = {w for w in stems if w[0].isdigit()}
    return bool(one and other) and one.isdisjoint(other)


def _is_later(entry: Entry, item: Item, zone: tzinfo) -> bool:
    last = item.newest
    if entry.at.astimezone(zone).date() <= last.at.astimezone(zone).date():
        return False
    return entry.at <= last.at + _REACH


def _item(statements: Sequence[Statement]) -> Item:
    """Return the item of a work's statements; one done before begins anew."""
    opened: list[Statement] = []
    closing: Statement | None = None
    for each in statements:
        if not each.done:
            opened = [] if closing else opened
            closing = None
            opened.append(each)
        elif not opened or _is_after(each, opened[-1]):
            closing = closing or each
    return Item(tuple(opened), closing, tuple(statements))


def _is_after(report: Statement, stated: Statement) -> bool:
    """Return whether a report is known to be later than a statement."""
    if report.file_id == stated.file_id and report.at == stated.at:
        return report.line > stated.line
    return report.at > stated.at
