"""Results of a search: hits, best first, in groups, with facets."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from memoryhub.search.jumps import Jump
from memoryhub.search.parser import Note, Query
from memoryhub.search.ranking import Mark, Snippet
from memoryhub.search.things import Thing

#: Topics and agents that are offered to narrow a search by.
_FACETS = 8

#: The groups of results, by the kinds in them.
GROUPS: dict[str, tuple[str, ...]] = {
    "decisions": ("decision",),
    "snapshots": ("snapshot",),
    "handoffs": ("handoff",),
    "topics": ("topic",),
    "days": ("note", "session", "memory"),
    "files": ("file",),
}


@dataclass(frozen=True, slots=True)
class Hit:
    """Lines of a file that answer a query, and the thing they belong to.

    `home` is the slug of the workspace with the file, if it is another one.
    """

    path: str
    first_line: int
    last_line: int
    score: float
    exact: bool
    snippet: Snippet
    thing: Thing
    home: str = ""

    @property
    def place(self) -> str:
        """The path, after the slug of the workspace if the file is elsewhere."""
        return f"{self.home}/{self.path}" if self.home else self.path

    @property
    def text(self) -> str:
        return self.snippet.text

    @property
    def marks(self) -> tuple[Mark, ...]:
        return self.snippet.marks


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
    `behind`: some versions are not indexed yet, or there is no index at all.
    """

    query: Query
    hits: tuple[Hit, ...] = ()
    notes: tuple[Note, ...] = ()
    jump: Jump | None = None
    spellings: tuple[tuple[str, str], ...] = ()
    behind: bool = False

    @property
    def groups(self) -> dict[str, list[list[Hit]]]:
        """The hits by group and thing; the group and thing of the best hit first."""
        by_group: dict[str, dict[int, list[Hit]]] = {}
        names = {kind: name for name, kinds in GROUPS.items() for kind in kinds}
        for hit in self.hits:
            things = by_group.setdefault(names[hit.thing.kind], {})
            things.setdefault(hit.thing.id, []).append(hit)
        return {name: list(things.values()) for name, things in by_group.items()}

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
