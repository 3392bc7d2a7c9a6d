"""Presenter of the overview: headline, agents, news, decisions, recall sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.utils.translation import gettext, ngettext

from memoryhub.events.rules.agent_states import STALE_DATA
from memoryhub.journal.changes import position_at
from memoryhub.journal.models import Workspace
from memoryhub.people.marks import Seen
from memoryhub.timeline.queries.events import Count
from memoryhub.timeline.queries.frame import News
from memoryhub.timeline.queries.overview import RecallSize
from memoryhub.values.identity import code_of
from memoryhub.web.agents.presenters.agents import AgentRow
from memoryhub.web.handoffs.presenters.waiting import LaneShown
from memoryhub.web.kit.clock import Clock, span_label
from memoryhub.web.kit.labels import ICONS, KINDS, clauses
from memoryhub.web.kit.links import Addresses, with_query
from topics.models import Decision

#: Kinds of events with their own count in the strip; the others are in its total.
NEWS_KINDS = ("snapshot", "decision", "handoff", "compaction", "edit")


@dataclass(frozen=True, slots=True)
class NewsItem:
    """The number of new events of a kind, with their address."""

    icon: str
    number: str
    label: str
    url: str


def news_items(news: News, addresses: Addresses) -> list[NewsItem]:
    """Return the counts of the strip; each links to exactly the events it counts."""
    where = addresses.timeline
    items = [
        NewsItem(
            ICONS[kind],
            str(n),
            str(KINDS[kind][n != 1]).lower(),
            with_query(where, kind=kind, since="last"),
        )
        for kind in NEWS_KINDS
        if (n := news.by.get(kind, 0)) and not news.total.more
    ]
    if news.total.number:
        label = ngettext("event in all", "events in all", news.total.number)
        every = with_query(where, since="last")
        items.append(NewsItem("timeline", str(news.total), label, every))
    return items


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """A recent decision."""

    title: str
    why: str
    url: str
    topic: str
    agent: str
    when: str
    unsigned: bool
    new: bool


def decision_rows(
    decisions: Iterable[Decision],
    seen: Seen,
    addresses: Addresses,
    clock: Clock,
) -> list[DecisionRow]:
    """Return recent decisions as rows, with marks for unsigned and new ones."""
    return [
        DecisionRow(
            title=decision.text[:200],
            why=decision.reason,
            url=addresses.decision(code_of(decision.id)),
            topic=decision.topic.name if decision.topic else "",
            agent=decision.agent.name if decision.agent else "",
            when=clock.stated(decision.occurred_at, decision.precision),
            unsigned=decision.state == Decision.State.UNSIGNED,
            new=seen.is_new(position_at(decision.first_seq, 0)),
        )
        for decision in decisions
    ]


@dataclass(frozen=True, slots=True)
class RecallRow:
    """Size of a topic's recall after a compaction."""

    name: str
    url: str
    tokens: int
    saved: str
    outdated: bool


def recall_row(size: RecallSize, addresses: Addresses, clock: Clock) -> RecallRow:
    """Return a recall's size with the age of its newest snapshot."""
    saved, compacted = size.saved_at, size.compacted_at
    return RecallRow(
        size.name,
        f"{addresses.topic(size.slug)}recall/?form=snap-memory",
        size.tokens,
        clock.age(saved) if saved else "",
        bool(saved and compacted and saved.date() < compacted.date()),
    )


def headline(turns: Count) -> str:
    """Return the page's headline: how many items wait for the person."""
    if not turns.number:
        return gettext("Nothing waits for you")
    return ngettext(
        "%(n)s thing waits for you", "%(n)s things wait for you", turns.number
    ) % {"n": turns}


def second_sentence(agents: Sequence[AgentRow], lane: LaneShown) -> str:
    """Return the number of agents per state and whether the write lane is busy."""
    found = []
    for kind, words in _STATE_COUNTS.items():
        if n := sum(agent.kind == kind for agent in agents):
            found.append(words(n) % {"n": n})
    if not found:
        return ""
    parts = {"states": clauses(found), "all": len(agents)}
    sentence = (
        ngettext(
            "%(all)s agent: %(states)s.", "%(all)s agents: %(states)s.", len(agents)
        )
        % parts
    )
    busy = gettext("The write lane is busy.")
    free = gettext("The write lane is free.")
    return f"{sentence} {busy if lane.now else free}"


_STATE_COUNTS: dict[str, Callable[[int], str]] = {
    "working": lambda n: ngettext("%(n)s working", "%(n)s working", n),
    "turn": lambda n: ngettext("%(n)s needs you", "%(n)s need you", n),
    "blocked": lambda n: ngettext("%(n)s blocked", "%(n)s blocked", n),
    "waiting": lambda n: ngettext("%(n)s waits", "%(n)s wait", n),
    "quiet": lambda n: ngettext("%(n)s quiet", "%(n)s quiet", n),
    "idle": lambda n: ngettext("%(n)s idle", "%(n)s idle", n),
}


def data_age(workspace: Workspace, clock: Clock) -> str:
    """Return the age of the data if too old for the agents' states; else empty."""
    if workspace.checked_at is None:
        return ""
    age: timedelta = clock.now - workspace.checked_at
    return span_label(age) if age > STALE_DATA else ""
