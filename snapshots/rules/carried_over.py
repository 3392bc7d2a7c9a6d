"""Items of open work: statements of the same work in many files, folded into one.

A pure function of the statements, so that a rebuild gives the same items.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo
from functools import cached_property, partial
from typing import NamedTuple

from memoryhub.prose.closing import OF_WHOLE, Named, is_reported, is_same, named
from memoryhub.prose.model import KINDS, Judge, phrases_in
from memoryhub.prose.stated import reports_done
from memoryhub.prose.units import Unit, blocks_of, units_of
from memoryhub.values.identity import code_of

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
    it was last done before. Its owners are those of its newest statement that has one.
    """

    open: tuple[Statement, ...]
    closing: Statement | None
    statements: tuple[Statement, ...]
    agent_id: int | None = None
    topic_id: int | None = None

    @property
    def code(self) -> str:
        """The id in the form used in URLs."""
        return code_of(self.id)

    @property
    def text(self) -> str:
        """The newest wording, as in the file."""
        return self.newest.text

    @property
    def is_done(self) -> bool:
        return self.closing is not None

    @property
    def state(self) -> str:
        return "done" if self.closing else "open"

    @property
    def report_id(self) -> int:
        """The entry of a log that reports it as done, or 0."""
        return self.closing.id if self.closing and self.closing.is_entry else 0

    @property
    def can_reopen(self) -> bool:
        """Whether a line of the item itself reports it as done."""
        return bool(self.closing) and not self.report_id

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
            report = named(each.text)
            ended = {w for w, known in works.near(report) if is_reported(known, report)}
            for work in ended:
                groups[work].append(each)
            if not ended and each.own:
                own[report.words].append(each)
    items = [_item(sorted(group)) for group in (*groups.values(), *own.values())]
    items.sort(key=lambda item: (item.is_dated, item.last, item.id), reverse=True)
    return tuple(items)


class _Works:
    """Texts of open work; those of the same work have the number of the first."""

    def __init__(self) -> None:
        self._texts: list[tuple[int, Named]] = []
        self._work: dict[tuple[str, ...], int] = {}
        self._with_word: dict[str, list[int]] = defaultdict(list)

    def place(self, text: str) -> int:
        """Return the number of a text's work; a new one if it is like none before."""
        new = named(text)
        if (number := self._work.get(new.words)) is None:
            like = (work for work, known in self.near(new) if is_same(known, new))
            number = self._work[new.words] = next(like, len(self._texts))
            for word in {*new.words}:
                self._with_word[word].append(len(self._texts))
            self._texts.append((number, new))
        return number

    def near(self, new: Named) -> Iterator[tuple[int, Named]]:
        """Yield works, and their texts, with one of the rarest words of a text."""
        known = [
            (len(self._with_word[w]), w) for w in {*new.words} if w in self._with_word
        ]
        places = {
            place
            for _, word in sorted(known)[:_RARE_WORDS]
            for place in self._with_word[word][-_TEXTS:]
        }
        yield from map(self._texts.__getitem__, sorted(places))


def with_reports(
    items: Sequence[Item], entries: Iterable[Entry], zone: tzinfo
) -> list[Item]:
    """Close the open items that an entry behind their last mention reports as done.

    A sentence reports an item by its id or as a whole, or one of many words by sharing
    the rare ones, if the model takes it for nothing open. `zone`: in which an entry has
    to be of a later day.
    """
    wanted = [None if item.closing else named(item.newest.text) for item in items]
    known = frozenset[str]().union(*(work.stems for work in wanted if work))
    told, frequency = _sentences(entries, known)
    weights = {w: math.log(1 + (len(told) or 1) / max(1, frequency[w])) for w in known}
    with_word: dict[str, list[int]] = defaultdict(list)
    for number, one in enumerate(told):
        for word in one.stems & known:
            with_word[word].append(number)
    listed: dict[int, list[Named]] = defaultdict(list)
    for item, work in zip(items, wanted, strict=True):
        for each in item.open if work else ():
            listed[each.file_id].append(work)  # type: ignore[arg-type]

    def day_of(at: datetime) -> date:
        return at.astimezone(zone).date()

    times = [one.entry.at for one in told]
    closed: list[Item] = []
    for item, work in zip(items, wanted, strict=True):
        if work:
            last, about = item.newest.at, _About(work, weights, listed)
            later = bisect_right(times, last)
            # The differences are taken, because the last day of all has no next one.
            end = bisect_right(times, _REACH, later, key=partial(_since, last))
            rare = sorted(work.stems, key=lambda word: (frequency[word], word))
            near: set[int] = set()
            for places in map(with_word.__getitem__, rare[:_RARE_STEMS]):
                begin = bisect_left(places, later)
                near.update(places[begin : begin + _REPORTS])
            begin = bisect_right(times, day_of(last), later, key=day_of)
            sentences = (told[place] for place in sorted(near) if begin <= place < end)
            if found := next(filter(about.is_done_by, sentences), None):
                report = Statement(
                    *found.entry[:4],
                    found.entry.title,
                    done=True,
                    own=False,
                    is_entry=True,
                )
                item = replace(item, closing=report)
        closed.append(item)
    return closed


class _Sentence:
    """A sentence of an entry: one of its `units`, at a place in them."""

    def __init__(self, entry: Entry, units: Sequence[Unit], place: int) -> None:
        self.entry, self.units, self.place = entry, units, place
        unit = units[place]
        self.stems = Named(f"{unit.label} {unit.text}").stems

    @cached_property
    def named(self) -> Named:
        return named(self.units[self.place].text)

    @cached_property
    def open(self) -> float:
        """How likely it is open work."""
        return Judge(self.units).of(self.place)[KINDS.index("open")]

    @cached_property
    def says_done(self) -> bool:
        unit = self.units[self.place]
        kinds = {kind for kind, _ in phrases_in(unit.text)}
        by_word = "done" in kinds and "hedged" not in kinds
        return by_word or reports_done(unit.block)

    def ends(self, item: Named) -> bool:
        """Return whether it reports an item as done, by its id or as a whole.

        It has a word or mark for it, or is the item with another ending: "Called Ana".
        """
        if self.says_done:
            return is_reported(item, self.named) and self.open < _DOUBT
        verb, *rest = item.words or ("",)
        told, *others = self.named.words or ("",)
        is_ended = told.startswith(verb) and 0 < len(told) - len(verb) <= _ENDING
        return is_ended and rest == others and self.open < _OPEN


def _sentences(
    entries: Iterable[Entry], known: frozenset[str]
) -> tuple[list[_Sentence], Counter[str]]:
    """Return the sentences with known stems in order, and in how many stems are."""
    told: list[_Sentence] = []
    frequency: Counter[str] = Counter()
    for entry in sorted(entries):
        units = [u for b in blocks_of(entry.text) for u in units_of(b)]
        for place in range(len(units)):
            one = _Sentence(entry, units, place)
            frequency.update(one.stems)
            if not known.isdisjoint(one.stems):
                told.append(one)
    return told, frequency


class _About:
    """The beginnings of an item's words that tell it from other work."""

    def __init__(
        self,
        work: Named,
        weights: Mapping[str, float],
        listed: Mapping[int, Iterable[Named]],
    ) -> None:
        self._work, self._weights, self._listed = work, weights, listed
        self._stems = stems = work.stems
        #: So many of the words may name the whole item: all, or but one.
        self._whole = 0 if work.code else min(len(stems) - 1, OF_WHOLE * len(stems))
        #: No short word of an alphabet may name some work.
        self._telling = frozenset(
            w for w in stems if len(w) > 3 or not w.isascii() or w[0].isdigit()
        )
        self._numbers = _numbers(stems)
        self._is_long = len(self._telling - self._numbers) >= _LONG
        self._least = _SHARE * math.fsum(weights[w] for w in stems)
        #: Whether a file lists work that shares the rare words.
        self._is_shared: dict[int, bool] = {}

    def is_done_by(self, one: _Sentence) -> bool:
        """Return whether a sentence reports the item, and no other that it lists."""
        shared = self._stems & one.stems
        if len(shared) >= self._whole and one.ends(self._work):
            return True
        if not self._tell(shared, one.stems):
            return False
        file_id = one.entry.file_id
        if file_id not in self._is_shared:
            others = (other.stems for other in self._listed.get(file_id, ()))
            self._is_shared[file_id] = any(
                self._tell(self._stems & other, other) for other in others
            )
        return not self._is_shared[file_id] and one.open < _NOT_OPEN

    def _tell(self, shared: frozenset[str], stems: frozenset[str]) -> bool:
        """Return whether a text shares the rare words of the item, and a number."""
        if not self._is_long or len(self._telling & shared) < 2:
            return False
        if math.fsum(self._weights[w] for w in shared) < self._least:
            return False
        numbers = self._numbers and _numbers(stems)
        return not numbers or not self._numbers.isdisjoint(numbers)


def _since(last: datetime, at: datetime) -> timedelta:
    return at - last


def _numbers(stems: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in stems if word[0].isdigit())


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
