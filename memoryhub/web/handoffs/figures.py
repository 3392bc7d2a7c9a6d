"""Figures of handoffs: lead time, waiting time, share sent back, throughput."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from math import ceil
from zoneinfo import ZoneInfo

from django.utils.translation import gettext, ngettext

from memoryhub.handoffs.queries.board import Share, Spread, figures
from memoryhub.journal.models import Workspace
from memoryhub.web.kit import plots
from memoryhub.web.kit.clock import Clock, span_label
from memoryhub.web.kit.labels import headed
from memoryhub.web.kit.plots import Figure, drawn
from memoryhub.web.kit.state_labels import HANDOFF_TYPES

_DAYS = 30
#: Most agents plotted; the table has all.
_AGENTS = 8
#: Marks of a time axis and its possible ends, in minutes.
_MARKS = (1, 60, 24 * 60)
_ENDS = (*_MARKS[1:], 60 * 24 * 60, 365 * 24 * 60)
#: From this many minutes on a time is in hours, above the second one in days.
_HOURS_FROM, _DAYS_FROM = 2 * 60, 47 * 60


def figures_of(workspace: Workspace, clock: Clock) -> list[Figure]:
    """Return the figures of a workspace's handoffs from one query."""
    found = figures(workspace)
    return [
        lead_by_type(workspace),
        _lead_by_agent(found.lead_by_agent),
        _waiting(_by_type(found.wait_by_type)),
        _sent_back(found.sent_back),
        _throughput(found.done_at, workspace, clock),
    ]


def lead_by_type(workspace: Workspace) -> Figure:
    """Return the figure of lead times by type, from sent to done."""
    spreads = _by_type(figures(workspace).lead_by_type)
    return _times(
        ("lead", gettext("Lead time of handoffs"), gettext("from sent to done")),
        spreads,
        spreads,
        gettext("Type"),
        _taken(spreads),
    )


def _lead_by_agent(spreads: Sequence[Spread]) -> Figure:
    busiest = sorted(spreads, key=lambda spread: -len(spread.times))[:_AGENTS]
    return _times(
        ("lead-agent", gettext("Lead time by agent"), gettext("who was to do it")),
        busiest,
        spreads,
        gettext("Agent"),
        _slowest(busiest),
    )


def _waiting(spreads: Sequence[Spread]) -> Figure:
    return _times(
        ("waiting", gettext("Waiting time"), gettext("from sent to taken")),
        spreads,
        spreads,
        gettext("Type"),
        _waited(spreads),
    )


def _times(
    titles: tuple[str, str, str],
    plotted: Sequence[Spread],
    spreads: Sequence[Spread],
    column: str,
    finding: str,
) -> Figure:
    rows = [_dots(spread) for spread in plotted]
    longest = max((row.values[-1] for row in rows), default=0)
    number = sum(len(row.values) for row in rows)
    return Figure(
        *titles,
        finding,
        drawn(plots.dots(rows, _ticks(longest), finding), number),
        (column, gettext("Handoffs"), gettext("Median"), gettext("90 % within")),
        tuple(map(_row, spreads)),
    )


def _dots(spread: Spread) -> plots.Dots:
    minutes = tuple(seconds / 60 for seconds in spread.times)
    label = f"{_named(spread.name)} · {len(minutes)}"
    return plots.Dots(label, minutes, spread.median.total_seconds() / 60)


def _ticks(longest: float) -> list[plots.Tick]:
    """Return the marks of an axis, ending at the first one past the longest time."""
    end = next((at for at in _ENDS if at >= longest), _ENDS[-1])
    chosen = [*(at for at in _MARKS if at < end), end]
    return [plots.Tick(at, span_label(timedelta(minutes=at))) for at in chosen]


def _row(spread: Spread) -> tuple[tuple[str, str], ...]:
    cells = (
        _named(spread.name),
        str(len(spread.times)),
        _within(spread.median),
        _within(spread.p90),
    )
    return tuple((text, "") for text in cells)


def _named(name: str) -> str:
    return name or gettext("not recorded")


def _type(name: str) -> str:
    return str(HANDOFF_TYPES.get(name, name))


def _by_type(spreads: Sequence[Spread]) -> list[Spread]:
    """Return spreads with their types in words."""
    return [spread._replace(name=_type(spread.name)) for spread in spreads]


def _all(spreads: Sequence[Spread]) -> Spread:
    return Spread("", tuple(sorted(time for s in spreads for time in s.times)))


def _taken(spreads: Sequence[Spread]) -> str:
    every = _all(spreads)
    if not every.times:
        return gettext("No lead time is recorded.")
    return ngettext(
        "%(n)s handoff was done within %(median)s.",
        "Half of %(n)s handoffs were done within %(median)s,"
        " nine of ten within %(p90)s.",
        len(every.times),
    ) % _words(every)


def _waited(spreads: Sequence[Spread]) -> str:
    every = _all(spreads)
    if not every.times:
        return gettext("No waiting time is recorded.")
    return ngettext(
        "%(n)s handoff was taken within %(median)s.",
        "Half of %(n)s handoffs were taken within %(median)s,"
        " nine of ten within %(p90)s.",
        len(every.times),
    ) % _words(every)


def _words(spread: Spread) -> dict[str, object]:
    return {
        "n": len(spread.times),
        "median": _within(spread.median),
        "p90": _within(spread.p90),
    }


def _within(time: timedelta) -> str:
    """Return a time in words, rounded up: minutes up to two hours, then hours, days."""
    minutes = max(ceil(time / timedelta(minutes=1)), 1)
    if minutes < _HOURS_FROM:
        return gettext("%(n)s min") % {"n": minutes}
    unit = timedelta(hours=1) if minutes <= _DAYS_FROM else timedelta(days=1)
    return span_label(unit * ceil(time / unit))


def _slowest(spreads: Sequence[Spread]) -> str:
    if not spreads:
        return gettext("No lead time is recorded.")
    last = max(spreads, key=lambda spread: spread.median)
    words = {"agent": _named(last.name), **_words(last)}
    return gettext("%(agent)s takes longest: half within %(median)s.") % words


def _sent_back(found: Sequence[Share]) -> Figure:
    back, of = sum(s.sent_back for s in found), sum(s.of for s in found)
    finding = gettext("No handoff was sent yet.")
    if of:
        words = {"n": back, "of": of, "percent": round(back * 100 / of)}
        finding = (
            gettext("%(n)s of %(of)s handoffs came back at least once, %(percent)s%%.")
            % words
        )
    part = gettext("%(n)s of %(all)s")
    rows = [
        plots.Share(
            _type(s.name), s.sent_back, s.of, part % {"n": s.sent_back, "all": s.of}
        )
        for s in found
    ]
    return Figure(
        "sent-back",
        gettext("Sent back"),
        gettext("by type"),
        finding,
        drawn(plots.shares(rows, finding), of),
        (gettext("Type"), gettext("Sent back")),
        tuple(((row.label, ""), (row.text, "")) for row in rows),
    )


def _throughput(done_at: Sequence[int], workspace: Workspace, clock: Clock) -> Figure:
    zone = ZoneInfo(workspace.time_zone)
    today = clock.now.astimezone(zone).date()
    days = [today - timedelta(days=n) for n in reversed(range(_DAYS))]
    first = datetime.combine(days[0], time(), zone).timestamp()
    counts = Counter(
        datetime.fromtimestamp(at, zone).date() for at in done_at if at >= first
    )
    bars = [
        plots.Bar(
            headed(clock.date_label(day), counts.get(day, 0)), (counts.get(day, 0),)
        )
        for day in days
    ]
    busy = {day: counts[day] for day in days if day in counts}
    finding = _busiest(busy, clock)
    return Figure(
        "throughput",
        gettext("Done per day"),
        gettext("%(days)s days") % {"days": _DAYS},
        finding,
        drawn(plots.bars(bars, finding), sum(busy.values())),
        (gettext("Day"), gettext("Done")),
        tuple(
            ((clock.day_label(day), ""), (str(number), ""))
            for day, number in reversed(busy.items())
        ),
    )


def _busiest(busy: dict[date, int], clock: Clock) -> str:
    if not busy:
        return gettext("No handoff was done in thirty days.")
    day = max(busy, key=lambda day: busy[day])
    words = {
        "n": sum(busy.values()),
        "day": clock.day_label(day),
        "most": busy[day],
    }
    return (
        ngettext(
            "%(n)s handoff was done in thirty days.",
            "%(n)s handoffs were done in thirty days; most on %(day)s: %(most)s.",
            sum(busy.values()),
        )
        % words
    )
