"""Lines that no file has any more, in earlier versions of files.

The newest removals are read first, until enough lines are found or a budget of
processor time is spent. What the file has again is not lost.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from itertools import chain
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import Case, F, OuterRef, Subquery, When

from memoryhub.formats.secrets.detection import masked
from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.diffing import split_text
from memoryhub.journal.authors import changed_by, owners_of
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.models import Blob, Revision, Workspace
from memoryhub.journal.versions import newest_text
from memoryhub.search.parser import Filter, Query
from memoryhub.search.ranking import SearchTerms, phrase_starts, weight
from memoryhub.search.snippets import Snippet, snippet_of
from memoryhub.search.terms import other_forms
from memoryhub.search.words import fold, is_cjk, is_stop_word, term_texts
from memoryhub.values.budgets import Budget

#: Filters that earlier versions can be narrowed by; the others are of rows.
NARROWING = ("in", "path", "before", "after")
#: Share of the weight of a query's words that a line has to have.
_LEAST = 0.5
#: Current results with that share, from which on history is not searched unasked.
_FEW = 5
#: Most lines that are returned; revisions that are looked up together.
_MOST, _TOGETHER = 20, 200
#: Limits of the time for it, in seconds of the clock and of the processor.
_SECONDS, _CPU_SECONDS = 2.0, 0.15
#: Larger versions are not read.
_BYTES = 1_000_000
#: A longer run of CJK is many words.
_CJK_WORD = 6

Terms = tuple[str, ...]


class LostLine(NamedTuple):
    """A line that a revision removed, and where it was last.

    `path`, `line` and `seq` are those of the last version with it; `place` is the path
    that the file has now, or had last. `is_deleted`: the whole file was deleted.
    """

    snippet: Snippet
    path: str
    line: int
    seq: int
    place: str
    removed_seq: int
    removed_at: datetime
    removed_by: str
    is_deleted: bool


class Earlier(NamedTuple):
    """Lost lines that answer a query, best first; `is_cut` if not all were searched."""

    lines: tuple[LostLine, ...] = ()
    is_cut: bool = False


NOTHING = Earlier()


class _Removal(NamedTuple):
    """A revision that may have removed lines, and the version before it."""

    seq: int
    path: str
    at: datetime
    actor: str
    blob: int | None
    size: int | None
    encoding: str | None
    base: int | None
    old_path: str
    old_seq: int | None
    old_blob: int | None
    old_size: int | None

    @property
    def only_adds(self) -> bool:
        """Whether nothing was there before, or all of it still is."""
        is_tail = self.encoding == Blob.Encoding.TAIL and self.base == self.old_blob
        return self.old_blob is None or self.blob == self.old_blob or is_tail


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a query with their weights, as they are looked for in one line."""

    weights: dict[Terms, float]
    needed: tuple[Terms, ...]
    without: tuple[Terms, ...]
    wanted: SearchTerms

    @property
    def is_empty(self) -> bool:
        return not (self.weights or self.needed)

    def can_be_in(self, text: str) -> bool:
        """Return whether a text may have one of the words: a cheap test for ASCII.

        An ending can differ from the stem's by its last letter, as in "retries".
        """
        if self.is_empty or not text.isascii():
            return True
        stems = {*self.wanted.weights, *self.wanted.forms, *chain(*self.needed)}
        lowered = text.lower()
        return any(
            not stem.isascii() or stem[: max(3, len(stem) - 1)] in lowered
            for stem in stems
        )

    def share(self, text: str) -> float:
        """Return the share of the words' weight in a text; 0 if it is not wanted."""
        plain = term_texts(text)
        if any(phrase_starts(terms, plain) for terms in self.without):
            return 0.0
        if not all(phrase_starts(terms, plain) for terms in self.needed):
            return 0.0
        found = [self.wanted.key(term) for term in plain]
        held = (n for terms, n in self.weights.items() if phrase_starts(terms, found))
        total = sum(self.weights.values())
        return sum(held) / total if total else 1.0


def earlier_lines(  # noqa: PLR0913
    workspace: Workspace,
    query: Query,
    found_in: Callable[[str], int],
    total: int,
    *,
    current: Collection[str],
    typing: bool = False,
    readable: Callable[[str], bool] | None = None,
) -> Earlier:
    """Return the lost lines with the words of a query.

    `found_in` and `total` count the blocks of the index with a term, and all.
    `current` are the texts of current results: unless the query has ``in:history``, a
    few that answer it are enough, and what they hold is not lost.
    """
    units: list[Terms] = []
    typed = query.items[-1].source if typing and query.items else ""
    prefix = ""
    for word in query.words:
        terms = tuple(term_texts(word))
        if word == typed == query.words[-1] and len(terms) == 1 and not is_cjk(word):
            prefix = fold(word)
            units.append((prefix,))
        elif is_cjk(word) and len(word) > _CJK_WORD:
            units += [(term,) for term in terms]
        elif not is_stop_word(word):
            units.append(terms)
    weights = {
        terms: sum(weight(min(found_in(term), total), total) for term in terms)
        for terms in units
    }
    single = {term for terms in weights for term in terms}
    forms = {form: term for term in single for form in other_forms(term)}
    needed = tuple(filter(None, (tuple(term_texts(text)) for text in query.phrases)))
    wanted = SearchTerms(
        dict.fromkeys(single, 1.0), phrases=needed, prefix=prefix,
        forms={form: term for form, term in forms.items() if form not in single},
    )  # fmt: skip
    without = tuple(filter(None, (tuple(term_texts(t)) for t in query.without)))
    asked = _Words(weights, needed, without, wanted)
    filters, is_asked = query.filters, asks_history(query)
    if asked.is_empty and (query.words or query.phrases or not is_asked):
        return NOTHING
    if not is_asked:
        is_answered = sum(asked.share(text) >= _LEAST for text in current) >= _FEW
        names = {item.name for item in filters}
        if is_answered or "in" in names or not names.issubset(NARROWING):
            return NOTHING
    return _Search(workspace, asked, filters, readable, current).run()


def asks_history(query: Query) -> bool:
    """Return whether a query is for earlier versions alone."""
    return any(item.name == "in" and not item.negated for item in query.filters)


@dataclass(slots=True)
class _Search:
    """One running search of earlier versions."""

    workspace: Workspace
    words: _Words
    filters: tuple[Filter, ...]
    readable: Callable[[str], bool] | None
    current: Collection[str]

    def run(self) -> Earlier:
        """Return the lines found in time, those with most of the words first."""
        cpu = Budget.of(_CPU_SECONDS, time.thread_time)
        budget = replace(Budget.of(_SECONDS), other=cpu)
        known = {line.strip() for text in self.current for line in text.split("\n")}
        text_at = cache(lambda path: _lines_in(newest_text(self.workspace, path)))
        owner = owners_of(self.workspace)
        found: list[tuple[float, LostLine]] = []
        whole, is_cut = 0, False
        for one in self._removals():
            if budget.is_spent or whole >= _MOST:
                is_cut = True
                break
            if max(one.size or 0, one.old_size or 0) > _BYTES:
                is_cut = True
                continue
            shares = self._lost_in(one, known)
            place = self._place_now(one) if shares else ""
            if not place or not self._may_see(place):
                continue
            texts = bytes_by_id([one.old_blob or 0])
            shown = masked(decode(texts.get(one.old_blob or 0, b"")).text, scan=False)
            lines = split_text(shown[0])
            for number, (share, text) in shares.items():
                if text in text_at(place):
                    continue
                known.add(text)
                whole += share >= 1.0
                snippet = snippet_of(
                    [lines[number - 1]], self.words.wanted, first_line=number
                )
                found.append((share, LostLine(
                    snippet, one.old_path, number, one.old_seq or 0, place, one.seq,
                    one.at, changed_by(one.actor, owner(one.path)), one.blob is None,
                )))  # fmt: skip
        found.sort(key=lambda scored: (-scored[0], -scored[1].removed_seq))
        lines_found = tuple(line for _, line in found[:_MOST])
        return Earlier(lines_found, is_cut or len(found) > _MOST)

    def _removals(self) -> Iterator[_Removal]:
        """Yield the revisions that may have removed lines, newest first."""
        before = Revision.objects.filter(
            workspace=self.workspace, path=OuterRef("old_path"), seq__lt=OuterRef("seq")
        ).order_by("-seq")
        rows = Revision.objects.filter(workspace=self.workspace).annotate(
            old_path=Case(When(moved_from="", then=F("path")), default=F("moved_from"))
        )
        rows = rows.annotate(
            old_seq=Subquery(before.values("seq")[:1]),
            old_blob=Subquery(before.values("blob_id")[:1]),
            old_size=Subquery(before.values("blob__size")[:1]),
        ).order_by("-seq")
        columns = rows.values_list(
            "seq", "path", "recorded_at", "actor", "blob_id", "blob__size",
            "blob__encoding", "blob__base_id", "old_path", "old_seq", "old_blob",
            "old_size",
        )  # fmt: skip
        below = self.workspace.last_seq + 1
        while some := list(columns.filter(seq__lt=below)[:_TOGETHER]):
            for one in map(_Removal._make, some):
                if not one.only_adds and self._is_wanted(one):
                    yield one
            below = some[-1][0]

    def _is_wanted(self, one: _Removal) -> bool:
        """Return whether filters and rights allow the lines of a revision."""
        day = one.at.astimezone(ZoneInfo(self.workspace.time_zone)).date()
        for item in self.filters:
            holds = True
            if item.name == "path":
                holds = item.fits(one.old_path)
            elif item.day is not None:
                holds = day >= item.day if item.name == "after" else day < item.day
            elif item.name == "in":
                continue
            if holds == item.negated:
                return False
        return self._may_see(one.path) and self._may_see(one.old_path)

    def _may_see(self, path: str) -> bool:
        return self.readable is None or self.readable(path)

    def _lost_in(
        self, one: _Removal, known: Collection[str]
    ) -> dict[int, tuple[float, str]]:
        """Return share and text of the lines that a revision removed, by number."""
        data = bytes_by_id([one.old_blob or 0])
        text = decode(data.get(one.old_blob or 0, b"")).text
        if not self.words.can_be_in(text):
            return {}
        data |= bytes_by_id([one.blob] if one.blob else [])
        if one.old_blob not in data or (one.blob and one.blob not in data):
            return {}  # forgotten, thinned out or damaged
        after = _lines_in(decode(data.get(one.blob or 0, b"")).text)
        found = {}
        for number, line in enumerate(split_text(text), 1):
            said = line.strip()
            if not said or after[said] > 0 or said in known:
                after[said] -= 1
            elif (share := self.words.share(said)) >= _LEAST:
                found[number] = share, said
        return found

    def _place_now(self, one: _Removal) -> str:
        """Return the path that the file of a removal has now, or had last.

        Empty if the file was moved away before: another took its place.
        """
        place, seq = one.old_path, one.old_seq
        moves = Revision.objects.filter(
            workspace=self.workspace, kind=Revision.Kind.MOVED
        )
        while (
            move := moves.filter(moved_from=place, seq__gt=seq)
            .order_by("seq")
            .values_list("path", "seq")
            .first()
        ):
            if seq == one.old_seq and move[1] < one.seq:
                return ""
            place, seq = move
        return place


def _lines_in(text: str) -> Counter[str]:
    return Counter(line.strip() for line in text.split("\n"))
