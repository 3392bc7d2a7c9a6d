"""Events as a page shows them: in words, by local day, each with one address."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby

from django.utils.translation import gettext

from memoryhub.addresses import Addresses
from memoryhub.identity import code_of
from memoryhub.moments import Clock, hour
from memoryhub.timeline.queries import (
    Count,
    EventRow,
    Filter,
    Page,
    Place,
    count_between,
)
from memoryhub.wording import ICONS, KINDS, event_detail, event_title, event_verb
from topics.models import Precision

#: Kinds with a colour of their own, and kinds whose icon shows how it ended.
_TINTED = {"snapshot", "decision"}
_TONED = {"handoff", "decision"}
_TITLE_LENGTH = 220


@dataclass(frozen=True, slots=True)
class Fact:
    """A few words about an event, with the class they are shown in."""

    text: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class ShownEvent:
    """One row of the timeline."""

    code: str
    style: str
    icon: str
    kind: str
    url: str
    title: str
    detail: str
    facts: tuple[Fact, ...]
    iso: str
    time: str
    hint: str


@dataclass(frozen=True, slots=True)
class Day:
    """The events of a local day, or of the part of it that is on this page."""

    code: str
    label: str
    near: str
    count: str
    number: int
    continued: bool
    events: tuple[ShownEvent, ...]


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
    days = []
    for day, group in groupby(page.events, lambda row: clock.day(row.occurred_at)):
        rows = tuple(_shown(row, addresses, clock, wanted) for row in group)
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
                events=rows,
            )
        )
    return days


def _count_of(wanted: Filter, day: date, clock: Clock) -> Count | None:
    start, end = clock.start_of(day), clock.start_of(day + timedelta(days=1))
    return count_between(wanted, start, end)


def _shown(
    row: EventRow, addresses: Addresses, clock: Clock, wanted: Filter
) -> ShownEvent:
    data = row.data if isinstance(row.data, dict) else {}
    verb, tone = event_verb(row.kind, row.verb)
    local = clock.local(row.occurred_at)
    label, hint = _time(row.precision, hour(local))
    title = event_title(row.kind, row.title, data)
    shortened = len(title) > _TITLE_LENGTH
    return ShownEvent(
        code=code_of(row.id),
        style=_style(row.kind, tone),
        icon=ICONS.get(row.kind, "file"),
        kind=str(KINDS[row.kind][0]) if row.kind in KINDS else row.kind,
        url=_address(row, addresses),
        title=f"{title[:_TITLE_LENGTH]}…" if shortened else title,
        detail=event_detail(row.kind, row.detail, data)[:400],
        facts=_facts(row, data, Fact(verb, tone and f"st {tone}"), wanted),
        iso=local.isoformat(timespec="seconds"),
        time=label,
        hint=hint,
    )


def _style(kind: str, tone: str) -> str:
    if tone and kind in _TONED:
        return tone
    return kind if kind in _TINTED else ""


def _time(precision: str, at: str) -> tuple[str, str]:
    if precision == Precision.DAY:
        return "–", gettext("The file says the day, not the time")
    if precision == Precision.NONE:
        words = gettext("read %(time)s") % {"time": at}
        return words, gettext("The file does not say when; this is when it was read")
    return at, ""


def _facts(
    row: EventRow, data: dict[str, object], verb: Fact, wanted: Filter
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
    if row.topic and wanted.topic_ids is None and row.kind != "topic":
        facts.append(Fact(row.topic))
    if row.kind == "note" and row.path:
        facts.append(Fact(row.path.rpartition("/")[2], "mono"))
    return tuple(fact for fact in facts if fact.text)


def _address(row: EventRow, addresses: Addresses) -> str:
    """Return where the thing is that an event tells of."""
    if row.kind == "snapshot" and row.target_id is not None:
        return addresses.snapshot(code_of(row.target_id))
    if row.kind == "topic" and row.topic_slug:
        return addresses.topic(row.topic_slug)
    if row.kind == "import" and row.run_number is not None:
        return addresses.run(row.run_number)
    if row.path:
        newest = row.file_seq == row.seq
        return addresses.file(row.path, line=row.line, rev=None if newest else row.seq)
    return addresses.timeline
