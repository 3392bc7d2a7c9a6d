"""A handoff as a card or row: text, times, acts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from memoryhub.formats.text.source import after_first_sentence, first_sentence
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.resends import HANDED_OFF_AGAIN
from memoryhub.handoffs.rules.acting import (
    BLOCKED,
    DECISION,
    DONE,
    FAILED,
    IN_PROGRESS,
    OPEN,
    REOPENED,
    RETURNED,
    REVIEW,
    REVISED,
    SENT_BACK,
    TAKEN_FROM,
    WITHDRAWN,
    begun_unsigned,
)
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.models import Workspace
from memoryhub.journal.ownership import is_person
from memoryhub.web.handoffs.acts import ACTS, ActLink
from memoryhub.web.kit.clock import Clock, span_label
from memoryhub.web.kit.labels import listed
from memoryhub.web.kit.links import Addresses, addresses_of, with_query
from memoryhub.web.kit.state_labels import HANDOFF_STATES, HANDOFF_TYPES
from memoryhub.web.rights import opens

TYPE_ICONS = {"read_only": "eye", "write": "lock", "decision": "decision"}
PRIORITIES: dict[str, Promise] = {
    "high": gettext_lazy("high"),
    "low": gettext_lazy("low"),
}
_TITLE, _WHY = 160, 200
#: Tones of the reason on a card, by state.
_WHY_KINDS = {BLOCKED: "blocked", RETURNED: "blocked", FAILED: "failed"}
#: Above this span a day's imprecision does not matter.
_DAYS = timedelta(days=2)


class Frame(Protocol):
    """Context of a card: workspace, addresses, clock."""

    @property
    def workspace(self) -> Workspace: ...

    @property
    def addresses(self) -> Addresses: ...

    @property
    def clock(self) -> Clock: ...


class Stands(NamedTuple):
    """Where a handoff stands among others.

    `place`: of its write in the lane. `unmet`: what it comes after and is not done.
    `silent`: its holder let the lease end.
    """

    place: int = 0
    unmet: tuple[str, ...] = ()
    silent: bool = False


ALONE = Stands()


@dataclass(frozen=True, slots=True)
class CardRow:
    """A handoff as a card of a board: its row and the words for it.

    Cards are equal if they look alike: `shown` has the row's columns. `home` is the
    workspace, on a page with several.
    """

    handoff: Handoff = field(compare=False)
    shown: tuple[object, ...]
    url: str
    why: str
    note: str
    age: str
    iso: str
    moved: str
    sent: str
    sent_iso: str
    acts: tuple[ActLink, ...]
    home: str
    home_url: str

    @property
    def title(self) -> str:
        return title_of(self.handoff)

    @property
    def why_kind(self) -> str:
        return _WHY_KINDS.get(self.handoff.state, "")

    @property
    def to_person(self) -> bool:
        return is_person(self.handoff.recipient)

    @property
    def type(self) -> str:
        return str(HANDOFF_TYPES[self.handoff.type])

    @property
    def icon(self) -> str:
        return TYPE_ICONS.get(self.handoff.type, "help")

    @property
    def state(self) -> str:
        return HANDOFF_STATES[self.handoff.state][0]

    @property
    def state_label(self) -> str:
        return str(HANDOFF_STATES[self.handoff.state][1])

    @property
    def compact(self) -> bool:
        return self.handoff.state in {DONE, WITHDRAWN}


def card_row(
    handoff: Handoff,
    frame: Frame,
    stands: Stands = ALONE,
    *,
    home: tuple[str, str] = ("", ""),
    back: str = "",
) -> CardRow:
    """Return the card of a handoff.

    `home` is the name and address of its workspace, by default of another one that does
    the work, `back` the address its forms return to.
    """
    url = frame.addresses.handoff(handoff.code)
    if handoff.viewer and not home[0]:
        there = addresses_of(handoff.workspace.slug)
        home = (handoff.workspace.name, there.handoff(handoff.code))
    at, age = _age(handoff, frame)
    columns = (value for name, value in vars(handoff).items() if name != "_state")
    return CardRow(
        handoff=handoff,
        shown=(*columns, handoff.topic.name if handoff.topic else ""),
        url=url,
        why=_why(handoff)[:_WHY],
        note=_note(handoff, stands),
        age=age,
        iso=frame.clock.local(at).isoformat(timespec="seconds"),
        moved="" if handoff.is_untimed else frame.clock.age(handoff.since),
        sent=_sent(handoff, frame),
        sent_iso=frame.clock.local(handoff.sent_at).isoformat(timespec="seconds"),
        acts=tuple(act for act in _acts(handoff, url, back) if opens(act.url)),
        home=home[0],
        home_url=home[1],
    )


def title_of(handoff: Handoff) -> str:
    """Return a handoff's title, its first sentence or else its name; cut."""
    title = handoff.title
    return title if len(title) <= _TITLE else f"{title[:_TITLE]}…"


def _age(card: Handoff, frame: Frame) -> tuple[datetime, str]:
    """Return the time of a card and its age in words.

    Done: when it ended and its lead time. Open: when it was sent. Else: its last step.
    """
    now = frame.clock.now
    if card.state == DONE:
        took = since_sent(card.lead, card.precision) if card.lead else ""
        return card.finished_at or card.sent_at, took
    if card.state == OPEN:
        waits = since_sent(now - card.sent_at, card.precision)
        return card.sent_at, waits or _sent(card, frame)
    since = card.last_at or card.sent_at
    return since, span_label(now - since)


def _sent(card: Handoff, frame: Frame) -> str:
    zone = frame.workspace.time_zone
    return frame.clock.stated(card.sent_at, card.precision, zone)


def since_sent(span: timedelta, precision: str) -> str:
    """Return the time since sending in words; empty if the files' times do not give it.

    They may name only a day, or give all steps the same time, or come from clocks that
    disagree.
    """
    if precision == Precision.NONE:
        return ""
    known = span > _DAYS if precision == Precision.DAY else span > timedelta()
    return span_label(span) if known else ""


def _why(card: Handoff) -> str:
    """Return why a card is blocked, failed or returned, or a person's question."""
    if card.state in {BLOCKED, FAILED}:
        reason = card.last_verb == card.state and card.last_reason
        return reason or first_sentence(card.result) or card.last_reason
    if card.state == RETURNED:
        return card.last_reason
    if card.state == REVIEW:
        return first_sentence(card.result)
    if card.state == OPEN and card.last_verb in {SENT_BACK, "put back", REOPENED}:
        return card.last_reason
    return after_first_sentence(card.context) if card.for_person else ""


def _note(card: Handoff, stands: Stands) -> str:
    """Return the note of a card: its last event, or the write's place in the lane."""
    if stands.silent or begun_unsigned(card):
        silent = gettext("assignee not responding")
        return silent if stands.silent else gettext("begun without a sign-off")
    back = {
        SENT_BACK: gettext("sent back"),
        REVISED: gettext("changed and sent again"),
        REOPENED: gettext("opened again"),
        "put back": gettext("put back"),
        HANDED_OFF_AGAIN: gettext("handed off again"),
    }
    if note := back.get(card.last_verb, ""):
        return note
    if card.claimed_by and card.state == OPEN:
        return gettext("sign-off not confirmed")
    if card.type == DECISION and card.state == OPEN and card.signed_by:
        return gettext("signed off by %(name)s") % {"name": card.signed_by}
    return _waiting_note(card, stands)


def _waiting_note(card: Handoff, stands: Stands) -> str:
    if stands.unmet and card.state in TAKEN_FROM:
        return gettext("after %(ids)s") % {"ids": listed(stands.unmet)}
    return note_of_write(card, stands.place) if card.in_lane else ""


def note_of_write(card: Handoff, place: int) -> str:
    """Return a write's state in the lane: writing, out of turn, or its place."""
    if card.state == IN_PROGRESS:
        return gettext("writing now")
    if card.state == OPEN and card.overridden:
        return gettext("out of turn")
    return gettext("lane %(n)s") % {"n": place} if place else ""


def _acts(card: Handoff, url: str, back: str) -> Iterator[ActLink]:
    """Yield links to the one or two main acts of a card."""
    names: tuple[str, ...] = ()
    if card.to_sign:
        names = ("sign-off", "send-back")
    elif card.for_person and card.state == REVIEW:
        names = ("accept", "reopen")
    elif card.for_person and card.state == RETURNED:
        names = ("revise", "withdraw")
    elif card.for_person:
        names = ("report",)
    elif card.state == FAILED and card.last_verb != HANDED_OFF_AGAIN:
        names = ("again",)
    elif card.state == BLOCKED:
        names = ("put-back",)
    for at, name in enumerate(names):
        address = with_query(f"{url}{name}/", next=back)
        yield ActLink(str(ACTS[name].label), address, ACTS[name].key, at == 0)
