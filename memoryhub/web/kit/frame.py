"""Frame of a workspace's pages: navigation, topics, freshness, breadcrumbs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Self

from django.urls import reverse
from django.utils.translation import gettext, pgettext

from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.people.marks import Seen, last_seen
from memoryhub.people.policy import Visitor, may, me, rights_now, visitor
from memoryhub.people.rights import Right
from memoryhub.people.roles import is_team
from memoryhub.people.services.saved_views import views_of
from memoryhub.sync.uploads import is_sample
from memoryhub.timeline.queries.events import Count
from memoryhub.timeline.queries.facets import news_counts
from memoryhub.timeline.queries.frame import Counts, frame_facts, news_by_topic
from memoryhub.timeline.queries.turns import (
    Turn,
    TurnCounts,
    TurnFacts,
    counts_of,
    turn_facts,
    turns_of,
)
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.http import whole_number
from memoryhub.web.kit.links import Addresses, addresses_of
from memoryhub.web.kit.state_labels import topic_state_shown

Crumb = tuple[str, str]


@dataclass(frozen=True, slots=True)
class NavItem:
    """A page in the sidebar."""

    key: str
    url: str
    icon: str
    label: str
    count: str = ""
    turn: Count | None = None
    new: str = ""
    minor: bool = False


class Version(NamedTuple):
    """Version of a page's data, summed over workspaces.

    `changes` counts what happens to handoffs, also to those done in other workspaces.
    """

    seq: int
    runs: int
    changes: int

    @classmethod
    def of(cls, known: Sequence[Workspace]) -> Version:
        """Return the current version of the workspaces' data."""
        return cls(
            sum(workspace.projected_seq for workspace in known),
            sum(workspace.last_run for workspace in known),
            sum(workspace.handoff_changes for workspace in known),
        )

    @classmethod
    def read(cls, text: str) -> Self:
        """Parse the text of a version, or a sequence alone; raises ValueError."""
        numbers = [whole_number(part, digits=18) for part in text.split(".")]
        if len(numbers) not in (1, 3) or None in numbers:
            raise ValueError(text)
        return cls(*(n or 0 for n in numbers), *(0, 0)[: 3 - len(numbers)])

    def __str__(self) -> str:
        return ".".join(map(str, self))


class Me(NamedTuple):
    """The person at the end of the sidebar."""

    name: str
    role: str
    url: str
    username: str = ""


@dataclass(frozen=True, slots=True)
class Shell:
    """Context of base.html around a page."""

    workspace: Workspace
    addresses: Addresses
    clock: Clock
    nav: tuple[NavItem, ...]
    topics: tuple[dict[str, Any], ...]
    topics_url: str
    topics_total: int
    checked_label: str
    checked_url: str
    crumbs: tuple[Crumb, ...]
    problem_count: int
    waiting: TurnFacts
    turns: tuple[Turn, ...]
    me: Me
    saved_views: tuple[dict[str, Any], ...] = ()

    @property
    def version(self) -> Version:
        """Version of the data that the page shows."""
        return Version.of([self.workspace])

    @property
    def frame_key(self) -> str:
        """Cache key of navigation, menu and palette, besides language and page."""
        hidden = {"workspace", "addresses", "clock", "crumbs", "waiting", "turns"}
        shown = [
            getattr(self, field.name)
            for field in fields(self)
            if field.name not in hidden
        ]
        named = (self.workspace.slug, self.workspace.name, self.workspace.root)
        return repr((*named, *shown, sorted(rights_now())))

    @property
    def turn(self) -> Count:
        """Number of items that need the person's answer."""
        return self.turn_counts.answers

    @property
    def turn_counts(self) -> TurnCounts:
        """Numbers of items that need an answer, and that look stuck."""
        return counts_of(self.turns)

    @property
    def bar(self) -> list[NavItem]:
        """Pages of the bar of narrow screens; handoffs where some are unfinished."""
        work = "handoffs" if self.waiting.unfinished else "open-items"
        keys = ("overview", "timeline", "day", work)
        return [item for item in self.nav if item.key in keys]

    @property
    def import_url(self) -> str:
        """The import wizard; "" for whoever may add no workspace."""
        return f"{self.addresses.imports}new/" if may(Right.WORKSPACES, "") else ""

    @property
    def search_url(self) -> str:
        return self.addresses.search

    @property
    def palette_url(self) -> str:
        return f"{self.addresses.base}palette"

    @property
    def export_url(self) -> str:
        return self.addresses.export

    @property
    def is_sample(self) -> bool:
        return is_sample(self.workspace.root)


def shell_of(
    workspace: Workspace, crumbs: Sequence[Crumb] = (), *, topic: str = ""
) -> Shell:
    """Return the frame of a page; `topic` is the slug of the current topic."""
    topics, counts = cached(workspace, "frame", lambda: frame_facts(workspace))
    waiting = turn_facts(workspace)
    addresses = addresses_of(workspace.slug)
    total, news = _news(workspace, last_seen(workspace, me()))
    clock = Clock.of(workspace.time_zone)
    turns = _turns(workspace, waiting, clock)
    return Shell(
        workspace=workspace,
        addresses=addresses,
        clock=clock,
        nav=_nav(counts, addresses, waiting, counts_of(turns).answers, total),
        topics=tuple(
            {
                "url": addresses.topic(row.slug),
                "name": row.name,
                "state": topic_state_shown(standing),
                "current": row.slug == topic,
                "new": news.get(row.pk, 0),
            }
            for row, standing in topics
        ),
        topics_url=addresses.topics if counts.topics else "",
        topics_total=counts.topics,
        checked_label=checked_label(workspace, clock),
        checked_url=addresses.imports,
        crumbs=((workspace.name, addresses.base), *crumbs),
        problem_count=counts.problems,
        waiting=waiting,
        turns=turns,
        me=_me(visitor()),
        saved_views=tuple(
            {"id": view.pk, "name": view.name, "url": f"{addresses.base}{view.address}"}
            for view in views_of(me(), workspace)
        ),
    )


def _me(who: Visitor | None) -> Me:
    """Return the person at the end of the sidebar, with the role in the workspace."""
    if who is None or not is_team():
        return Me(gettext("You"), gettext("Operator"), reverse("me"))
    role = who.role_here
    label = str(role.label) if role else ""
    if who.runs_the_hub:
        label = gettext("Hub admin")
    person = who.person
    return Me(person.shown_name, label, reverse("me"), person.get_username())


def _turns(workspace: Workspace, waiting: TurnFacts, clock: Clock) -> tuple[Turn, ...]:
    """Return the rows of Your turn, cached for a minute."""
    minute = clock.now.replace(second=0, microsecond=0)
    keys = (
        *(alarm.key for alarm in waiting.alarms),
        *(claim.key for claim in waiting.claims),
        *(comment.number for comment in waiting.comments),
        *(card.number for card in waiting.reviews if card.accepted_by),
    )
    about = (waiting.conflicts, waiting.staged, keys, tuple(sorted(waiting.barred)))
    key = ("turn rows", workspace.time_zone, *about, minute)
    return cached(workspace, key, lambda: turns_of(waiting, clock.now))


def _news(workspace: Workspace, seen: Seen | None) -> tuple[Count, dict[int, int]]:
    """Return the number of new events, in all and by topic.

    Zero on a first visit, when all would be new.
    """
    if seen is None:
        return Count(0), {}
    by_topic = cached(
        workspace,
        ("news", seen),
        lambda: news_by_topic(workspace, seen.position, seen.at),
    )
    return news_counts(workspace, seen).get("", Count(0)), by_topic


def _nav(
    counts: Counts,
    addresses: Addresses,
    waiting: TurnFacts,
    turn: Count,
    news: Count,
) -> tuple[NavItem, ...]:
    """Return the daily pages, then the minor ones below the topics."""
    new = str(news) if news.number else ""
    return (
        NavItem("overview", addresses.base, "overview", gettext("Overview"), turn=turn),
        NavItem(
            "timeline", addresses.timeline, "timeline", gettext("Timeline"), new=new
        ),
        NavItem("day", addresses.days, "day", pgettext("page", "Day")),
        NavItem(
            "handoffs",
            addresses.handoffs,
            "handoff",
            gettext("Handoffs"),
            waiting.unfinished,
        ),
        NavItem("decisions", addresses.decisions, "decision", gettext("Decisions")),
        NavItem(
            "open-items",
            addresses.open_items,
            "check",
            gettext("Open items"),
        ),
        NavItem("sessions", addresses.sessions, "session", gettext("Sessions")),
        NavItem("files", addresses.files, "file", gettext("Files"), str(counts.files)),
        NavItem(
            "reviews",
            addresses.reviews,
            "eye",
            gettext("Review"),
            str(len(waiting.reviews) or ""),
        ),
        NavItem("health", addresses.health, "health", gettext("Health")),
        *_minor(addresses),
    )


def _minor(addresses: Addresses) -> tuple[NavItem, ...]:
    return (
        NavItem(
            "snapshots",
            addresses.snapshots,
            "snapshot",
            gettext("Snapshots"),
            minor=True,
        ),
        NavItem(
            "memories",
            addresses.memories,
            "brain",
            gettext("Session memories"),
            minor=True,
        ),
        NavItem("handover", addresses.handover, "swap", gettext("Export"), minor=True),
        NavItem("comments", addresses.comments, "pen", gettext("Comments"), minor=True),
        NavItem("imports", addresses.imports, "import", gettext("Imports"), minor=True),
        *_of_rights(addresses),
    )


def _of_rights(addresses: Addresses) -> Iterator[NavItem]:
    """Yield pages for some roles, and for teams alone."""
    slug = addresses.base.split("/")[-2]
    if is_team():
        label = gettext("Members")
        yield NavItem("members", addresses.members, "shield", label, minor=True)
    if may(Right.SETTINGS, slug):
        label = gettext("Settings")
        yield NavItem("settings", addresses.settings, "gear", label, minor=True)
    elif may(Right.TOKENS, slug):
        label = gettext("Access tokens")
        yield NavItem("settings", addresses.tokens, "lock", label, minor=True)


def checked_label(workspace: Workspace, clock: Clock) -> str:
    """Return the freshness of the page's data: last import and age of the last scan.

    While rows are made of what was recorded: how many journal entries have theirs.
    """
    if workspace.projected_seq < workspace.last_seq:
        done, total = f"{workspace.projected_seq:,}", f"{workspace.last_seq:,}"
        return gettext("Reading: %(done)s of %(total)s") % {
            "done": done,
            "total": total,
        }
    if workspace.checked_at is None:
        return gettext("Not imported yet")
    age = clock.age(workspace.checked_at)
    if not workspace.last_run:
        return gettext("Checked %(age)s") % {"age": age}
    words = {"number": workspace.last_run, "age": age}
    return gettext("Up to date with import #%(number)s, checked %(age)s") % words
