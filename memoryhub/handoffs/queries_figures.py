"""How long handoffs take, how long they wait, and how many come back."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from statistics import median
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.queries_again import HANDED_OFF_AGAIN
from memoryhub.handoffs.rules import DONE
from memoryhub.timeline.kept import kept
from memoryhub.workspaces.models import Workspace

#: A median of fewer says nothing.
_FEWEST = 5
#: The newest that a type's usual time is taken from.
_NEWEST = 300


class Spread(NamedTuple):
    """Times of some handoffs, the shortest first."""

    name: str
    times: tuple[timedelta, ...]

    @property
    def median(self) -> timedelta:
        return middle(self.times)

    @property
    def p90(self) -> timedelta:
        """The time that nine of ten did not take longer than."""
        return self.times[-(-len(self.times) * 9 // 10) - 1]


class Share(NamedTuple):
    """How many of some handoffs came back at least once."""

    name: str
    sent_back: int
    of: int


@dataclass(frozen=True, slots=True)
class Figures:
    """What the handoffs of a workspace tell of the work between its agents.

    A lead time is from sending to the end, a waiting time from sending until it was
    taken. Where both were read in one go, neither is recorded. Days are the
    workspace's.
    """

    lead_by_type: tuple[Spread, ...]
    lead_by_agent: tuple[Spread, ...]
    wait_by_type: tuple[Spread, ...]
    sent_back: tuple[Share, ...]
    done_by_day: tuple[tuple[date, int], ...]


class _Row(NamedTuple):
    type: str
    recipient: str
    state: str
    occurred_at: datetime
    taken_at: datetime | None
    finished_at: datetime | None
    times_sent_back: int


def figures(workspace: Workspace) -> Figures:
    """Return the figures of a workspace, in one query, kept until its journal grows."""
    return kept(workspace, "handoff figures", lambda: _figures(workspace))


def median_leads(workspaces: Sequence[Workspace]) -> Mapping[str, timedelta]:
    """Return how long each type mostly took of late, if enough are done; one query.

    That of one workspace is kept until its journal grows.
    """
    if len(workspaces) != 1:
        return _median_leads(workspaces)
    return kept(workspaces[0], "median leads", lambda: _median_leads(workspaces))


def _median_leads(workspaces: Sequence[Workspace]) -> Mapping[str, timedelta]:
    alive = Handoff.objects.filter(workspace__in=workspaces, last_seq__isnull=True)
    done = _not_withdrawn(alive.filter(state=DONE)).order_by("-last_at")
    times = defaultdict(list)
    columns = ("type", "occurred_at", "finished_at")
    for kind, sent, end in done.values_list(*columns)[:_NEWEST]:
        if end and end > sent:
            times[kind].append(end - sent)
    enough = {kind: taken for kind, taken in times.items() if len(taken) >= _FEWEST}
    return {kind: middle(taken) for kind, taken in enough.items()}


def _not_withdrawn(rows: QuerySet[Handoff]) -> QuerySet[Handoff]:
    """Leave out what was withdrawn, also where it was handed off again after that."""
    ended = HandoffStep.objects.alias(at=Coalesce("happened_at", "recorded_at")).filter(
        handoff=OuterRef("pk"),
        last_seq__isnull=True,
        verb="withdrawn",
        at=OuterRef("finished_at"),
    )
    return rows.exclude(last_verb="withdrawn").exclude(
        Q(last_verb=HANDED_OFF_AGAIN) & Exists(ended)
    )


def middle(times: Sequence[timedelta]) -> timedelta:
    """Return the median of some times."""
    return timedelta(seconds=median(time.total_seconds() for time in times))


def _figures(workspace: Workspace) -> Figures:
    alive = Handoff.objects.filter(
        workspace=workspace, last_seq__isnull=True, away=False
    )
    rows = [_Row(*r) for r in _not_withdrawn(alive).values_list(*_Row._fields)]
    done = [row for row in rows if row.state == DONE and row.finished_at]
    return Figures(
        lead_by_type=_spreads((r.type, r.occurred_at, r.finished_at) for r in done),
        lead_by_agent=_spreads(
            (r.recipient, r.occurred_at, r.finished_at) for r in done
        ),
        wait_by_type=_spreads((r.type, r.occurred_at, r.taken_at) for r in rows),
        sent_back=_shares(rows),
        done_by_day=_days(done, ZoneInfo(workspace.time_zone)),
    )


def _spreads(
    spans: Iterable[tuple[str, datetime, datetime | None]],
) -> tuple[Spread, ...]:
    times = defaultdict(list)
    for name, start, end in spans:
        if end is not None and end > start:
            times[name].append(end - start)
    return tuple(Spread(name, tuple(sorted(times[name]))) for name in sorted(times))


def _shares(rows: Iterable[_Row]) -> tuple[Share, ...]:
    all_of, back = Counter[str](), Counter[str]()
    for row in rows:
        all_of[row.type] += 1
        back[row.type] += row.times_sent_back > 0
    return tuple(Share(name, back[name], all_of[name]) for name in sorted(all_of))


def _days(done: Iterable[_Row], zone: ZoneInfo) -> tuple[tuple[date, int], ...]:
    days = Counter(
        row.finished_at.astimezone(zone).date() for row in done if row.finished_at
    )
    return tuple(sorted(days.items()))
