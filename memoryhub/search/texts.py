"""Lines of indexed versions with their terms, cached between searches."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Collection, Iterable
from contextlib import suppress
from threading import Lock
from typing import Any, NamedTuple

from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.merging import settled
from memoryhub.journal.blobs import bytes_by_hash
from memoryhub.search.asking import named_in
from memoryhub.search.words import term_texts, terms_of_lines, words

#: Of a longer line only the start is scored.
LINE_CHARACTERS = 20_000
#: Limits of the versions cached per process: while a word is typed, the search runs
#: again for every letter. A version that is larger is not cached. A character takes
#: some three bytes with its terms.
_MOST_CHARACTERS, _LARGE = 2_000_000, 100_000

_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
#: The name at the start of what somebody says: ``- **Ana**: ...``, ``Ana: ...``.
_LABEL = re.compile(
    r"\s*(?:[-*+>] )?(?:\[?\d\d:\d\d\]? )?\**([^\W\d_][^:*\n]{0,40}?)\**:\**\s"
)
_LABEL_CHARACTERS = 70
_ASKS = re.compile(r"[?？]\W*(?:\[[^\]]*\])?\s*$")

Terms = tuple[str, ...]


class Form(NamedTuple):
    """Features of a line's form: its speaker as terms, and whether it is a question."""

    speaker: Terms = ()
    asks: bool = False


def _form(line: str) -> Form:
    label = _LABEL.match(line) if ":" in line[:_LABEL_CHARACTERS] else None
    asks = ("?" in line or "？" in line) and bool(_ASKS.search(line[-300:]))
    return Form(tuple(term_texts(label[1])) if label else (), asks)


def heading_level(line: str) -> int:
    """Return the level of a Markdown heading; 0 for another line."""
    found = _HEADING.match(line)
    return found[0].count("#") if found else 0


def without_numbers(terms: Terms) -> Terms:
    """Return the terms of a line that are words: equal in lines that are alike."""
    return tuple(filter(str.isalpha, terms))


class IndexedText(list[str]):
    """The lines of a version; the terms of a line are computed once.

    `terms` are those of lines by their numbers from 1, as far as they were needed.
    `tokens` and `vectors` are those of lines whose meaning was compared.
    """

    __slots__ = ("_forms", "_namings", "size", "terms", "tokens", "vectors")

    def __init__(self, lines: Collection[str]) -> None:
        super().__init__(lines)
        self.terms: dict[int, Terms] = {}
        self._forms: dict[int, Form] = {}
        self._namings: dict[int, frozenset[str]] = {}
        self.tokens: dict[int, Any] = {}
        self.vectors: dict[int, Any] = {}
        self.size = sum(map(len, self)) + len(self)

    def terms_of(self, first: int, last: int) -> list[Terms]:
        """Return the terms of lines, by their numbers from 1, both included."""
        split_terms([(self, first, last)])
        known = self.terms
        numbers = range(max(1, first), min(last, len(self)) + 1)
        return [known[number] for number in numbers]

    def line_terms(self, number: int) -> Terms:
        """Return the terms of one line; none of a line that is not there."""
        if (known := self.terms.get(number)) is not None:
            return known
        return next(iter(self.terms_of(number, number)), ())

    def naming_of(self, number: int) -> frozenset[str]:
        """Return for which of "who", "when" and "where" a line has a name."""
        if (known := self._namings.get(number)) is None:
            known = named_in(self[number - 1][:LINE_CHARACTERS])
            self._namings[number] = known
        return known

    def form_of(self, number: int) -> Form:
        """Return the features of a line's form."""
        if (known := self._forms.get(number)) is None:
            known = self._forms[number] = _form(self[number - 1][:LINE_CHARACTERS])
        return known


def split_terms(ranges: Iterable[tuple[IndexedText, int, int]]) -> None:
    """Compute the terms of lines of several texts, by their first and last numbers."""
    places = [
        (text.terms, number, text[number - 1])
        for text, first, last in ranges
        for number in range(max(1, first), min(last, len(text)) + 1)
        if number not in text.terms
    ]
    if places:
        found = terms_of_lines([words(line[:LINE_CHARACTERS]) for *_, line in places])
        for (known, number, _), terms in zip(places, found, strict=True):
            known[number] = terms


def indexed(lines: Collection[str]) -> IndexedText:
    """Return lines as an indexed text, which they may be already."""
    return lines if isinstance(lines, IndexedText) else IndexedText(lines)


class _Cache:
    """The texts used last, by the hash of their bytes, so that none can be stale."""

    def __init__(self) -> None:
        self._texts: OrderedDict[str, IndexedText] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def find(self, versions: Collection[str]) -> dict[str, IndexedText]:
        """Return the cached ones of these versions."""
        found = {}
        with self._lock:
            for sha256 in versions:
                with suppress(KeyError):
                    found[sha256] = self._texts[sha256]
                    self._texts.move_to_end(sha256)
        return found

    def add(self, sha256: str, text: IndexedText) -> None:
        """Cache a version instead of those that were not used for longest."""
        if text.size > _LARGE:
            return
        with self._lock:
            if sha256 not in self._texts:
                self._texts[sha256] = text
                self._size += text.size
            while self._size > _MOST_CHARACTERS:
                self._size -= self._texts.popitem(last=False)[1].size


_cache = _Cache()


def texts_of(versions: Collection[str]) -> dict[str, IndexedText]:
    """Return versions by their hashes, without those damaged in storage."""
    found = _cache.find(versions)
    for sha256, data in bytes_by_hash(set(versions) - found.keys()).items():
        text = settled(decode(data).text)
        found[sha256] = IndexedText(text.replace("\r\n", "\n").split("\n"))
        _cache.add(sha256, found[sha256])
    return found
