"""Presenter of agents: state and rule in words, current work, waits, last activity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy

from memoryhub.events.rules.agent_states import STATES, AgentState
from memoryhub.formats.text.source import first_sentence
from memoryhub.handoffs.rules.standing import PERSON
from memoryhub.timeline.queries.agents import AgentNow
from memoryhub.web.kit.clock import Clock, span_label
from memoryhub.web.kit.figures import spark
from memoryhub.web.kit.links import Addresses
from memoryhub.web.overview.presenters.turns import handoff_url

#: States of agents, as glyph and word.
AGENT_STATES: dict[str, tuple[str, Promise]] = {
    "turn": ("turn", gettext_lazy("Needs you")),
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
    "result-blocked": gettext_lazy("Gave %(task)s back as blocked, nothing newer"),
    "snapshot-blocked": gettext_lazy("Its newest snapshot is blocked"),
    "sent-handoff": gettext_lazy("Sent a handoff to %(agent)s, nothing newer"),
    "recent-event": gettext_lazy("Wrote something within 30 minutes of the last check"),
    "no-event": gettext_lazy(
        "Open work, no activity for %(silence)s; quiet after %(limit)s"
    ),
    "open-work": gettext_lazy("Open work with recent activity"),
    "nothing-open": gettext_lazy("No open work recorded"),
}


@dataclass(frozen=True, slots=True)
class AgentRow:
    """An agent in a table."""

    name: str
    url: str
    role: str
    kind: str
    glyph: str
    state: str
    rule: str
    topic: str
    doing: str
    doing_url: str
    next_step: str
    percent: int | None
    gauge: str
    waits_for: str
    waits_you: bool
    waits_url: str
    seen: str
    iso: str
    told: bool
    spark: SafeString


def agent_row(agent: AgentNow, addresses: Addresses, clock: Clock) -> AgentRow:
    """Return the table row of an agent."""
    glyph, word = AGENT_STATES[agent.state.kind]
    label = str(word)
    if agent.state.kind == "quiet" and agent.last_at:
        label = f"{label} {span_label(clock.now - agent.last_at)}"
    doing = agent.doing
    topic, text, url = _work(agent, addresses)
    waits_for, waits_you, waits_url = _waits(agent, addresses)
    percent = doing.percent if doing else None
    return AgentRow(
        name=agent.name,
        url=addresses.agent(agent.name),
        role=agent.role,
        kind=agent.state.kind,
        glyph=glyph,
        state=label,
        rule=rule_text(agent.state),
        topic=topic,
        doing=text,
        doing_url=url,
        next_step=first_sentence(doing.next_step) if doing else "",
        percent=percent,
        gauge=gettext("%(percent)s percent done") % {"percent": percent},
        waits_for=waits_for,
        waits_you=waits_you,
        waits_url=waits_url,
        seen=clock.age(agent.last_at) if agent.last_at else "",
        iso=_iso(agent, clock),
        told=agent.told,
        spark=spark(agent.hours),
    )


def by_need(agents: Sequence[AgentNow]) -> list[AgentNow]:
    """Sort agents by need (order of `STATES`), within a state by last activity."""
    newest = sorted(
        agents, key=lambda a: -(a.last_at.timestamp() if a.last_at else 0.0)
    )
    return sorted(newest, key=lambda a: STATES.index(a.state.kind))


def rule_text(state: AgentState) -> str:
    """Return the reason for an agent's state in words."""
    return str(_RULES[state.rule]) % _worded(state.parameters)


def _worded(parameters: Mapping[str, object]) -> dict[str, object]:
    return {
        name: span_label(value) if isinstance(value, timedelta) else value
        for name, value in parameters.items()
    }


def _iso(agent: AgentNow, clock: Clock) -> str:
    if agent.last_at is None:
        return ""
    return clock.local(agent.last_at).isoformat(timespec="seconds")


def _work(agent: AgentNow, addresses: Addresses) -> tuple[str, str, str]:
    """Return topic, work and address of an agent: snapshot, else task, else event."""
    if doing := agent.doing:
        goal = first_sentence(doing.goal)
        topic = doing.topic.name if doing.topic else ""
        return topic, goal, addresses.snapshot(doing.code)
    if task := agent.task:
        topic = task.topic.name if task.topic else ""
        return topic, task.title, handoff_url(task, addresses)
    return "", agent.last_title, addresses.agent(agent.name)


def _waits(agent: AgentNow, addresses: Addresses) -> tuple[str, bool, str]:
    """Return whom an agent waits for, whether a person has to act, and the address."""
    if waits := agent.waits_for:
        first = max(waits, key=lambda h: (h.acts == PERSON, h.sent_at))
        return first.recipient, first.acts == PERSON, handoff_url(first, addresses)
    doing = agent.doing
    if doing and doing.blocked:
        return doing.blocked_by[:_REASON], False, addresses.snapshot(doing.code)
    return "", False, ""
