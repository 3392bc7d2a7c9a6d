"""Figures: lead times, waiting times and share of handoffs sent back."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from statistics import median
from typing import NamedTuple

from django.db.models import Case, Func, IntegerField, Q, When

from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.sides import called, handoffs_of
from memoryhub.handoffs.rules.acting import DONE, WITHDRAWN
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached_by_handoffs

#: Fewest times for a median.
_FEWEST = 5
#: Newest finished handoffs of which the median lead per type is computed.
_NEWEST = 300


class Spread(NamedTuple):
    """Times of a group of handoffs in seconds, ascending."""

    name: str
    times: tuple[int, ...]

    @property
    def median(self) -> timedelta:
        return middle(self.times)

    @property
    def p90(self) -> timedelta:
        """The 90th percentile."""
        return timedelta(seconds=self.times[-(-len(self.times) * 9 // 10) - 1])


class Share(NamedTuple):
    """Number of a group of handoffs that were sent back at least once."""

    name: str
    sent_back: int
    of: int


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of a workspace's handoffs, also of those it sent elsewhere.

    Lead time: from sending to the end. Waiting time: from sending until taken. Neither
    is recorded where both were read in one go. `done_at`: ends in seconds since 1970.
    """

    lead_by_type: tuple[Spread, ...]
    lead_by_agent: tuple[Spread, ...]
    wait_by_type: tuple[Spread, ...]
    sent_back: tuple[Share, ...]
    done_at: tuple[int, ...]


class _Row(NamedTuple):
    type: str
    recipient: str
    state: str
    times_sent_back: int
    #: Null where no file gives a time: `occurred_at` is that of its import.
    sent: int | None
    taken: int | None
    finished: int | None


class _Seconds(Func):
    """A time as seconds since 1970: numbers are much faster to read than datetimes."""

    template = "CAST(strftime('%%%%s', %(expressions)s) AS INTEGER)"
    output_field = IntegerField()


def figures(workspace: Workspace) -> Figures:
    """Return a workspace's figures, in one query; cached until a handoff changes."""
    return cached_by_handoffs(workspace, "figures", lambda: _figures(workspace))


def median_leads(workspaces: Sequence[Workspace]) -> Mapping[str, timedelta]:
    """Return the recent median lead time per type with enough finished ones; one query.

    Cached for a single workspace until one of its handoffs changes.
    """
    if len(workspaces) != 1:
        return _median_leads(workspaces)
    (workspace,) = workspaces
    return cached_by_handoffs(workspace, "leads", lambda: _median_leads(workspaces))


def _median_leads(workspaces: Sequence[Workspace]) -> Mapping[str, timedelta]:
    alive = Handoff.objects.filter(workspace__in=workspaces, last_seq__isnull=True)
    timed = alive.filter(state=DONE).exclude(precision=Precision.NONE)
    done = timed.order_by("-last_at")
    times = defaultdict(list)
    ends = done.values_list("type", _Seconds("occurred_at"), _Seconds("finished_at"))
    for kind, sent, end in ends[:_NEWEST]:
        if end and end > sent:
            times[kind].append(end - sent)
    enough = {kind: taken for kind, taken in times.items() if len(taken) >= _FEWEST}
    return {kind: middle(taken) for kind, taken in enough.items()}


def middle(seconds: Sequence[int]) -> timedelta:
    """Return the median of times in seconds."""
    return timedelta(seconds=median(seconds))


def _figures(workspace: Workspace) -> Figures:
    alive = handoffs_of(workspace).filter(twin="").exclude(state=WITHDRAWN)
    said = alive.values_list(
        "workspace__slug",
        "type",
        "recipient",
        "state",
        "times_sent_back",
        Case(When(~Q(precision=Precision.NONE), then=_Seconds("occurred_at"))),
        _Seconds("taken_at"),
        _Seconds("finished_at"),
    )
    here = workspace.slug
    rows = [
        _Row(kind, name if home == here else called(name, home, here), *others)
        for home, kind, name, *others in said
    ]
    done = [row for row in rows if row.state == DONE and row.finished]
    return Figures(
        lead_by_type=_spreads((r.type, r.sent, r.finished) for r in done),
        lead_by_agent=_spreads((r.recipient, r.sent, r.finished) for r in done),
        wait_by_type=_spreads((r.type, r.sent, r.taken) for r in rows),
        sent_back=_shares(rows),
        done_at=tuple(row.finished for row in done if row.finished),
    )


def _spreads(spans: Iterable[tuple[str, int | None, int | None]]) -> tuple[Spread, ...]:
    times = defaultdict(list)
    for name, start, end in spans:
        if start is not None and end is not None and end > start:
            times[name].append(end - start)
    return tuple(Spread(name, tuple(sorted(times[name]))) for name in sorted(times))


def _shares(rows: Iterable[_Row]) -> tuple[Share, ...]:
    all_of, back = Counter[str](), Counter[str]()
    for row in rows:
        all_of[row.type] += 1
        back[row.type] += row.times_sent_back > 0
    return tuple(Share(name, back[name], all_of[name]) for name in sorted(all_of))
