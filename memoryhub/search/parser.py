"""Parser of search queries: words, phrases, minus, filters.

There are no syntax errors: parts that cannot be parsed as intended become plain words,
with a note. Notes are codes; the view words them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fnmatch import fnmatchcase
from typing import NamedTuple
from unicodedata import normalize

from memoryhub.search.days import NO_DAYS, Days, days_in

#: Names of filters; everything else before a colon is a word.
FILTERS = ("topic", "agent", "kind", "path", "before", "after", "is", "in")
KINDS = (
    "decision", "item", "snapshot", "handoff", "topic", "note", "session", "memory",
    "file",
)  # fmt: skip
_KIND_NAMES = {
    "decisions": "decision", "items": "item", "open-item": "item",
    "open-items": "item", "open item": "item", "open items": "item", "todo": "item",
    "snapshots": "snapshot", "handoffs": "handoff",
    "topics": "topic", "notes": "note", "log": "note", "logs": "note", "day": "note",
    "days": "note", "daily": "note", "sessions": "session", "memories": "memory",
    "files": "file",
}  # fmt: skip
#: Filters with one value.
_ONLY = {"is": "blocked", "in": "history"}
_LONGEST = 1_000
_MOST_ITEMS = 64
_QUOTES = str.maketrans("\0：“”„«»「」『』＂", ' :""""""""""')
_PIECE = re.compile(
    r'(?P<minus>-?)(?:(?P<name>[A-Za-z]+):)?"(?P<quoted>[^"]*)(?P<end>"?)|(?P<plain>\S+)'
)
_FILTER = re.compile(r"(-?)([A-Za-z]+):(.*)", re.DOTALL)
_AGO = re.compile(r"(\d{1,4})([dwmy])")
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}


class Note(NamedTuple):
    """A part of the query that was not taken literally: a code and its subject."""

    code: str
    about: str = ""


class Word(NamedTuple):
    """A word as typed."""

    text: str
    negated: bool = False

    @property
    def source(self) -> str:
        return f"{'-' * self.negated}{self.text}"


class Phrase(NamedTuple):
    """A sequence of consecutive words."""

    text: str
    negated: bool = False

    @property
    def source(self) -> str:
        return f'{"-" * self.negated}"{self.text}"'


class Filter(NamedTuple):
    """A required or excluded property of results."""

    name: str
    value: str
    negated: bool = False
    day: date | None = None

    @property
    def source(self) -> str:
        value = f'"{self.value}"' if " " in self.value else self.value
        return f"{'-' * self.negated}{self.name}:{value}"

    def fits(self, path: str) -> bool:
        """Return whether a filter by path names a path, or a part of it."""
        pattern = normalize("NFC", self.value).lower().replace("[", "[[]")
        path = normalize("NFC", path).lower()
        return fnmatchcase(path, pattern if "*" in pattern else f"*{pattern}*")


Item = Word | Phrase | Filter


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query: its items in typing order, notes, the days that words name."""

    items: tuple[Item, ...] = ()
    notes: tuple[Note, ...] = ()
    days: Days = NO_DAYS

    @property
    def words(self) -> tuple[str, ...]:
        return self._texts(Word, negated=False)

    @property
    def phrases(self) -> tuple[str, ...]:
        return self._texts(Phrase, negated=False)

    @property
    def without(self) -> tuple[str, ...]:
        return tuple(
            item.text
            for item in self.items
            if not isinstance(item, Filter) and item.negated
        )

    @property
    def filters(self) -> tuple[Filter, ...]:
        return tuple(item for item in self.items if isinstance(item, Filter))

    @property
    def source(self) -> str:
        """The query text that parses to the same items."""
        return " ".join(item.source for item in self.items)

    def less(self, item: Item) -> Query:
        """Return the query without one of its items."""
        return Query(tuple(other for other in self.items if other != item))

    def more(self, item: Item) -> Query:
        """Return the query with another item; a filter replaces that of its name."""
        kept = tuple(
            other
            for other in self.items
            if not (isinstance(other, Filter) and isinstance(item, Filter))
            or other.name != item.name
        )
        return Query((*kept, item))

    def loosened(self, phrases: Collection[str]) -> Query:
        """Return the query with the words of some phrases instead of these."""
        items: list[Item] = []
        for item in self.items:
            if isinstance(item, Phrase) and item.text in phrases and not item.negated:
                items += map(Word, item.text.split())
            else:
                items.append(item)
        return replace(self, items=tuple(dict.fromkeys(items)))

    def _texts(self, kind: type[Item], *, negated: bool) -> tuple[str, ...]:
        return tuple(
            item.text
            for item in self.items
            if isinstance(item, kind)
            and not isinstance(item, Filter)
            and item.negated == negated
        )


def parse_query(text: str, *, today: date) -> Query:
    """Read a query; never fails."""
    notes: list[Note] = []
    if len(text) > _LONGEST:
        notes.append(Note("cut"))
    plain = text[:_LONGEST].translate(_QUOTES)
    items: list[Item] = []
    negate = False
    for piece in _PIECE.finditer(plain):
        word = piece["plain"]
        if word in {"AND", "OR"}:
            notes.append(Note("operator", word))
            continue
        if word == "NOT":
            negate = True
            continue
        items += (
            item._replace(negated=item.negated or negate)
            for item in _items(piece, today, notes)
        )
        negate = False
    if len(items) > _MOST_ITEMS:
        notes.append(Note("cut"))
    chosen = tuple(dict.fromkeys(items[:_MOST_ITEMS]))
    spoken = " ".join(
        item.text for item in chosen if isinstance(item, Word) and not item.negated
    )
    return Query(chosen, tuple(dict.fromkeys(notes)), days_in(spoken, today))


def _items(piece: re.Match[str], today: date, notes: list[Note]) -> Iterator[Item]:
    if piece["plain"] is not None:
        yield from _plain(piece["plain"], today, notes)
        return
    text = " ".join(piece["quoted"].split())
    if not piece["end"]:
        notes.append(Note("quote-open", text))
    negated = bool(piece["minus"])
    name = (piece["name"] or "").lower()
    if name in FILTERS:
        yield from _filter(name, text, negated, today, notes)
    elif name:
        yield Word(f"{name}:", negated)
        yield Phrase(text, negated)
    elif text:
        yield Phrase(text, negated)


def _plain(text: str, today: date, notes: list[Note]) -> Iterator[Item]:
    found = _FILTER.fullmatch(text)
    if found and found[2].lower() in FILTERS and ":" not in found[3]:
        name = found[2].lower()
        yield from _filter(name, found[3], bool(found[1]), today, notes)
        return
    negated = len(text) > 1 and text[0] == "-" and text[1] != "-"
    word = text[1:] if negated else text
    if any(letter.isalnum() for letter in word):
        yield Word(word, negated)


def _filter(
    name: str, value: str, negated: bool, today: date, notes: list[Note]
) -> Iterator[Item]:
    """Yield a filter if its value can be parsed; else add a note."""
    value = value.strip('"')
    if not value:
        notes.append(Note("filter-empty", name))
    elif name == "kind":
        kind = _KIND_NAMES.get(value.lower(), value.lower())
        if kind in KINDS:
            yield Filter(name, kind, negated)
        else:
            notes.append(Note("kind-unknown", value))
    elif name in _ONLY:
        if value.lower() == _ONLY[name]:
            yield Filter(name, _ONLY[name], negated)
        else:
            notes.append(Note(f"{name}-unknown", value))
    elif name in {"before", "after"}:
        day = read_day(value, today)
        if day:
            yield Filter(name, value, negated, day)
        else:
            notes.append(Note("day-unknown", value))
    else:
        yield Filter(name, value, negated)


def read_day(text: str, today: date) -> date | None:
    """Return the day that a text names: 2026-03-08, 2026-03, 2026, today, 7d (ago)."""
    lowered = text.lower()
    if lowered in {"today", "yesterday"}:
        return today - timedelta(days=lowered == "yesterday")
    try:
        if found := _AGO.fullmatch(lowered):
            return today - timedelta(days=int(found[1]) * _DAYS[found[2]])
        parts = [int(part) for part in re.split(r"[-/.]", text) if part]
        if len(parts) > 3 or len(str(parts[0])) != 4:
            return None
        year, month, day = [*parts, 1, 1][:3]
        return date(year, month, day)
    except (ValueError, OverflowError, IndexError):
        return None
