"""Timeline, days, files in play and trends of a workspace."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import pairwise
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, ngettext, pgettext
from django.views.decorators.http import require_GET

from memoryhub.events.models import NO_TIME
from memoryhub.health.queries import memory_budget
from memoryhub.journal.changes import end_of
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.models import Workspace
from memoryhub.journal.untimed import seqs_of_run
from memoryhub.people.marks import Seen, newest_position, seen_by, visited
from memoryhub.people.policy import person_of, workspace_or_404
from memoryhub.people.services.feed_keys import feed_address
from memoryhub.timeline.queries import trends as trend_queries
from memoryhub.timeline.queries.agents import agents_now
from memoryhub.timeline.queries.days import day_facts, neighbours, newest
from memoryhub.timeline.queries.events import (
    Count,
    Place,
    decode_place,
    place_at,
    timeline_page,
)
from memoryhub.timeline.queries.facets import (
    Options,
    agent_id_of,
    filter_options,
    kind_counts,
)
from memoryhub.timeline.queries.filters import Filter
from memoryhub.timeline.queries.in_play import Claim, FileInPlay, files_in_play
from memoryhub.timeline.queries.trends import (
    SESSIONS,
    Session,
    Stated,
    sessions_of,
)
from memoryhub.values.identity import code_of
from memoryhub.values.limits import INDEX_TOKENS
from memoryhub.web.claims import held_files
from memoryhub.web.handoffs.figures import lead_by_type
from memoryhub.web.kit import plots
from memoryhub.web.kit.clock import Clock, month_label, weekday_label
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import (
    HtmxRequest,
    markdown_response,
    page_or_partial,
    wants_partial,
)
from memoryhub.web.kit.labels import ICONS, KINDS, clauses, headed, listed
from memoryhub.web.kit.links import Addresses, addresses_of
from memoryhub.web.kit.listing import (
    FilterLink,
    ListQuery,
    names_known,
    number,
    parameter,
    whole,
)
from memoryhub.web.kit.plots import Figure, drawn
from memoryhub.web.timeline.days import day_markdown, day_page
from memoryhub.web.timeline.events import (
    EventContext,
    days_of,
    only_news,
    option_list,
)
from snapshots.models import Compaction
from topics.queries.topics import topic_ids_named

#: Most overlaps named on the overview.
_OVERLAPS = 2
#: Pages loaded automatically on scrolling; after that the link has to be pressed.
AUTOMATIC_PAGES = 3
#: Most keys named per row; the others are counted.
_KEYS = 3
WEEKS, DAYS = 12, 30
#: Weeks that the name of a month needs.
_MONTH_WEEKS = 2
#: Agents with their own part of a bar; the others share one.
_AGENTS = 4
#: Most files of a page; a text filter narrows them.
_MOST = 100


def file_rows(
    files: Iterable[FileInPlay], addresses: Addresses, clock: Clock
) -> list[dict[str, Any]]:
    """Return files with their claims for display."""
    return [
        {
            "path": file.path,
            "rivals": file.rivals,
            "claims": [_claim(claim, file, addresses, clock) for claim in file.claims],
        }
        for file in files
    ]


def _claim(
    claim: Claim, file: FileInPlay, addresses: Addresses, clock: Clock
) -> dict[str, Any]:
    source, url = _source(claim, addresses)
    return {
        "agent": claim.agent,
        "active": claim.agent in file.active,
        "purpose": claim.purpose,
        "source": source,
        "url": url,
        "when": clock.moment(claim.at),
        "iso": clock.local(claim.at).isoformat(timespec="seconds"),
    }


def _source(claim: Claim, addresses: Addresses) -> tuple[str, str]:
    """Return the source of a claim and its address."""
    code = code_of(claim.id)
    words = {"name": claim.name or code}
    if claim.kind == "snapshot":
        return gettext("Snapshot %(name)s") % words, addresses.snapshot(code)
    if claim.kind == "memory":
        url = f"{addresses.memories}{claim.name or code}/"
        return gettext("Session memory %(name)s") % words, url
    return gettext("Handoff %(name)s") % words, addresses.handoff(code)


def overlap_lines(files: Sequence[FileInPlay]) -> list[tuple[str, str]]:
    """Return files changed by several active agents, with the agents' names."""
    found = [file for file in files if file.rivals]
    return [(file.path, listed(file.rivals)) for file in found[:_OVERLAPS]]


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


def figures(workspace: Workspace, addresses: Addresses, clock: Clock) -> list[Figure]:
    """Return the activity, then figures that have rows, plots first; a query each."""
    others = [
        snapshots(workspace, clock),
        compactions(workspace, clock),
        index_tokens(workspace, clock),
        lead_by_type(workspace),
    ]
    return [
        activity(workspace, addresses, clock),
        *sorted((f for f in others if f.rows), key=lambda figure: not figure.svg),
    ]


def activity(workspace: Workspace, addresses: Addresses, clock: Clock) -> Figure:
    """Return the figure of events per day over twelve weeks."""
    today = clock.now.date()
    monday = today - timedelta(days=today.weekday(), weeks=WEEKS - 1)
    days = [monday + timedelta(days=n) for n in range((today - monday).days + 1)]
    counts = trend_queries.events_between(
        workspace, [clock.bounds(day) for day in days]
    )
    by_day = dict(zip(days, counts, strict=True))
    cells = [_cell(day, count, addresses, clock) for day, count in by_day.items()]
    weeks = [cells[start : start + 7] for start in range(0, len(cells), 7)]
    busy = {day: count for day, count in by_day.items() if count.number}
    total = Count(sum(c.number for c in counts), any(c.more for c in counts))
    finding = _busiest(busy, total, clock)
    return Figure(
        "activity",
        gettext("Activity"),
        ngettext(
            "%(weeks)s weeks, %(n)s dated event",
            "%(weeks)s weeks, %(n)s dated events",
            total.number,
        )
        % {"weeks": WEEKS, "n": total},
        finding,
        drawn(
            plots.calendar(weeks, finding, _months(days[::7]), _weekdays()),
            len(busy),
        ),
        (gettext("Day"), gettext("Events")),
        tuple(
            ((clock.day_label(day), addresses.day(day)), (str(count), ""))
            for day, count in reversed(busy.items())
        ),
    )


def _months(mondays: Sequence[date]) -> dict[int, str]:
    """Return names of months by the week in which they begin, without crowding."""
    found = {0: month_label(mondays[0])}
    for week, (before, day) in enumerate(pairwise(mondays), 1):
        if before.month != day.month:
            if week < _MONTH_WEEKS:
                del found[0]
            found[week] = month_label(day)
    return found


def _weekdays() -> tuple[str, ...]:
    """Return the names of every other day of the week; others are empty."""
    return tuple("" if day % 2 else weekday_label(day) for day in range(7))


def _cell(day: date, count: Count, addresses: Addresses, clock: Clock) -> plots.Cell:
    words = {"day": clock.day_label(day), "n": str(count)}
    label = ngettext("%(day)s: %(n)s event", "%(day)s: %(n)s events", count.number)
    return plots.Cell(count.number, label % words, addresses.day(day))


def _busiest(busy: dict[date, Count], total: Count, clock: Clock) -> str:
    if not busy:
        return gettext("No event in twelve weeks.")
    day = max(busy, key=lambda day: busy[day].number)
    words = {
        "total": total,
        "days": len(busy),
        "day": clock.day_label(day),
        "most": busy[day],
    }
    return (
        ngettext(
            "Events on one day, %(day)s: %(total)s.",
            "%(total)s events on %(days)s days; most on %(day)s: %(most)s.",
            len(busy),
        )
        % words
    )


def snapshots(workspace: Workspace, clock: Clock) -> Figure:
    """Return the figure of snapshots per day over thirty days, by agent."""
    today = clock.now.date()
    days = [today - timedelta(days=n) for n in reversed(range(DAYS))]
    start, end = clock.bounds(days[0])[0], clock.bounds(today)[1]
    snapshots = trend_queries.snapshots_between(workspace, start, end)
    by_day: dict[date, Counter[str]] = defaultdict(Counter)
    for at, agent in snapshots:
        by_day[clock.day(at)][agent] += 1
    names = [
        n for n, _ in Counter(agent for _, agent in snapshots).most_common(_AGENTS)
    ]
    rows = [
        plots.Bar(
            headed(clock.date_label(day), by_day[day].total()),
            _parts(by_day[day], names),
        )
        for day in days
    ]
    finding = _snapshot_finding(snapshots, by_day)
    return Figure(
        "snapshots",
        gettext("Snapshots"),
        gettext("%(days)s days") % {"days": DAYS},
        finding,
        drawn(plots.bars(rows, finding), len(snapshots)),
        (gettext("Day"), gettext("Snapshots")),
        tuple(
            ((clock.day_label(day), ""), (_by_agent(by_day[day]), ""))
            for day in reversed(days)
            if by_day[day]
        ),
        _keys(names, snapshots),
    )


def _parts(counts: Counter[str], names: Sequence[str]) -> tuple[int, ...]:
    named = [counts[name] for name in names]
    return (*named, counts.total() - sum(named))


def _keys(
    names: Sequence[str], snapshots: Sequence[tuple[object, str]]
) -> tuple[tuple[int, str], ...]:
    keys = [(n, name or gettext("no agent")) for n, name in enumerate(names, 1)]
    if len({agent for _, agent in snapshots}) > len(names):
        keys.append((_AGENTS + 1, gettext("others")))
    return tuple(keys)


def _by_agent(counts: Counter[str]) -> str:
    nobody = gettext("no agent")
    return clauses(f"{name or nobody} {n}" for name, n in counts.most_common())


def _snapshot_finding(
    snapshots: Sequence[tuple[object, str]], by_day: dict[date, Counter[str]]
) -> str:
    if not snapshots:
        return gettext("No snapshot in thirty days.")
    words = {
        "n": len(snapshots),
        "days": sum(bool(counts) for counts in by_day.values()),
    }
    return (
        ngettext(
            "%(n)s snapshot in thirty days.",
            "%(n)s snapshots in thirty days, on %(days)s of them.",
            len(snapshots),
        )
        % words
    )


def compactions(workspace: Workspace, clock: Clock) -> Figure:
    """Return the figure of messages before and after the last compactions."""
    found = trend_queries.compactions(workspace)
    rows = [
        plots.Dumbbell(_compacted(c, clock), c.before or None, c.after) for c in found
    ]
    finding = _compaction_finding(found)
    return Figure(
        "compactions",
        gettext("Compactions"),
        gettext("messages before → after"),
        finding,
        drawn(plots.dumbbells(rows, finding), len(found)),
        (gettext("Day"), gettext("Topic"), gettext("Before"), gettext("After")),
        tuple(
            (
                (clock.day_label(clock.day(c.occurred_at)), ""),
                (c.topic.name, ""),
                (_number(c.before or None), ""),
                (_number(c.after), ""),
            )
            for c in reversed(found)
        ),
    )


def _compacted(compaction: Compaction, clock: Clock) -> str:
    before, after = _number(compaction.before or None), _number(compaction.after)
    day = clock.date_label(clock.day(compaction.occurred_at))
    return headed(day, f"{before} → {after}")


def _number(value: int | None) -> str:
    return gettext("not recorded") if value is None else str(value)


def _compaction_finding(found: Sequence[Compaction]) -> str:
    known = [(c.before, c.after) for c in found if c.before and c.after is not None]
    if not found:
        return gettext("No compactions recorded.")
    if not known:
        return gettext("Message counts after compactions are not recorded.")
    before = sum(b for b, _ in known)
    fewer = round((before - sum(a for _, a in known)) * 100 / before)
    words = {"n": len(found), "percent": fewer}
    return (
        ngettext(
            "The last compaction left %(percent)s%% fewer messages.",
            "The last %(n)s compactions left %(percent)s%% fewer messages.",
            len(found),
        )
        % words
    )


def index_tokens(workspace: Workspace, clock: Clock) -> Figure:
    """Return the figure of tokens in MEMORY.md per import over thirty days."""
    since = clock.now - timedelta(days=DAYS)
    budget = memory_budget(workspace)
    path, limit = (budget.path, budget.limit) if budget else ("MEMORY.md", INDEX_TOKENS)
    sizes = trend_queries.index_sizes(workspace, path, since)
    span = (clock.now - since).total_seconds()
    points = [
        plots.Point((at - since).total_seconds() / span, tokens) for at, tokens in sizes
    ]
    words = {"limit": limit, "days": DAYS}
    finding = gettext("No version of MEMORY.md in thirty days.")
    if sizes:
        words["n"] = sizes[-1][1]
        finding = gettext("MEMORY.md has %(n)s of %(limit)s tokens.") % words
    return Figure(
        "index",
        gettext("MEMORY.md tokens"),
        gettext("%(days)s days, limit %(limit)s") % words,
        finding,
        drawn(plots.line(points, limit, finding), len(sizes)),
        (gettext("Read"), gettext("Tokens")),
        tuple(
            ((clock.moment(at), ""), (str(tokens), ""))
            for at, tokens in reversed(sizes)
        ),
    )


@require_GET
def timeline(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show the events of a workspace, newest first, or its sessions."""
    workspace = workspace_or_404(slug)
    query = TimelineQuery.of(request, known=names_known(workspace))
    if query.group:
        return _sessions(request, workspace, query)
    part = wants_partial(request)
    seen = (
        seen_by(person_of(request), workspace) if part else visited(request, workspace)
    )
    options = filter_options(workspace)
    look = _look(query, workspace, options, seen)
    context: dict[str, Any] = {"timeline": list_events(query, look, chips=not part)}
    if not part:
        context |= _frame(request, workspace, query, options)
        upto = newest_position(workspace)
        context |= {"upto": upto, "has_news": seen.is_new(upto)}
    return page_or_partial(
        request, "timeline/event_list.html", "timeline/_rows.html", context
    )


def _look(
    query: TimelineQuery, workspace: Workspace, options: Options, seen: Seen
) -> EventContext:
    wanted = wanted_by(query, workspace, options)
    if query.run:
        first, last = seqs_of_run(workspace, query.run)
        wanted = replace(
            wanted,
            after=end_of(first - 1),
            # Without the import's own event, the last one; its page has more about it.
            until=end_of(last) - 1,
        )
    elif query.since:
        wanted = replace(wanted, after=seen.position, since=seen.at)
    return EventContext(
        workspace,
        wanted,
        addresses_of(workspace.slug),
        Clock.of(workspace.time_zone),
        # On a first visit every event would be new.
        seen=seen if seen.at else None,
        scope=query.scope,
        on=query.at,
        kinds=options.kinds,
    )


def wanted_by(query: TimelineQuery, workspace: Workspace, options: Options) -> Filter:
    """Return the filter of a query; an unknown agent or topic matches no event."""
    agent_id, topic_ids = None, None
    if query.agent:
        agent_id = agent_id_of(options, query.agent, workspace.pk)
    if query.topic:
        topic_ids = topic_ids_named(workspace, query.topic)
    return Filter(workspace.pk, query.kind, agent_id, topic_ids, query.text)


def _frame(
    request: HttpRequest, workspace: Workspace, query: TimelineQuery, options: Options
) -> dict[str, Any]:
    """Return the context around the rows: shell, filter options, views, feed."""
    agents = tuple((name, name) for _, name in options.agents)
    topics = tuple((slug, name) for _, slug, name in options.topics)
    return {
        "page": "timeline",
        "title": gettext("Timeline"),
        "query": query,
        "agents": option_list(agents, query.agent),
        "topics": option_list(topics, query.topic),
        "views": query.views(),
        "feed_url": feed_address(request, "timeline-feed", workspace.slug),
        "shell": shell_of(workspace, [(gettext("Timeline"), request.path)]),
    }


def _sessions(
    request: HtmxRequest, workspace: Workspace, query: TimelineQuery
) -> HttpResponse:
    """Show the sessions with their number of events."""
    options = filter_options(workspace)
    look = EventContext(
        workspace,
        wanted_by(query, workspace, options),
        addresses_of(workspace.slug),
        Clock.of(workspace.time_zone),
    )
    context = {
        **_frame(request, workspace, query, options),
        "timeline": {"query": query},
        "sessions": session_page(query, look),
    }
    return render(request, "timeline/session_list.html", context)


@require_GET
def day(request: HttpRequest, slug: str, day: str) -> HttpResponse:
    """Show the logs of all agents of a day."""
    workspace, at = workspace_or_404(slug), _day_or_404(day)
    addresses = addresses_of(slug)
    clock = Clock.of(workspace.time_zone)
    bounds = clock.bounds(at)
    page = day_page(
        workspace,
        at,
        day_facts(workspace, *bounds),
        neighbours(workspace, *bounds),
        addresses,
        clock,
    )
    page["span"] = bounds
    context = {
        "page": "day",
        "title": page["label"],
        "day": page,
        "text_url": f"{addresses.base}days/{at.isoformat()}.md",
        "shell": shell_of(
            workspace,
            [(pgettext("page", "Day"), addresses.days), (page["label"], request.path)],
        ),
    }
    return render(request, "timeline/day_detail.html", context)


@require_GET
def day_text(request: HttpRequest, slug: str, day: str) -> HttpResponse:
    """Return the logs of all agents of a day as Markdown."""
    workspace, at = workspace_or_404(slug), _day_or_404(day)
    ListQuery.of_text(request)
    facts = day_facts(workspace, *Clock.of(workspace.time_zone).bounds(at))
    return markdown_response(day_markdown(at, facts))


@require_GET
def newest_day(request: HttpRequest, slug: str) -> HttpResponse:
    """Redirect to the newest day with a log, else to today."""
    workspace = workspace_or_404(slug)
    clock = Clock.of(workspace.time_zone)
    last = newest(workspace, clock.bounds(clock.now.date())[1])
    return redirect(
        addresses_of(slug).day(clock.day(last) if last else clock.now.date())
    )


def _day_or_404(text: str) -> date:
    try:
        found = date.fromisoformat(text)
    except ValueError as error:
        raise Http404 from error
    if found.isoformat() != text:
        raise Http404
    return found


@dataclass(frozen=True, slots=True)
class InPlayQuery(ListQuery):
    """Filter of the files in play, by path or agent."""

    text: str = parameter("q", in_form=True)


@require_GET
def in_play(request: HttpRequest, slug: str) -> HttpResponse:
    """List the files in play, those changed by several active agents first."""
    workspace = workspace_or_404(slug)
    shell = shell_of(workspace, [(gettext("Files in play"), request.path)])
    agents = agents_now(workspace, shell.clock.now)
    query = InPlayQuery.of(request)
    wanted = query.text.casefold()
    found = [
        file
        for file in files_in_play(workspace, agents)
        if wanted in file.path.casefold() or wanted in " ".join(file.agents).casefold()
    ]
    held = held_files(shell)
    context = {
        "shell": shell,
        "page": "agents",
        "title": gettext("Files in play"),
        "query": query,
        "files": file_rows(found[:_MOST], shell.addresses, shell.clock),
        "all_files": len(found),
        "overlaps": sum(bool(file.rivals) for file in found),
        "held": held,
        "held_overlaps": sum(claim["overlaps"] for claim in held),
    }
    return render(request, "timeline/in_play.html", context)


@require_GET
def trends(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show trends: activity, snapshots, compactions, MEMORY.md, lead times."""
    workspace = workspace_or_404(slug)
    clock = Clock.of(workspace.time_zone)
    found = figures(workspace, addresses_of(slug), clock)
    part = wants_partial(request)
    context: dict[str, object] = {
        "page": "trends",
        "title": gettext("Trends"),
        "figures": [figure for figure in found if figure.rows or not part],
    }
    if not part:
        context["shell"] = shell_of(workspace, [(gettext("Trends"), request.path)])
    return page_or_partial(
        request, "timeline/trends.html", "overview/_trends.html", context
    )
