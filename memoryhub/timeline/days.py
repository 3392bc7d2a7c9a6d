"""Events as a page shows them: in words, by local day, each with one address."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from itertools import groupby

from django.utils.safestring import SafeString
from django.utils.translation import gettext

from memoryhub.addresses import Addresses
from memoryhub.identity import code_of
from memoryhub.moments import Clock, hour
from memoryhub.timeline.markup import event_rows
from memoryhub.timeline.queries import (
    Count,
    EventRow,
    Filter,
    Page,
    Place,
    count_between,
)
from memoryhub.timeline.shown import Fact, ShownEvent
from memoryhub.wording import ICONS, KINDS, event_detail, event_title, event_verb
from topics.models import Precision

#: Kinds with a colour of their own, and kinds whose icon shows how it ended.
_TINTED = {"snapshot", "decision"}
_TONED = {"handoff", "decision"}
_TITLE_LENGTH = 220


@dataclass(frozen=True, slots=True)
class Day:
    """The events of a local day, or of the part of it that is on this page."""

    code: str
    label: str
    near: str
    count: str
    number: int
    continued: bool
    rows: SafeString


def days_of(
    page: Page,
    wanted: Filter,
    before: Place | None,
    addresses: Addresses,
    clock: Clock,
) -> list[Day]:
    """Return a page's events by day.

    `before` is where the page began: its day goes on without a new count. Only the
    last day can go on after this page, so only that one is counted.
    """
    begun = clock.day(before.at) if before else None
    shower = _Shower(addresses, clock, wanted)
    days = []
    for day, group in groupby(page.events, lambda row: clock.day(row.occurred_at)):
        rows = tuple(shower.show(row) for row in group)
        last = page.older is not None and rows[-1].code == code_of(page.events[-1].id)
        count: Count | None = Count(len(rows))
        if day == begun:
            count = None
        elif last:
            count = _count_of(wanted, day, clock)
        days.append(
            Day(
                code=day.isoformat(),
                label=clock.day_label(day),
                near=clock.near(day),
                count=str(count or ""),
                number=count.number if count else 0,
                continued=day == begun,
                rows=event_rows(rows),
            )
        )
    return days


def _count_of(wanted: Filter, day: date, clock: Clock) -> Count | None:
    return count_between(wanted, *clock.bounds(day))


@dataclass(frozen=True, slots=True)
class _Words:
    """What all events of a kind and verb have in common, said once for a page."""

    kind: str
    icon: str
    style: str
    verb: Fact


class _Shower:
    """Shows events one after another; words are looked up once for all of them."""

    def __init__(self, addresses: Addresses, clock: Clock, wanted: Filter) -> None:
        self._addresses = addresses
        self._clock = clock
        self._beside_topic = wanted.topic_ids is not None
        self._words: dict[tuple[str, str], _Words] = {}
        self._hints = {
            Precision.DAY.value: gettext("The file says the day, not the time"),
            Precision.NONE.value: gettext(
                "The file does not say when; this is when it was read"
            ),
        }
        self._read = gettext("read %(time)s")

    def show(self, row: EventRow) -> ShownEvent:
        """Return an event in words."""
        data = row.data if isinstance(row.data, dict) else {}
        words = self._words_of(row.kind, row.verb)
        local = self._clock.local(row.occurred_at)
        title = event_title(row.kind, row.title, data)
        shortened = len(title) > _TITLE_LENGTH
        return ShownEvent(
            code=code_of(row.id),
            style=words.style,
            icon=words.icon,
            kind=words.kind,
            url=_address(row, self._addresses),
            title=f"{title[:_TITLE_LENGTH]}…" if shortened else title,
            detail=event_detail(row.kind, row.detail, data)[:400],
            facts=_facts(row, data, words.verb, beside_topic=self._beside_topic),
            iso=local.isoformat(timespec="seconds"),
            time=self._time(row.precision, hour(local)),
            hint=self._hints.get(row.precision, ""),
        )

    def _words_of(self, kind: str, verb: str) -> _Words:
        found = self._words.get((kind, verb))
        if found is None:
            word, tone = event_verb(kind, verb)
            found = self._words[kind, verb] = _Words(
                str(KINDS[kind][0]) if kind in KINDS else kind,
                ICONS.get(kind, "file"),
                _style(kind, tone),
                Fact(word, tone and f"st {tone}"),
            )
        return found

    def _time(self, precision: str, at: str) -> str:
        if precision == Precision.DAY:
            return "–"
        return self._read % {"time": at} if precision == Precision.NONE else at


def _style(kind: str, tone: str) -> str:
    if tone and kind in _TONED:
        return tone
    return kind if kind in _TINTED else ""


def _facts(
    row: EventRow, data: dict[str, object], verb: Fact, *, beside_topic: bool
) -> tuple[Fact, ...]:
    facts = [verb]
    if row.kind == "handoff":
        sender, recipient = data.get("from"), data.get("to")
        if sender or recipient:
            facts.append(Fact(f"{sender or '?'} → {recipient or '?'}"))
        facts.append(Fact(str(data.get("type") or "")))
    elif row.agent or row.actor:
        facts.append(Fact(row.agent or row.actor))
    if row.kind in {"snapshot", "handoff", "memory"}:
        facts.append(Fact(str(data.get("id") or ""), "mono"))
    if row.topic and not beside_topic and row.kind != "topic":
        facts.append(Fact(row.topic))
    if row.kind == "note" and row.path:
        facts.append(Fact(row.path.rpartition("/")[2], "mono"))
    return tuple(fact for fact in facts if fact.text)


def _address(row: EventRow, addresses: Addresses) -> str:
    """Return where the thing is that an event tells of."""
    if row.kind == "snapshot" and row.target_id is not None:
        return addresses.snapshot(code_of(row.target_id))
    if row.kind == "decision" and row.target_id is not None:
        return addresses.decision(code_of(row.target_id))
    if row.kind == "topic" and row.topic_slug:
        return addresses.topic(row.topic_slug)
    if row.kind == "import" and row.run_number is not None:
        return addresses.run(row.run_number)
    if row.path:
        newest = row.file_seq == row.seq
        return addresses.file(row.path, line=row.line, rev=None if newest else row.seq)
    return addresses.timeline
