"""A handoff as a card or a row: its words, times, and what one can do about it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol
from zoneinfo import ZoneInfo

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext

from memoryhub.formats.text.source import after_first_sentence, first_sentence
from memoryhub.handoffs.queries.board import Card
from memoryhub.handoffs.queries.resends import HANDED_OFF_AGAIN
from memoryhub.handoffs.rules.acting import (
    BLOCKED,
    DONE,
    FAILED,
    IN_PROGRESS,
    OPEN,
    begun_unsigned,
)
from memoryhub.journal.models import Workspace
from memoryhub.journal.precision import Precision
from memoryhub.web.handoffs.presenters.acts import ACTS
from memoryhub.web.kit.clock import Clock, span_label
from memoryhub.web.kit.links import Addresses
from memoryhub.web.kit.state_labels import HANDOFF_STATES

TYPE_ICONS = {"read_only": "eye", "write": "lock", "decision": "decision"}
TYPES: dict[str, Promise] = {
    "read_only": gettext_lazy("read only"),
    "write": gettext_lazy("write"),
    "decision": gettext_lazy("decision"),
    "unknown": gettext_lazy("unknown type"),
}
_TITLE, _WHY = 160, 200
#: Of two days in between, part of one makes no difference.
_DAYS = timedelta(days=2)


class Frame(Protocol):
    """What a card asks of its page: where things are, and what time it is."""

    @property
    def workspace(self) -> Workspace: ...

    @property
    def addresses(self) -> Addresses: ...

    @property
    def clock(self) -> Clock: ...


class ActLink(NamedTuple):
    """A way to the form of an act."""

    label: str
    url: str
    key: str = ""
    main: bool = False


@dataclass(frozen=True, slots=True)
class CardRow:
    """A handoff as a board shows it."""

    code: str
    url: str
    task_id: str
    title: str
    why: str
    why_kind: str
    sender: str
    recipient: str
    to_person: bool
    type: str
    icon: str
    state: str
    state_label: str
    note: str
    age: str
    iso: str
    moved: str
    sent: str
    sent_iso: str
    topic: str
    mine: bool
    overdue: bool
    compact: bool
    acts: tuple[ActLink, ...]
    change_url: str
    #: Its workspace, on a page that has several.
    home: str = ""
    home_url: str = ""


def card_row(card: Card, frame: Frame, places: dict[int, int]) -> CardRow:
    """Return a card in words; `places` say how many writes go before each one."""
    url = frame.addresses.handoff(card.code)
    at, age = _age(card, frame)
    state, label = HANDOFF_STATES[card.state]
    return CardRow(
        code=card.code,
        url=url,
        task_id=card.task_id or card.code,
        title=title_of(card.context, card.task_id or card.code),
        why=_why(card)[:_WHY],
        why_kind=card.state if card.state in {BLOCKED, FAILED} else "",
        sender=card.sender or "?",
        recipient=card.recipient or "?",
        to_person=card.to_person,
        type=str(TYPES[card.type]),
        icon=TYPE_ICONS.get(card.type, "help"),
        state=state,
        state_label=str(label),
        note=_note(card, places),
        age=age,
        iso=frame.clock.local(at).isoformat(timespec="seconds"),
        moved=frame.clock.age(card.last_at or card.sent_at),
        sent=_sent(card, frame),
        sent_iso=frame.clock.local(card.sent_at).isoformat(timespec="seconds"),
        topic=card.topic,
        mine=card.for_person,
        overdue=card.overdue,
        compact=card.state == DONE,
        acts=tuple(_acts(card, url)),
        change_url=f"{url}change/",
    )


def changed_label(n: int) -> str:
    """Return how many handoffs changed since a page was made; nothing for none."""
    if not n:
        return ""
    return ngettext("%(n)s handoff changed", "%(n)s handoffs changed", n) % {"n": n}


def title_of(context: str, other: str) -> str:
    """Return the first sentence of a handoff, or another name where it has none."""
    title = first_sentence(context) or other
    return title if len(title) <= _TITLE else f"{title[:_TITLE]}…"


def _age(card: Card, frame: Frame) -> tuple[datetime, str]:
    """Return since when a card is where it is, and for how long; done, it all took."""
    now = frame.clock.now
    if card.state == DONE:
        took = since_sent(card.lead, card.precision) if card.lead else ""
        return card.finished_at or card.sent_at, took
    if card.state == OPEN:
        waits = since_sent(now - card.sent_at, card.precision)
        return card.sent_at, waits or _sent(card, frame)
    since = card.last_at or card.sent_at
    return since, span_label(now - since)


def _sent(card: Card, frame: Frame) -> str:
    zone = frame.workspace.time_zone
    return sent_label(card.sent_at, card.precision, zone, frame.clock)


def sent_label(at: datetime, precision: str, zone: str, clock: Clock) -> str:
    """Return when a handoff was sent: the day in a zone, where files say no more."""
    if precision != Precision.DAY:
        return clock.moment(at)
    day = at.astimezone(ZoneInfo(zone)).date()
    return clock.near(day) or clock.day_label(day)


def since_sent(span: timedelta, precision: str) -> str:
    """Return how long after it was sent; nothing, where files do not say it.

    They may tell of a day alone, or of all at once, or have clocks that disagree.
    """
    known = span > _DAYS if precision == Precision.DAY else span > timedelta()
    return span_label(span) if known else ""


def _why(card: Card) -> str:
    """Return what one has to know about a card: why it is stuck, or what to decide."""
    if card.state in {BLOCKED, FAILED}:
        told = card.last_reason if card.last_verb == card.state else ""
        return told or first_sentence(card.result) or card.last_reason
    if card.state == OPEN and card.last_verb in {"sent back", "put back"}:
        return card.last_reason
    return after_first_sentence(card.context) if card.for_person else ""


def _note(card: Card, places: dict[int, int]) -> str:
    """Return what happened last, or where a write stands in the lane."""
    if begun_unsigned(card):
        return gettext("begun without a sign-off")
    back = {
        "withdrawn": gettext("withdrawn"),
        "sent back": gettext("sent back"),
        "put back": gettext("put back"),
        HANDED_OFF_AGAIN: gettext("handed off again"),
    }
    if note := back.get(card.last_verb, ""):
        return note
    if card.claimed_by and card.state == OPEN:
        return gettext("sign-off not confirmed")
    if card.type == "decision" and card.state == OPEN and card.signed_by:
        return gettext("signed off by %(name)s") % {"name": card.signed_by}
    return _note_of_write(card, places) if card.type == "write" else ""


def _note_of_write(card: Card, places: dict[int, int]) -> str:
    if card.state == IN_PROGRESS:
        return gettext("writing now")
    if card.state == OPEN and card.overridden:
        return gettext("out of turn")
    place = places.get(card.id, 0)
    return gettext("lane %(n)s") % {"n": place} if place else ""


def _acts(card: Card, url: str) -> list[ActLink]:
    """Return the one or two things that a card is about."""
    if card.to_sign:
        names = ["sign-off", "send-back"]
    elif card.for_person:
        names = ["report"]
    elif card.state == FAILED and card.last_verb != HANDED_OFF_AGAIN:
        names = ["again"]
    elif card.state == BLOCKED:
        names = ["put-back"]
    else:
        names = []
    return [
        ActLink(str(ACTS[name].label), f"{url}{name}/", ACTS[name].key, at == 0)
        for at, name in enumerate(names)
    ]
