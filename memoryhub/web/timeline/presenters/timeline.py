"""Presenter of a timeline: query, filter chips, days or sessions, next page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext

from memoryhub.events.models import NO_TIME
from memoryhub.journal.day_sources import Precision
from memoryhub.timeline.queries.events import (
    Count,
    Place,
    decode_place,
    place_at,
    timeline_page,
)
from memoryhub.timeline.queries.facets import kind_counts
from memoryhub.timeline.queries.sessions import (
    SESSIONS,
    Session,
    Stated,
    sessions_of,
)
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.labels import ICONS, KINDS
from memoryhub.web.kit.listing import (
    FilterLink,
    ListQuery,
    number,
    parameter,
    whole,
)
from memoryhub.web.timeline.presenters.events import (
    EventContext,
    days_of,
    only_news,
)

#: Pages loaded automatically on scrolling; after that the link has to be pressed.
AUTOMATIC_PAGES = 3
#: Most keys named per row; the others are counted.
_KEYS = 3


@dataclass(frozen=True, slots=True)
class TimelineQuery(ListQuery):
    """Filters, view and cursor of a timeline.

    `at`: the code of an event at which the page begins; `loaded`: pages that htmx has
    added to it.
    """

    kind: str = parameter("kind", choices=KINDS)
    agent: str = parameter("agent", in_form=True)
    topic: str = parameter("topic", in_form=True, length=300)
    text: str = parameter("q", in_form=True)
    since: str = parameter("since", choices=("last",))
    run: int = parameter("run", default=0, read=whole(9))
    group: str = parameter("group", choices=("session",), filters=False)
    page: int = number("page", digits=4)
    at: str = parameter("at", cursor=True)
    before: Place | None = parameter(
        "before", default=None, read=decode_place, write=Place.encode, cursor=True
    )
    loaded: int = number("auto", digits=4)

    def views(self) -> list[FilterLink]:
        """Return all, since the last visit, by session, as links with the filter."""
        chosen = (self.group and "group") or (self.run and "run") or self.since
        alone: dict[str, object] = {"since": "", "run": 0, "group": ""}
        apart = {**alone, "kind": "", "text": "", "group": "session"}
        label = gettext("Import #%(number)s") % {"number": self.run}
        views: dict[str, tuple[str, dict[str, object]]] = {
            "": (gettext("All"), alone),
            "last": (gettext("Since your last visit"), {**alone, "since": "last"}),
            "group": (gettext("By session"), apart),
            "run": (label, {"since": ""}),
        }
        return [
            FilterLink(label, self.address(**changes), current=name == chosen)
            for name, (label, changes) in views.items()
            if name != "run" or chosen == "run"
        ]

    @property
    def scope(self) -> dict[str, str]:
        """The filter that rows pass on to the pages they link to."""
        values = {"kind": self.kind, "agent": self.agent, "topic": self.topic}
        return {name: value for name, value in values.items() if value}


def list_events(
    query: TimelineQuery, look: EventContext, *, chips: bool = True
) -> dict[str, Any]:
    """Return the template values of a timeline."""
    before = query.before
    if query.at and before is None:
        before = place_at(look.workspace.pk, query.at)
    page = timeline_page(look.wanted, before)
    older = None
    if page.older is not None:
        place = page.older._replace(news=only_news(page, before, look))
        older = _older(query, place, searched=page.searched)
    oldest = ""
    if page.older:
        is_timed = page.older.at != NO_TIME
        oldest = (
            look.clock.moment(page.older.at)
            if is_timed
            else gettext("those without a time")
        )
    return {
        "query": query,
        "days": list(days_of(page, query.before, look)),
        "chips": _chips(query, look) if chips else [],
        "older": older,
        "oldest": oldest,
        "newer": query.address() if before else "",
    }


def _older(query: TimelineQuery, place: Place, *, searched: bool) -> dict[str, Any]:
    loaded = query.loaded + 1
    return {
        "url": query.address(before=place),
        "part": query.address(before=place, loaded=loaded),
        "automatic": loaded <= AUTOMATIC_PAGES and not searched,
        "searched": searched,
    }


def _chips(query: TimelineQuery, look: EventContext) -> list[FilterLink]:
    """Return chips of the kinds with events; the chosen kind is always included."""
    counts = kind_counts(look.workspace, look.wanted, look.kinds)
    kinds = [k for k in KINDS if counts is None or k in counts or k == query.kind]
    return [
        FilterLink(
            str(KINDS[kind][1]) if kind else gettext("All"),
            query.address(kind=kind),
            None if counts is None else counts.get(kind, Count(0)),
            kind == query.kind,
            ICONS.get(kind, ""),
        )
        for kind in ("", *kinds)
    ]


def session_page(query: TimelineQuery, look: EventContext) -> dict[str, Any]:
    """Return a page of the sessions by agent and topic."""
    found = sessions_of(
        look.workspace,
        agent_id=look.wanted.agent_id,
        topic_ids=look.wanted.topic_ids,
        page=query.page,
    )
    more = len(found) > SESSIONS
    following = query.address(page=query.page + 1)
    return {
        "rows": [_row(session, look) for session in found[:SESSIONS]],
        "next_url": following if more else "",
    }


def _end(name: str, at: Stated | None, clock: Clock) -> dict[str, str]:
    """Return the first or last time of a session in words, and for programs."""
    if at is None:
        return {name: "", f"{name}_iso": ""}
    iso: date = clock.local(at.at)
    if at.precision == Precision.DAY:
        iso = at.at.astimezone(clock.home or clock.zone).date()
    return {name: clock.stated(*at), f"{name}_iso": iso.isoformat()}


def _row(session: Session, look: EventContext) -> dict[str, Any]:
    addresses, clock = look.addresses, look.clock
    return {
        "url": addresses.session(session.keys[0]),
        "key": session.keys[0],
        "keys": session.keys[1:_KEYS],
        "more_keys": max(len(session.keys) - _KEYS, 0),
        "agent": session.agent,
        "topic": session.topic,
        "topic_url": addresses.topic(session.slug) if session.slug else "",
        "now": session.now,
        "events": str(session.events),
        "number": session.events.number,
        "events_url": f"{addresses.timeline}?{_events_query(session)}",
        **_end("first", session.first, clock),
        **_end("last", session.last, clock),
    }


def _events_query(session: Session) -> str:
    values = {"agent": session.agent, "topic": session.slug}
    return urlencode({name: value for name, value in values.items() if value})
