"""Presenter of the timeline by session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from memoryhub.timeline.queries.sessions import SESSIONS, Session, sessions_of
from memoryhub.web.timeline.presenters.events import Look
from memoryhub.web.timeline.presenters.timeline import TimelineQuery

#: Most keys named per row; the others are counted.
_KEYS = 3


@dataclass(frozen=True, slots=True)
class SessionPage:
    """A page of sessions and the next page's address."""

    rows: tuple[dict[str, Any], ...]
    next_url: str


def session_page(query: TimelineQuery, look: Look) -> SessionPage:
    """Return a page of the sessions by agent and topic."""
    found = sessions_of(
        look.workspace,
        agent_id=look.wanted.agent_id,
        topic_ids=look.wanted.topic_ids,
        page=query.page,
    )
    more = len(found) > SESSIONS
    following = query.address(page=query.page + 1)
    return SessionPage(
        tuple(_row(session, look) for session in found[:SESSIONS]),
        following if more else "",
    )


def _row(session: Session, look: Look) -> dict[str, Any]:
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
        "events_url": f"{addresses.timeline}?{_query(session)}",
        "first": clock.moment(session.first) if session.first else "",
        "first_iso": clock.local(session.first).isoformat() if session.first else "",
        "last": clock.moment(session.last) if session.last else "",
        "last_iso": clock.local(session.last).isoformat() if session.last else "",
    }


def _query(session: Session) -> str:
    said = {"agent": session.agent, "topic": session.slug}
    return urlencode({name: value for name, value in said.items() if value})
