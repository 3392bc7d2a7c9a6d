"""Presenter of trends: each a plot, its finding in words, and a table."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise

from django.utils.translation import gettext, ngettext

from memoryhub.health.queries import memory_budget
from memoryhub.journal.models import Workspace
from memoryhub.timeline.queries import trends
from memoryhub.timeline.queries.events import Count
from memoryhub.values.limits import INDEX_TOKENS
from memoryhub.web.handoffs.presenters.figures import lead_by_type
from memoryhub.web.kit import plots
from memoryhub.web.kit.clock import Clock, month_label, weekday_label
from memoryhub.web.kit.figures import Figure, drawn
from memoryhub.web.kit.labels import clauses, headed
from memoryhub.web.kit.links import Addresses
from snapshots.models import Compaction

WEEKS, DAYS = 12, 30
#: Weeks that the name of a month needs.
_MONTH_WEEKS = 2
#: Agents with their own part of a bar; the others share one.
_AGENTS = 4


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
    counts = trends.events_between(workspace, [clock.bounds(day) for day in days])
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
    snapshots = trends.snapshots_between(workspace, start, end)
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
    found = trends.compactions(workspace)
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
    sizes = trends.index_sizes(workspace, path, since)
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
