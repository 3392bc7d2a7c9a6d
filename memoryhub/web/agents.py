"""Agents: list and detail; state and rule in words, current work, waits, events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_GET

from memoryhub.events.models import Event
from memoryhub.events.rules.agent_states import STATES
from memoryhub.formats.text.source import first_sentence
from memoryhub.handoffs.rules.fields import PERSON
from memoryhub.people.policy import workspace_or_404
from memoryhub.timeline.queries.agents import (
    AGENTS,
    AgentNow,
    agents_counted,
    agents_now,
    bound_sessions,
    declared_roles,
    wrote_lately,
)
from memoryhub.values.identity import code_of
from memoryhub.web.claims import held_files
from memoryhub.web.kit.clock import span_label
from memoryhub.web.kit.frame import Shell, shell_of
from memoryhub.web.kit.labels import (
    ICONS,
    KINDS,
    awaited_cause,
    event_detail,
    event_title,
    event_verb,
)
from memoryhub.web.kit.links import Addresses, addresses_of, with_query
from memoryhub.web.kit.plots import spark
from memoryhub.web.kit.prose import plain_text
from memoryhub.web.overview.turns import handoff_url

#: States of agents, as glyph and word.
AGENT_STATES: dict[str, tuple[str, Promise]] = {
    "turn": ("turn", gettext_lazy("Needs a person")),
    "blocked": ("blocked", gettext_lazy("Blocked")),
    "waiting": ("waiting", gettext_lazy("Waiting")),
    "working": ("progress", gettext_lazy("Working")),
    "quiet": ("stale", gettext_lazy("Quiet")),
    "idle": ("idle", gettext_lazy("Idle")),
}

#: Limit of the characters of what an agent waits for.
_REASON = 300
_RULES: dict[str, Promise] = {
    "asks-person": gettext_lazy("Handoff %(task)s waits for a person"),
    "result-blocked": gettext_lazy("Returned %(task)s as blocked, nothing since"),
    "snapshot-blocked": gettext_lazy("Its newest snapshot is blocked"),
    "sent-handoff": gettext_lazy("Sent a handoff to %(agent)s, nothing since"),
    "awaits-handoff": gettext_lazy("Its handoff to %(agent)s is not finished"),
    "recent-event": gettext_lazy(
        "Wrote something in the 30 minutes before the last check"
    ),
    "no-event": gettext_lazy(
        "Open work, no activity for %(silence)s; quiet after %(limit)s"
    ),
    "open-work": gettext_lazy("Open work with recent activity"),
    "nothing-open": gettext_lazy("No open work recorded"),
}


def agent_row(agent: AgentNow, shell: Shell) -> dict[str, Any]:
    """Return an agent with its state, work and wait in words."""
    glyph, word = AGENT_STATES[agent.state.kind]
    label = str(word)
    if agent.state.kind == "quiet" and agent.last_at:
        label = f"{label} {span_label(shell.clock.now - agent.last_at)}"
    doing = agent.doing
    return {
        "row": agent,
        "glyph": glyph,
        "state": label,
        "rule": str(_RULES[agent.state.rule]) % _worded(agent.state.parameters),
        **_work(agent, shell.addresses),
        "next_step": plain_text(first_sentence(doing.next_step)) if doing else "",
        **_waits(agent, shell.addresses),
        "spark": spark(agent.hours),
    }


def by_need(agents: Sequence[AgentNow]) -> list[AgentNow]:
    """Sort agents by need (order of `STATES`), within a state by last activity."""
    newest = sorted(
        agents, key=lambda a: -(a.last_at.timestamp() if a.last_at else 0.0)
    )
    return sorted(newest, key=lambda a: STATES.index(a.state.kind))


def _worded(parameters: Mapping[str, object]) -> dict[str, object]:
    return {
        name: span_label(value) if isinstance(value, timedelta) else value
        for name, value in parameters.items()
    }


def _work(agent: AgentNow, addresses: Addresses) -> dict[str, object]:
    """Return topic, work and address of an agent: snapshot, else task, else event."""
    if doing := agent.doing:
        goal = plain_text(first_sentence(doing.goal))
        url = addresses.snapshot(doing.code)
        return {"topic": doing.topic, "work": goal, "work_url": url}
    if task := agent.task:
        url = handoff_url(task, addresses)
        return {"topic": task.topic, "work": task.title, "work_url": url}
    title = plain_text(agent.last_title)
    return {"work": title, "work_url": addresses.agent(agent.name)}


def _waits(agent: AgentNow, addresses: Addresses) -> dict[str, object]:
    """Return whom an agent waits for, whether a person has to act, and the address."""
    if waits := agent.waits_for:
        first = max(waits, key=lambda h: (h.acts == PERSON, h.sent_at))
        return {
            "waits_for": first.acts,
            "waits_you": first.acts == PERSON,
            "waits_url": handoff_url(first, addresses),
        }
    doing = agent.doing
    if doing and doing.blocked:
        url = addresses.snapshot(doing.code)
        cause = awaited_cause(doing.blocked_by)[:_REASON]
        return {"waits_for": cause, "waits_url": url}
    return {}


def event_rows(events: Iterable[Event], addresses: Addresses) -> list[dict[str, Any]]:
    """Return an agent's recent events in words, each with the address of its thing."""
    return [
        {
            "row": event,
            "url": _event_url(event, addresses),
            "icon": ICONS.get(event.kind, "file"),
            "kind": KINDS[event.kind][0] if event.kind in KINDS else event.kind,
            "verb": event_verb(event.kind, event.verb)[0],
            "title": plain_text(_title_of(event))[:200],
            "detail": _detail_of(event),
        }
        for event in events
    ]


def _title_of(event: Event) -> str:
    return event_title(event.kind, event.title, event.data or {})


def _detail_of(event: Event) -> str:
    """Return the detail that tells snapshots or compactions of a task apart, or ""."""
    if event.kind not in {"snapshot", "compaction"}:
        return ""
    return event_detail(event.kind, event.detail, event.data or {})


def _event_url(event: Event, addresses: Addresses) -> str:
    if event.kind == "snapshot" and event.target_id is not None:
        return addresses.snapshot(code_of(event.target_id))
    if event.kind == "handoff" and event.target_id is not None:
        return addresses.handoff(code_of(event.target_id))
    if event.file:
        return addresses.file(event.file.path, line=event.line)
    return addresses.timeline


@require_GET
def agents(request: HttpRequest, slug: str) -> HttpResponse:
    """List the agents that files name, with their states, most in need first."""
    workspace = workspace_or_404(slug)
    shell = shell_of(workspace, [(gettext("Agents"), request.path)])
    found = by_need(agents_now(workspace, shell.clock.now))
    rows = [agent_row(agent, shell) for agent in found]
    active = [row for row in rows if row["row"].has_work]
    silent = [row for row in rows if not row["row"].has_work]
    number = agents_counted(workspace, len(active or silent))
    context = {
        "shell": shell,
        "page": "agents",
        "title": gettext("Agents"),
        "number": number,
        "agents": active,
        "silent": silent,
        "limit": AGENTS if number.more else 0,
    }
    return render(request, "agents/agent_list.html", context)


@require_GET
def agent(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Show an agent: role, state, sessions, recall, recent activity."""
    workspace = workspace_or_404(slug)
    crumbs = [
        (gettext("Agents"), addresses_of(slug).agents),
        (name, request.path),
    ]
    shell = shell_of(workspace, crumbs)
    found = agents_now(workspace, shell.clock.now, only=name)
    if not found:
        raise Http404
    (one,) = found
    addresses = shell.addresses
    context = {
        "shell": shell,
        "page": "agents",
        "title": name,
        "agent": agent_row(one, shell),
        "agent_id": one.id,
        "sources": declared_roles(one.id),
        "sessions": bound_sessions(workspace, one.id),
        "held": held_files(shell, name),
        "wrote": event_rows(wrote_lately(workspace, one.id), addresses),
        "timeline_url": with_query(addresses.timeline, agent=name),
    }
    return render(request, "agents/agent_detail.html", context)
