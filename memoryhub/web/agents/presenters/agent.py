"""Presenter of one agent: recent activity and bound sessions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memoryhub.events.models import Event
from memoryhub.journal.models import Source
from memoryhub.values.identity import code_of
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.labels import ICONS, KINDS, event_title, event_verb
from memoryhub.web.kit.links import Addresses
from topics.models import SessionBinding


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


def role_sources(declared: Iterable[Source], addresses: Addresses) -> list[RoleSource]:
    """Return the places that state an agent's role, with their lines."""
    return [
        RoleSource(
            row.value,
            row.file.path,
            row.first_line,
            addresses.file(row.file.path, line=row.first_line),
        )
        for row in declared
    ]


def session_rows(
    bound: Iterable[tuple[SessionBinding, int]], addresses: Addresses
) -> list[SessionRow]:
    """Return an agent's sessions, each with its recall after a compaction."""
    return [_session_row(binding, tokens, addresses) for binding, tokens in bound]


def _session_row(
    binding: SessionBinding, tokens: int, addresses: Addresses
) -> SessionRow:
    topic_url = addresses.topic(binding.topic.slug) if binding.topic else ""
    return SessionRow(
        binding.session_key,
        addresses.session(binding.session_key),
        binding.topic_name,
        topic_url,
        f"{topic_url}recall/?form=snap-memory" if topic_url else "",
        tokens,
    )


def wrote_rows(
    wrote: Iterable[Event], addresses: Addresses, clock: Clock
) -> list[AgentEventRow]:
    """Return an agent's recent events as rows."""
    return [_wrote_row(event, addresses, clock) for event in wrote]


def _wrote_row(event: Event, addresses: Addresses, clock: Clock) -> AgentEventRow:
    url = addresses.timeline
    if event.kind == "snapshot" and event.target_id is not None:
        url = addresses.snapshot(code_of(event.target_id))
    elif event.kind == "handoff" and event.target_id is not None:
        url = addresses.handoff(code_of(event.target_id))
    elif event.file:
        url = addresses.file(event.file.path, line=event.line)
    return AgentEventRow(
        ICONS.get(event.kind, "file"),
        str(KINDS[event.kind][0]) if event.kind in KINDS else event.kind,
        event_verb(event.kind, event.verb)[0],
        event_title(event.kind, event.title, event.data or {})[:200],
        url,
        event.topic.name if event.topic else "",
        clock.stated(event.occurred_at, event.precision),
        clock.local(event.occurred_at).isoformat(timespec="seconds"),
    )
