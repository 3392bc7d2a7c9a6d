"""Presenter of a timeline: query, filter chips, days, next page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from django.http import QueryDict
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from memoryhub.timeline.queries.events import (
    Count,
    Place,
    decode_place,
    place_at,
    timeline_page,
)
from memoryhub.timeline.queries.facets import kind_counts
from memoryhub.web.kit.http import typed, whole_number
from memoryhub.web.kit.labels import ICONS, KINDS
from memoryhub.web.kit.links import with_query
from memoryhub.web.timeline.presenters.events import (
    Day,
    Look,
    days_of,
    only_news,
)
from memoryhub.web.timeline.presenters.markup import Chip, chip_row

#: Pages loaded automatically on scrolling; after that the link has to be pressed.
AUTOMATIC_PAGES = 3
_TEXT_LENGTH = 200


class View(NamedTuple):
    """A view of a timeline: all, since the last visit, by session."""

    label: str
    url: str
    current: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """Parsed query of a timeline: filters, view, cursor."""

    kind: str
    agent: str
    topic: str
    text: str
    since: bool
    sessions: bool
    run: int
    page: int
    at: str
    before: Place | None
    loaded: int

    @classmethod
    def of(cls, query: QueryDict, *, topic: bool = True) -> Asked:
        """Parse a query string; without `topic`, agent, topic and run are ignored."""
        kind = query.get("kind", "")
        before = decode_place(query.get("before", ""))
        return cls(
            kind=kind if kind in KINDS else "",
            agent=query.get("agent", "") if topic else "",
            topic=query.get("topic", "") if topic else "",
            text=typed(query, "q", size=_TEXT_LENGTH),
            since=query.get("since") == "last",
            sessions=query.get("group") == "session",
            run=whole_number(query.get("run", ""), digits=9) or 0 if topic else 0,
            page=whole_number(query.get("page", ""), digits=4) or 0,
            at=query.get("at", "") if before is None else "",
            before=before,
            loaded=whole_number(query.get("auto", ""), digits=4) or 0,
        )

    @property
    def filtered(self) -> bool:
        said = (self.kind, self.agent, self.topic, self.text, self.since, self.run)
        return any(said)

    def views(self, path: str) -> tuple[View, ...]:
        """Return the views of a timeline as links that preserve the filter."""
        alone = self.address(path, since="", run="")
        views = (
            View(gettext("All"), alone, not (self.since or self.sessions or self.run)),
            View(
                gettext("Since your last visit"),
                self.address(path, since="last", run=""),
                self.since and not (self.sessions or self.run),
            ),
            View(
                gettext("By session"),
                self.address(path, since="", run="", kind="", q="", group="session"),
                self.sessions,
            ),
        )
        if not self.run or self.sessions:
            return views
        label = gettext("Import #%(number)s") % {"number": self.run}
        return (*views, View(label, self.address(path, since=""), True))

    @property
    def scope(self) -> dict[str, str]:
        """The filter that rows pass on to the pages they link to."""
        said = {"kind": self.kind, "agent": self.agent, "topic": self.topic}
        return {name: value for name, value in said.items() if value}

    def address(self, path: str, **changed: object) -> str:
        """Return the address of this query, fields replaced, its cursor dropped."""
        query: dict[str, object] = {
            "kind": self.kind,
            "agent": self.agent,
            "topic": self.topic,
            "q": self.text,
            "since": "last" if self.since else "",
            "run": self.run or "",
        }
        return with_query(path, **{**query, **changed})


@dataclass(frozen=True, slots=True)
class Older:
    """The link to older events, and the part that htmx loads in its place."""

    url: str
    part: str
    automatic: bool
    searched: bool


@dataclass(frozen=True, slots=True)
class ShownTimeline:
    """Template values of a timeline."""

    asked: Asked
    path: str
    days: tuple[Day, ...]
    chip_row: SafeString
    older: Older | None
    oldest: str
    newer: str


def list_events(
    asked: Asked, look: Look, path: str, *, chips: bool = True
) -> ShownTimeline:
    """Return the timeline at `path` for a query."""
    before = asked.before
    if asked.at and before is None:
        before = place_at(look.workspace.pk, asked.at)
    page = timeline_page(look.wanted, before)
    older = None
    if page.older is not None:
        place = page.older._replace(news=only_news(page, before, look))
        older = _older(asked, path, place, searched=page.searched)
    oldest = look.clock.moment(page.older.at) if page.older else ""
    return ShownTimeline(
        asked=asked,
        path=path,
        days=tuple(days_of(page, asked.before, look)),
        chip_row=chip_row(_chips(asked, look, path) if chips else ()),
        older=older,
        oldest=oldest,
        newer=asked.address(path) if before else "",
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


def _chips(asked: Asked, look: Look, path: str) -> tuple[Chip, ...]:
    """Return chips of the kinds with events; the chosen kind is always included."""
    counts = kind_counts(look.workspace, look.wanted, look.kinds)
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
