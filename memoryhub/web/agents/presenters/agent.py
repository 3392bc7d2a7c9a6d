"""Presenter of one agent: recent activity and bound sessions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memoryhub.timeline.queries.agents import AgentEvent, BoundSession, DeclaredRole
from memoryhub.values.identity import code_of
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.labels import ICONS, KINDS, event_title, event_verb
from memoryhub.web.kit.links import Addresses


@dataclass(frozen=True, slots=True)
class RoleSource:
    """A place in a file that states an agent's role."""

    role: str
    path: str
    line: int
    url: str


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session of an agent with its bound topic and the recall's tokens."""

    key: str
    url: str
    topic: str
    topic_url: str
    recall_url: str
    tokens: int


@dataclass(frozen=True, slots=True)
class AgentEventRow:
    """A recent event of an agent."""

    icon: str
    kind: str
    verb: str
    title: str
    url: str
    topic: str
    when: str
    iso: str


def role_sources(
    declared: Iterable[DeclaredRole], addresses: Addresses
) -> list[RoleSource]:
    """Return the places that state an agent's role, with their lines."""
    return [
        RoleSource(d.role, d.path, d.line, addresses.file(d.path, line=d.line))
        for d in declared
    ]


def session_rows(
    bound: Iterable[BoundSession], addresses: Addresses
) -> list[SessionRow]:
    """Return an agent's sessions, each with its recall after a compaction."""
    return [
        SessionRow(
            b.key,
            addresses.session(b.key),
            b.topic,
            addresses.topic(b.slug) if b.slug else "",
            f"{addresses.topic(b.slug)}recall/?form=snap-memory" if b.slug else "",
            b.tokens,
        )
        for b in bound
    ]


def wrote_rows(
    wrote: Iterable[AgentEvent], addresses: Addresses, clock: Clock
) -> list[AgentEventRow]:
    """Return an agent's recent events as rows."""
    return [_wrote_row(event, addresses, clock) for event in wrote]


def _wrote_row(event: AgentEvent, addresses: Addresses, clock: Clock) -> AgentEventRow:
    url = addresses.timeline
    if event.kind == "snapshot" and event.target_id is not None:
        url = addresses.snapshot(code_of(event.target_id))
    elif event.kind == "handoff" and event.target_id is not None:
        url = addresses.handoff(code_of(event.target_id))
    elif event.path:
        url = addresses.file(event.path, line=event.line)
    return AgentEventRow(
        ICONS.get(event.kind, "file"),
        str(KINDS[event.kind][0]) if event.kind in KINDS else event.kind,
        event_verb(event.kind, event.verb)[0],
        event_title(event.kind, event.title, event.data or {})[:200],
        url,
        event.topic or "",
        clock.stated(event.at, event.precision),
        clock.local(event.at).isoformat(timespec="seconds"),
    )
