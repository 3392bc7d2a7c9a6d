"""Board and list of handoffs by state, with facets, figures and tasks free to take."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from statistics import median
from typing import Any, NamedTuple

from django.db.models import (
    BooleanField,
    Case,
    Count,
    ExpressionWrapper,
    Func,
    IntegerField,
    Q,
    QuerySet,
    When,
)
from django.db.models.expressions import OrderBy

from memoryhub.handoffs.models import (
    IN_TURN,
    MOVED,
    NEWEST_FIRST,
    NOT_LISTED,
    UNDATED,
    UNDATED_LAST,
    Handoff,
)
from memoryhub.handoffs.queries.agents import pools_of
from memoryhub.handoffs.queries.sides import (
    called,
    handoffs_of,
    has_moved_since,
    is_called,
    is_of_agent,
    is_of_topic,
    is_part_of,
    of_sides,
    seen_from,
)
from memoryhub.handoffs.rules.acting import (
    DONE,
    IN_PROGRESS,
    OPEN,
    RETURNED,
    REVIEW,
    TAKEN_FROM,
    UNFINISHED,
    WITHDRAWN,
    Lane,
    NotAllowed,
    hindrance,
    lane_of,
)
from memoryhub.handoffs.rules.fields import PERSON
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached, cached_by_handoffs
from memoryhub.values.cursors import TimeKey
from topics.queries.decisions import older_than
from topics.queries.topics import topic_ids_named

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

    template = "%(expressions)s / 1000000"
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


#: The columns of the board, from left to right; the last ones only where filled.
COLUMNS = tuple(Handoff.State.values)
_IF_FILLED = frozenset({RETURNED, REVIEW, WITHDRAWN})
#: Cards per column of a page.
LIMIT = 50
NEWEST, OLDEST = "newest", "oldest"
#: The orders of a list, by name.
ORDERS: Mapping[str, tuple[str | Func | Case | OrderBy, ...]] = {
    NEWEST: NEWEST_FIRST,
    OLDEST: (UNDATED_LAST, *IN_TURN),
    "moved": (UNDATED_LAST, *MOVED),
    "from": ("sender", *NEWEST_FIRST),
    "to": ("recipient", *NEWEST_FIRST),
    "type": ("type", *NEWEST_FIRST),
    "state": ("state", *NEWEST_FIRST),
}


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters of handoffs; an empty value does not filter.

    `for_person`: a person has to act. `overdue`: past their time. `agent`: sender or
    recipient, as in every list of handoffs. `since`: sent or moved since then.
    `topic_ids`: topics of one name, see `wanted_handoffs`. `without_file`: path whose
    handoffs are left out, in any case. `parent`: the task that they are part of.
    """

    type: str = ""
    state: str = ""
    agent: str = ""
    sender: str = ""
    recipient: str = ""
    since: datetime | None = None
    text: str = ""
    topic_ids: tuple[int, ...] | None = None
    for_person: bool = False
    overdue: bool = False
    ids: tuple[int, ...] = ()
    without_file: str = ""
    parent: str = ""


def wanted_handoffs(
    workspace: Workspace, *, topic: str = "", **filters: Any
) -> Filters:
    """Return the filters with a topic by its name in URLs, which several may share."""
    if not topic:
        return Filters(**filters)
    return Filters(topic_ids=topic_ids_named(workspace, topic), **filters)


@dataclass(frozen=True, slots=True)
class Column:
    """A state's column: total count and cards, those that wait for a person first."""

    state: str
    count: int
    cards: tuple[Handoff, ...]

    @property
    def left_out(self) -> int:
        return self.count - len(self.cards)


class Page(NamedTuple):
    """A page of the list, and the cursor of the next page."""

    cards: tuple[Handoff, ...]
    next: TimeKey | None


def board(
    workspaces: Sequence[Workspace],
    filters: Filters,
    now: datetime,
    *,
    limits: Mapping[str, int] | None = None,
    counts: Mapping[str, int] | None = None,
) -> tuple[Column, ...]:
    """Return the columns, in one query per non-empty column and one for cards.

    A handoff between two of the workspaces is shown once, where the work is done.
    A board of one workspace has its agents' names for those it sent elsewhere.
    `limits`: cards per state, default `LIMIT`; `counts`: rows per state if already
    known.
    """
    leads = median_leads(workspaces)
    rows = found(workspaces, filters, leads, now)
    if counts is None:
        # Of the state, so that an index has all that is read.
        counted = rows.order_by().values_list("state").annotate(n=Count("state"))
        counts = dict(counted)
    shown: dict[str, list[int]] = {}
    for state in filter(counts.get, COLUMNS):
        ids = _in_order(rows.filter(state=state), state).values_list("pk", flat=True)
        shown[state] = list(ids[: (limits or {}).get(state, LIMIT)])
    cards = _cards([pk for ids in shown.values() for pk in ids], workspaces, leads, now)
    return tuple(
        Column(
            state,
            counts.get(state, 0),
            tuple(cards[pk] for pk in shown.get(state, ()) if pk in cards),
        )
        for state in COLUMNS
        if counts.get(state) or state not in _IF_FILLED
    )


def listing(
    workspaces: Sequence[Workspace],
    filters: Filters,
    now: datetime,
    *,
    after: TimeKey | None = None,
    limit: int = LIMIT,
    order: str = NEWEST,
) -> Page:
    """Return a page of handoffs; `after` is the cursor, the default order newest first.

    Only the newest-first order has further pages.
    """
    leads = median_leads(workspaces)
    rows = newest_first(found(workspaces, filters, leads, now), after)
    rows = rows.order_by(*ORDERS[order])
    # Ids first: whole rows are slow to sort.
    ids = list(rows.values_list("pk", flat=True)[: limit + 1])
    cards = _cards(ids, workspaces, leads, now)
    shown = tuple(cards[pk] for pk in ids[:limit] if pk in cards)
    more = len(ids) > limit and order == NEWEST and shown
    return Page(shown, (shown[-1].sent_at, shown[-1].id) if more else None)


def newest_first(rows: QuerySet[Handoff], before: TimeKey | None) -> QuerySet[Handoff]:
    """Order handoffs newest first, those without a time last; begin after a cursor."""
    rows = rows.order_by(*NEWEST_FIRST)
    if before is None:
        return rows
    if Handoff.objects.filter(UNDATED, pk=before[1]).exists():
        return rows.filter(UNDATED, older_than(before))
    return rows.filter(UNDATED | older_than(before))


def _cards(
    ids: Sequence[int],
    workspaces: Sequence[Workspace],
    leads: Mapping[str, timedelta],
    now: datetime,
) -> dict[int, Handoff]:
    """Return handoffs with the columns and relations of cards, by id."""
    rows = cards_of(Handoff.objects.filter(pk__in=ids), leads, now)
    return {card.id: card for card in seen_from(workspaces, rows)}


def found(
    workspaces: Sequence[Workspace],
    filters: Filters,
    leads: Mapping[str, timedelta],
    now: datetime,
) -> QuerySet[Handoff]:
    """Return the filtered handoffs, unordered; `leads` are the usual times per type."""
    rows = of_sides(Handoff.objects.filter(last_seq__isnull=True), workspaces)
    return narrowed(rows, filters, workspaces, now, leads)


def narrowed(
    rows: QuerySet[Handoff],
    filters: Filters,
    workspaces: Sequence[Workspace],
    now: datetime,
    leads: Mapping[str, timedelta],
) -> QuerySet[Handoff]:
    """Apply filters to handoffs; names are those of the first workspace."""
    asked = {"type": filters.type, "state": filters.state}
    rows = rows.filter(**{name: value for name, value in asked.items() if value})
    if workspaces:
        rows = rows.filter(_named(workspaces[0], filters))
    if filters.ids:
        rows = rows.filter(pk__in=filters.ids)
    if filters.without_file:
        rows = rows.exclude(file__path__iexact=filters.without_file)
    if filters.text:
        rows = rows.filter(_says(filters.text))
    if filters.overdue:
        rows = rows.filter(is_overdue(leads, now))
    return rows.filter(acts=PERSON) if filters.for_person else rows


def _named(workspace: Workspace, filters: Filters) -> Q:
    """Return the filters with names and times of one workspace."""
    named = Q()
    if filters.sender:
        named &= is_called("sender", filters.sender, workspace)
    if filters.recipient:
        named &= is_for(filters.recipient, workspace)
    if filters.agent:
        named &= is_of_agent(filters.agent, workspace)
    if filters.parent:
        named &= is_part_of(filters.parent, workspace)
    if filters.topic_ids is not None:
        named &= is_of_topic(workspace, filters.topic_ids)
    if filters.since is not None:
        named &= has_moved_since(workspace, filters.since)
    return named


def is_for(name: str, workspace: Workspace) -> Q:
    """Return the condition for handoffs for an agent, also those of its pools.

    Of what others have taken it is in no pool any more.
    """
    own = is_called("recipient", name, workspace)
    if not (pools := pools_of(workspace, name)):
        return own
    free = ~Q(state=IN_PROGRESS) | Q(taken_by=name)
    return own | (Q(workspace=workspace, recipient__in=pools) & free)


def _says(text: str) -> Q:
    said = Q(task_id__icontains=text)
    for name in ("context", "input", "result", "last_reason"):
        said |= Q(**{f"{name}__icontains": text})
    return said


def is_overdue(leads: Mapping[str, timedelta], now: datetime) -> Q:
    """Return the condition for overdue handoffs, to the minute of `now`.

    Without a due time: open for longer than the median lead time of its type.
    """
    now = now.replace(second=0, microsecond=0)
    late = Q(due_at__lt=now)
    for kind, usual in leads.items():
        late |= Q(due_at__isnull=True, type=kind, occurred_at__lt=now - usual)
    return Q(state__in=UNFINISHED, last_seq__isnull=True) & late


def _in_order(rows: QuerySet[Handoff], state: str) -> QuerySet[Handoff]:
    """Order a column: unfinished ones oldest first, others by newest move first."""
    if state == OPEN:
        yours = Case(When(acts=PERSON, then=0), default=1)
        return rows.order_by(yours, *IN_TURN)
    return rows.order_by(*(IN_TURN if state in UNFINISHED else MOVED))


def cards_of(
    rows: QuerySet[Handoff], leads: Mapping[str, timedelta], now: datetime
) -> QuerySet[Handoff]:
    """Prepare handoffs for lists: annotated with `overdue`, long texts deferred."""
    rows = with_overdue(rows, leads, now)
    return rows.select_related("topic").defer(*NOT_LISTED)


def with_overdue(
    rows: QuerySet[Handoff], leads: Mapping[str, timedelta], now: datetime
) -> QuerySet[Handoff]:
    """Annotate handoffs with `overdue`."""
    late = ExpressionWrapper(is_overdue(leads, now), BooleanField())
    return rows.annotate(late=late)


#: Rows fetched at a time.
_CHUNK = 500


def ready(
    workspace: Workspace,
    filters: Filters,
    lane: Lane,
    now: datetime,
    *,
    limit: int,
) -> tuple[Handoff, ...]:
    """Return handoffs that can be taken now, the oldest first.

    `lane`: the workspace's write lane. Work done in another workspace is ready there.
    """
    leads = median_leads([workspace])
    rows = found([workspace], filters, leads, now)
    rows = rows.filter(workspace=workspace, twin="", state__in=TAKEN_FROM)
    cards = cards_of(rows.order_by(*IN_TURN), leads, now).iterator(_CHUNK)
    return tuple(islice((card for card in cards if not held_up(card, lane)), limit))


def held_up(row: Handoff, lane: Lane) -> NotAllowed | None:
    """Return why the recipient cannot take a handoff now; None if it can."""
    if row.in_lane and all(write.id != row.id for write in lane.order):
        lane = replace(
            lane_of([*lane.order, row]), shared=lane.shared, states=lane.states
        )
    return hindrance(row, lane, row.id)


#: Most names per choice on a page.
_MOST = 200


@dataclass(frozen=True, slots=True)
class Counts:
    """Number of handoffs per filter value, the other filters applied."""

    types: Mapping[str, int]
    states: Mapping[str, int]
    for_person: int
    overdue: int


@dataclass(frozen=True, slots=True)
class Names:
    """Agents, and topics as (slug, name), that occur in handoffs."""

    agents: tuple[str, ...]
    topics: tuple[tuple[str, str], ...]


def counts(workspace: Workspace, filters: Filters, now: datetime) -> Counts:
    """Return the counts of filters and of columns, in two queries."""
    leads = median_leads([workspace])
    late = is_overdue(leads, now)
    # The condition on the state allows an index and skips finished rows.
    yours = Q(state__in=UNFINISHED) & Q(acts=PERSON)
    if_yours = yours if filters.for_person else Q()
    if_late = late if filters.overdue else Q()
    fewer = replace(filters, type="", for_person=False, overdue=False)
    rows = found([workspace], fewer, leads, now).order_by().values("type", "state")
    counted = rows.annotate(
        all=Count("state", filter=if_yours & if_late or None),
        yours=Count("state", filter=yours & if_late),
        late=Count("state", filter=late & if_yours),
    ).values_list("type", "state", "all", "yours", "late")
    types, states, others = Counter[str](), Counter[str](), Counter[str]()
    for kind, state, all_of, for_person, overdue in counted:
        types[kind] += all_of
        if filters.type in {"", kind}:
            states[state] += all_of
            others.update(for_person=for_person, overdue=overdue)
    return Counts(types, states, others["for_person"], others["overdue"])


def names(workspace: Workspace) -> Names:
    """Return the agents and topics of handoffs; cached until the journal grows."""
    return cached(workspace, "handoff names", lambda: _names(workspace))


def _names(workspace: Workspace) -> Names:
    columns = ("workspace__slug", "sender", "recipient", "topic__slug", "topic__name")
    rows = list(handoffs_of(workspace).order_by().values_list(*columns).distinct())
    here = workspace.slug
    agents = {
        name if home == here else called(name, home, here)
        for home, sender, recipient, *_ in rows
        for name in (sender, recipient)
        if name
    }
    topics = {slug: name for home, _, _, slug, name in rows if slug and home == here}
    return Names(
        tuple(sorted(agents)[:_MOST]),
        tuple(sorted(topics.items(), key=lambda topic: topic[1])[:_MOST]),
    )
