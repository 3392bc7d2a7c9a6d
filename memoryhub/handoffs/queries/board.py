"""The board of handoffs, and the list: what is open, taken, stuck and done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Case, Count, Q, QuerySet, When
from django.db.models.functions import Lower, Trim
from django.db.models.lookups import In

from memoryhub.handoffs.models import IN_TURN, MOVED, Handoff
from memoryhub.handoffs.queries.figures import median_leads
from memoryhub.handoffs.rules.acting import (
    DECISION,
    OPEN,
    UNFINISHED,
    moved_of,
    standing,
    to_sign,
    turn_of,
)
from memoryhub.journal.models import Workspace
from memoryhub.journal.ownership import PEOPLE, is_person
from memoryhub.values.identity import code_of

#: The columns of the board, from left to right.
COLUMNS = tuple(Handoff.State.values)
#: Cards of a column that a page shows.
LIMIT = 50
_EXCERPT = 300
#: Rows that are read at a time.
_CHUNK = 500
NEWEST, OLDEST = "newest", "oldest"
#: The orders of a list, by name.
ORDERS = {
    NEWEST: ("-occurred_at", "-id"),
    OLDEST: IN_TURN,
    "moved": MOVED,
    "from": ("sender", "-occurred_at", "-id"),
    "to": ("recipient", "-occurred_at", "-id"),
    "type": ("type", "-occurred_at", "-id"),
    "state": ("state", "-occurred_at", "-id"),
}

_FIELDS = (
    "id", "workspace_id", "task_id", "sender", "recipient", "type", "state", "context",
    "occurred_at", "precision", "moves", "last_verb", "last_actor", "last_reason",
    "last_at", "signed_by", "signed_at", "claimed_by", "taken_by", "taken_at",
    "finished_at", "due_at", "times_sent_back", "overridden", "twin", "away",
    "first_seq", "position", "result", "topic__name", "topic__slug",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Filters:
    """Which handoffs are asked for; what is empty is not asked.

    `for_person` asks for those in which a person has to act, `overdue` for those past
    their time. `agent` has sent it or is to do it, `recipient` is to do it; `topic` is
    the slug of one. Those that stand in `without_file`, in any case, are left out.
    """

    type: str = ""
    state: str = ""
    agent: str = ""
    recipient: str = ""
    text: str = ""
    topic: str = ""
    for_person: bool = False
    overdue: bool = False
    ids: tuple[int, ...] = ()
    without_file: str = ""


class Card(NamedTuple):
    """A handoff as a board or a list shows it."""

    id: int
    workspace_id: int
    task_id: str
    sender: str
    recipient: str
    type: str
    state: str
    context: str
    sent_at: datetime
    precision: str
    moves: int
    last_verb: str
    last_actor: str
    last_reason: str
    last_at: datetime | None
    signed_by: str
    signed_at: datetime | None
    claimed_by: str
    taken_by: str
    taken_at: datetime | None
    finished_at: datetime | None
    due_at: datetime | None
    times_sent_back: int
    overridden: bool
    twin: str
    away: bool
    first_seq: int
    position: int
    result: str
    topic: str
    topic_slug: str
    overdue: bool

    @property
    def code(self) -> str:
        return code_of(self.id)

    @property
    def standing(self) -> str:
        """Where it stands: what a change of it is made from."""
        return standing(self.moves, self.last_verb, self.last_actor)

    @property
    def to_person(self) -> bool:
        return is_person(self.recipient)

    @property
    def to_sign(self) -> bool:
        """Whether it is a decision that a person has still to answer."""
        return to_sign(self)

    @property
    def for_person(self) -> bool:
        """Whether a person is who has to act."""
        return self.to_sign or (self.to_person and self.state in UNFINISHED)

    @property
    def lead(self) -> timedelta | None:
        """How long it took from sending to its end."""
        return self.finished_at - self.sent_at if self.finished_at else None


@dataclass(frozen=True, slots=True)
class Column:
    """One state's cards, those that wait for a person first, and how many there are."""

    state: str
    count: int
    cards: tuple[Card, ...]

    @property
    def left_out(self) -> int:
        return self.count - len(self.cards)


class Page(NamedTuple):
    """Handoffs of a list, the newest first, and where the next page begins."""

    cards: tuple[Card, ...]
    next: tuple[datetime, int] | None


def board(
    workspaces: Sequence[Workspace],
    filters: Filters,
    now: datetime,
    *,
    limits: Mapping[str, int] | None = None,
    counts: Mapping[str, int] | None = None,
) -> tuple[Column, ...]:
    """Return the five columns, in three queries; two, where counts are known.

    Of several workspaces a handoff between two of them is shown once, where the work
    is done. `limits` says how many cards a state shows, if not `LIMIT`; `counts` how
    many it has, where that is known.
    """
    leads = median_leads(workspaces)
    rows = found(workspaces, filters, leads, now)
    if counts is None:
        counted = rows.order_by().values_list("state").annotate(Count("id"))
        counts = dict(counted.values_list("state", "id__count"))
    first = Q(pk=None)
    for state in counts:
        most = (limits or {}).get(state, LIMIT)
        first |= Q(pk__in=_in_order(rows, state).values("pk")[:most])
    cards = tuple(cards_of(Handoff.objects.filter(first), leads, now) if counts else ())
    return tuple(
        Column(state, counts.get(state, 0), _sorted(cards, state)) for state in COLUMNS
    )


def listing(
    workspaces: Sequence[Workspace],
    filters: Filters,
    now: datetime,
    *,
    after: tuple[datetime, int] | None = None,
    limit: int = LIMIT,
    order: str = NEWEST,
) -> Page:
    """Return a page of handoffs; `after` is the end of the last one, newest first.

    In another of the `ORDERS` there is one page alone.
    """
    leads = median_leads(workspaces)
    rows = found(workspaces, filters, leads, now).order_by(*ORDERS[order])
    if after is not None:
        at, row_id = after
        rows = rows.filter(Q(occurred_at__lt=at) | Q(occurred_at=at, id__lt=row_id))
    cards = tuple(cards_of(rows[: limit + 1], leads, now))
    shown = cards[:limit]
    more = len(cards) > limit and order == NEWEST
    return Page(shown, (shown[-1].sent_at, shown[-1].id) if more else None)


def found(
    workspaces: Sequence[Workspace],
    filters: Filters,
    leads: Mapping[str, timedelta],
    now: datetime,
) -> QuerySet[Handoff]:
    """Return what is asked for, in no order; `leads` say what is overdue."""
    rows = Handoff.objects.filter(workspace__in=workspaces, last_seq__isnull=True)
    if len(workspaces) > 1:
        rows = rows.filter(away=False)
    return narrowed(rows, filters, leads, now)


def narrowed(
    rows: QuerySet[Handoff],
    filters: Filters,
    leads: Mapping[str, timedelta],
    now: datetime,
) -> QuerySet[Handoff]:
    """Return those of some handoffs that are asked for."""
    asked = {"type": filters.type, "state": filters.state}
    asked |= {"recipient": filters.recipient, "topic__slug": filters.topic}
    rows = rows.filter(**{name: value for name, value in asked.items() if value})
    if filters.ids:
        rows = rows.filter(pk__in=filters.ids)
    if filters.without_file:
        rows = rows.exclude(file__path__iexact=filters.without_file)
    if filters.agent:
        rows = rows.filter(Q(sender=filters.agent) | Q(recipient=filters.agent))
    if filters.text:
        rows = rows.filter(_says(filters.text))
    if filters.overdue:
        rows = rows.filter(is_late(leads, now))
    return rows.filter(waits_for_person()) if filters.for_person else rows


def _says(text: str) -> Q:
    said = Q(task_id__icontains=text)
    for name in ("context", "input", "result", "last_reason"):
        said |= Q(**{f"{name}__icontains": text})
    return said


def waits_for_person() -> Q:
    """Return the condition on handoffs in which a person has to act."""
    to_sign = Q(type=DECISION, signed_by="") & ~Q(last_verb="sent back")
    to_person = Q(In(Lower(Trim("recipient")), tuple(PEOPLE)))
    return Q(state__in=UNFINISHED) & (to_sign | to_person)


def is_late(leads: Mapping[str, timedelta], now: datetime) -> Q:
    """Return the condition on handoffs that are past their time."""
    late = Q(due_at__lt=now)
    for kind, usual in leads.items():
        late |= Q(due_at__isnull=True, type=kind, occurred_at__lt=now - usual)
    return Q(state__in=UNFINISHED) & late


def _in_order(rows: QuerySet[Handoff], state: str) -> QuerySet[Handoff]:
    """Return a column: unfinished ones from the oldest on, others from the newest."""
    rows = rows.filter(state=state)
    if state == OPEN:
        yours = Case(When(waits_for_person(), then=0), default=1)
        return rows.order_by(yours, *IN_TURN)
    if state in UNFINISHED:
        return rows.order_by(*IN_TURN)
    return rows.order_by(*MOVED)


def _sorted(cards: Iterable[Card], state: str) -> tuple[Card, ...]:
    """Return the cards of a column in the order of `_in_order`."""
    own = [card for card in cards if card.state == state]
    if state not in UNFINISHED:
        return tuple(sorted(own, key=moved_of, reverse=True))
    own.sort(key=turn_of)
    if state == OPEN:
        own.sort(key=lambda card: not card.for_person)
    return tuple(own)


def cards_of(
    rows: QuerySet[Handoff], leads: Mapping[str, timedelta], now: datetime
) -> Iterator[Card]:
    """Give a card of each row, read some at a time; `leads` say what is overdue."""
    for row in rows.values_list(*_FIELDS).iterator(_CHUNK):
        yield _card(row, leads, now)


def _card(row: Sequence[Any], leads: Mapping[str, timedelta], now: datetime) -> Card:
    *said, result, topic, slug = row
    card = Card._make([*said, result[:_EXCERPT], topic or "", slug or "", False])
    return card._replace(overdue=_is_overdue(card, leads, now))


def _is_overdue(card: Card, leads: Mapping[str, timedelta], now: datetime) -> bool:
    """Tell whether it is past its time, or waits longer than its type mostly takes."""
    if card.state not in UNFINISHED:
        return False
    if card.due_at:
        return now > card.due_at
    usual = leads.get(card.type)
    return usual is not None and now - card.sent_at > usual
