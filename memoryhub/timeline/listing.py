"""A timeline as a page shows it: what was asked for, chips, days, the way on."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import QueryDict
from django.utils.translation import gettext

from memoryhub.addresses import Addresses, with_query
from memoryhub.moments import Clock
from memoryhub.timeline.days import Day, days_of
from memoryhub.timeline.queries import (
    Count,
    Filter,
    Place,
    decode_place,
    kind_counts,
    timeline_page,
)
from memoryhub.wording import ICONS, KINDS

#: Pages that load by themselves while one scrolls; then the link must be pressed.
AUTOMATIC_PAGES = 3
_TEXT_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Asked:
    """The query of a timeline as its address has it."""

    kind: str
    agent: str
    topic: str
    text: str
    before: Place | None
    loaded: int

    @classmethod
    def of(cls, query: QueryDict, *, topic: bool = True) -> Asked:
        """Return what an address asks for; without `topic` that is not a part of it."""
        loaded = query.get("auto", "")
        kind = query.get("kind", "")
        return cls(
            kind=kind if kind in KINDS else "",
            agent=query.get("agent", "") if topic else "",
            topic=query.get("topic", "") if topic else "",
            text=query.get("q", "").replace("\x00", "").strip()[:_TEXT_LENGTH],
            before=decode_place(query.get("before", "")),
            loaded=int(loaded) if loaded.isdecimal() and len(loaded) < 5 else 0,
        )

    @property
    def filtered(self) -> bool:
        return bool(self.kind or self.agent or self.topic or self.text)

    def address(self, path: str, **changed: object) -> str:
        """Return the address of this query with some parts changed."""
        query: dict[str, object] = {
            "kind": self.kind,
            "agent": self.agent,
            "topic": self.topic,
            "q": self.text,
        }
        return with_query(path, **{**query, **changed})


@dataclass(frozen=True, slots=True)
class Chip:
    """A kind of event to filter by."""

    label: str
    icon: str
    url: str
    count: str
    current: bool


@dataclass(frozen=True, slots=True)
class Older:
    """The way to older events: a link, and what htmx loads in its place."""

    url: str
    part: str
    automatic: bool
    searched: bool


@dataclass(frozen=True, slots=True)
class ShownTimeline:
    """A timeline as a page shows it."""

    asked: Asked
    path: str
    days: tuple[Day, ...]
    chips: tuple[Chip, ...]
    older: Older | None
    oldest: str


def list_events(
    asked: Asked,
    wanted: Filter,
    path: str,
    addresses: Addresses,
    clock: Clock,
    *,
    chips: bool = True,
) -> ShownTimeline:
    """Return the timeline at `path` as it was asked for, in three queries."""
    page = timeline_page(wanted, asked.before)
    older = None
    if page.older is not None:
        older = _older(asked, path, page.older, searched=page.searched)
    oldest = clock.moment(page.older.at) if page.older else ""
    return ShownTimeline(
        asked=asked,
        path=path,
        days=tuple(days_of(page, wanted, asked.before, addresses, clock)),
        chips=_chips(asked, wanted, path) if chips else (),
        older=older,
        oldest=oldest,
    )


def _older(asked: Asked, path: str, place: Place, *, searched: bool) -> Older:
    before = place.encode()
    loaded = asked.loaded + 1
    return Older(
        url=asked.address(path, before=before),
        part=asked.address(path, before=before, auto=loaded),
        automatic=loaded <= AUTOMATIC_PAGES and not searched,
        searched=searched,
    )


def _chips(asked: Asked, wanted: Filter, path: str) -> tuple[Chip, ...]:
    """Return all kinds there are; the one that is chosen is there in any case."""
    counts = kind_counts(wanted)
    kinds = [k for k in KINDS if counts is None or k in counts or k == asked.kind]
    return tuple(
        Chip(
            label=str(KINDS[kind][1]) if kind else gettext("All"),
            icon=ICONS.get(kind, ""),
            url=asked.address(path, kind=kind),
            count="" if counts is None else str(counts.get(kind, Count(0))),
            current=kind == asked.kind,
        )
        for kind in ("", *kinds)
    )
