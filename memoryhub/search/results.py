"""Results of a search: hits, best first, in groups, with facets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import inf
from pathlib import PurePosixPath

from memoryhub.search.cutting import Passage
from memoryhub.search.history import NOTHING, Earlier
from memoryhub.search.jumps import Jump
from memoryhub.search.parser import Filter, Note, Query
from memoryhub.search.ranking import SearchTerms
from memoryhub.search.snippets import ON_PAGES, Mark, Room, Snippet, Why, snippet_of
from memoryhub.search.texts import heading_level
from memoryhub.search.things import Thing
from memoryhub.values import tokens

#: Most lines of a result, less one, where the budget has room for more than it needs.
_WIDEST = 15
#: Topics and agents that are offered to narrow a search by.
_FACETS = 8

#: The groups of results, by the kinds in them.
GROUPS: dict[str, tuple[str, ...]] = {
    "decisions": ("decision",),
    "items": ("item",),
    "snapshots": ("snapshot",),
    "handoffs": ("handoff",),
    "topics": ("topic",),
    "days": ("note", "session", "memory"),
    "files": ("file",),
}


@dataclass(frozen=True, slots=True)
class Hit:
    """Lines of a file that answer a query, and the thing they belong to.

    `home` is the slug of the workspace with the file, if it is another one. `alike`
    are the days of lines that say the same, None for one without a day. `meant`: it was
    found by its meaning.
    """

    path: str
    first_line: int
    last_line: int
    score: float
    exact: bool
    snippet: Snippet
    thing: Thing
    home: str = ""
    day: date | None = None
    alike: tuple[int | None, ...] = ()
    meant: bool = False
    #: The lines before and behind it, in which the words may be instead.
    beside: str = ""

    @property
    def place(self) -> str:
        """The path, after the slug of the workspace if the file is elsewhere."""
        return f"{self.home}/{self.path}" if self.home else self.path

    @property
    def text(self) -> str:
        return self.snippet.text

    @property
    def numbers(self) -> range:
        """The numbers of its lines."""
        return range(self.first_line, self.last_line + 1)

    @property
    def why(self) -> Why:
        """Why the hit is a result: its words, names, day, meaning; else words near."""
        why = self.snippet.why(self.day.isoformat() if self.day else "")
        why = why._replace(meaning=self.meant)
        if any(why):
            return why
        near = Snippet(self.beside, self.snippet.wanted).why()
        return Why(beside=near.names + near.words)

    @property
    def marks(self) -> tuple[Mark, ...]:
        return self.snippet.marks


@dataclass(frozen=True, slots=True)
class Match:
    """A ranked passage with its thing, before its text is cut to the room there is.

    `lines` are those that may be shown, `best` the index of the best of them, `source`
    the whole file if lines near may be read. `grows`: lines near may be shown too.
    """

    path: str
    passage: Passage
    thing: Thing
    wanted: SearchTerms
    lines: tuple[str, ...]
    best: int
    home: str = ""
    source: Sequence[str] = ()
    grows: bool = False

    @property
    def exact(self) -> bool:
        return self.passage.exact > 0

    @property
    def score(self) -> float:
        return self.passage.score

    @property
    def order(self) -> tuple[bool, float]:
        """Sort key of the matches of several searches."""
        return not self.exact, -self.score

    def hit(self, room: Room = ON_PAGES) -> Hit:
        """Return the match with as many lines as have room."""
        passage = self.passage
        first = passage.line - self.best
        snippet = snippet_of(
            self.lines, self.wanted, best=self.best, first_line=first, room=room
        )
        day = date.fromordinal(passage.day) if passage.day and passage.on_day else None
        return Hit(
            self.path, snippet.first_line, snippet.last_line,
            round(passage.score, 4), self.exact, snippet, self.thing, self.home,
            day, passage.alike, passage.meant, self._beside(),
        )  # fmt: skip

    def _beside(self) -> str:
        """Return the lines before and behind the passage."""
        first, last = self.passage.first_line, self.passage.last_line
        before = self.source[max(0, first - 2) : first - 1]
        return "\n".join((*before, *self.source[last : last + 1]))

    def wider(self, hit: Hit, left: int, taken: Collection[int]) -> Hit:
        """Return a hit with further lines of its section, within the tokens left.

        Lines behind it come first; lines of other hits are left out.
        """
        first, last = hit.first_line, hit.last_line
        room: float = left
        steps = [1, -1] if self.grows and not hit.snippet.cut else []
        while steps and last - first < _WIDEST:
            step = steps.pop(0)
            line = last + 1 if step > 0 else first - 1
            cost = self._cost(line, taken)
            if cost > room or heading_level(self.source[max(line, first) - 1]):
                continue
            if heading_level(self.source[line - 1]) == 1:  # the title of the file
                continue
            room -= cost
            first, last = min(first, line), max(last, line)
            steps.append(step)
        while last > hit.last_line and not self.source[last - 1].strip():
            last -= 1
        while first < hit.first_line and not self.source[first - 1].strip():
            first += 1
        if (first, last) == (hit.first_line, hit.last_line):
            return hit
        text = "\n".join(self.source[first - 1 : last])
        snippet = Snippet(text, self.wanted, False, first, last)
        return replace(hit, first_line=first, last_line=last, snippet=snippet)

    def _cost(self, line: int, taken: Collection[int]) -> float:
        """Return the tokens of a line; endless if it is not free."""
        if not 0 < line <= len(self.source) or line in taken:
            return inf
        return tokens.shown(self.source[line - 1]) + 1

    def hit_within(self, left: int, *, whole: int | None) -> Hit | None:
        """Return the match within the tokens left of a budget; None if it has no room.

        Only a line that is longer than the whole budget is cut.
        """
        room = Room(tokens=left)
        is_longer = whole is not None and not Room(tokens=whole).holds(
            self.lines[self.best]
        )
        if left <= 0 or not (is_longer or room.holds(self.lines[self.best])):
            return None
        return self.hit(room)


@dataclass(frozen=True, slots=True)
class Facet:
    """A property shared by results, as a filter value, and its count."""

    name: str
    value: str
    label: str
    count: int


@dataclass(frozen=True, slots=True)
class SearchResults:
    """The results of a search, best first, and the parsed query.

    `spellings` are words not in the index, each with its nearest indexed word.
    `more` is the number of further lines with words of the query, `at_least` so many
    if not all were read.
    `behind`: some versions are not indexed yet, or there is no index at all. `earlier`
    are lines that no file has any more.
    """

    query: Query
    hits: tuple[Hit, ...] = ()
    notes: tuple[Note, ...] = ()
    jump: Jump | None = None
    spellings: tuple[tuple[str, str], ...] = ()
    behind: bool = False
    more: int = 0
    at_least: bool = False
    earlier: Earlier = NOTHING

    @property
    def narrowing(self) -> tuple[str, ...]:
        """Filters that would narrow the results, the most frequent first."""
        asked = {item.name for item in self.query.filters}
        found = {
            facet.name: f"{facet.name}:{_value(facet.value)}"
            for facet in reversed(self.facets)
            if facet.name not in asked and facet.count < len(self.hits)
        }
        days = [hit.day for hit in self.hits if hit.day]
        if len(set(days)) > 1 and "after" not in asked:
            found["after"] = f"after:{max(days):%Y-%m-%d}"
        return tuple(found.values())

    @property
    def groups(self) -> dict[str, list[list[Hit]]]:
        """Hits by group and record, those of the best hit first.

        A thing whose title is the query precedes all others. Decisions are the second
        group at the latest.
        """
        by_group: dict[str, dict[int, list[Hit]]] = {}
        names = {kind: name for name, kinds in GROUPS.items() for kind in kinds}
        for hit in sorted(self.hits, key=lambda hit: not self._names(hit.thing)):
            things = by_group.setdefault(names[hit.thing.kind], {})
            things.setdefault(hit.thing.id, []).append(hit)
        names_found = list(by_group)
        if "decisions" in names_found[2:]:
            names_found.remove("decisions")
            names_found.insert(1, "decisions")
        return {name: list(by_group[name].values()) for name in names_found}

    def things(self, early: Sequence[Thing] = ()) -> list[Thing]:
        """Return the things of the hits, with `early` ones behind the first.

        A thing whose title is the query precedes all others.
        """
        best = {hit.thing.id: hit.thing for hit in reversed(self.hits)}
        ordered = sorted(
            (best[row_id] for row_id in dict.fromkeys(h.thing.id for h in self.hits)),
            key=lambda thing: not self._names(thing),
        )
        things = {thing.id: thing for thing in (*ordered[:1], *early, *ordered[1:])}
        return list(things.values())

    def _names(self, thing: Thing) -> bool:
        """Return whether the query is the title of a thing, or a part between dots."""
        texts = (item.text for item in self.query.items if not isinstance(item, Filter))
        asked = _bare(" ".join(texts))
        title = thing.title if thing.kind != "file" else PurePosixPath(thing.path).stem
        parts = (title, *title.split(" · "))
        return bool(asked) and any(_bare(part) == asked for part in parts)

    @property
    def facets(self) -> tuple[Facet, ...]:
        """Shared properties of the found things, the most frequent first."""
        things = {hit.thing.id: hit.thing for hit in self.hits}.values()
        kinds = Counter(thing.kind for thing in things)
        topics = Counter(
            (thing.topic_slug, thing.topic) for thing in things if thing.topic
        )
        agents = Counter(thing.agent for thing in things if thing.agent)
        return (
            *(Facet("kind", kind, kind, n) for kind, n in kinds.most_common()),
            *(
                Facet("topic", slug, name, n)
                for (slug, name), n in topics.most_common(_FACETS)
            ),
            *(Facet("agent", name, name, n) for name, n in agents.most_common(_FACETS)),
        )


def _value(text: str) -> str:
    return f'"{text}"' if " " in text else text


def _bare(text: str) -> str:
    """Return the words of a title, without case and punctuation."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))
