"""Events as rows: in words, by local day, each with one address.

Rows are built as HTML without templates: a page has 50 of a dozen values each, and
templates would take as long as everything else on the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import lru_cache
from html import escape
from itertools import groupby
from typing import NamedTuple

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext, ngettext

from memoryhub.events.models import NO_TIME
from memoryhub.journal.authors import owners_of
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.journal.versions import changes_of
from memoryhub.people.marks import Seen
from memoryhub.people.roles import is_team
from memoryhub.timeline.queries.events import (
    Count,
    EventRow,
    Page,
    Place,
    bursts_of,
    decision_states,
    event_author,
    others_are_new,
)
from memoryhub.timeline.queries.facets import Counts, count_between
from memoryhub.timeline.queries.filters import Filter
from memoryhub.values.identity import code_of
from memoryhub.web.kit.clock import Clock, time_label
from memoryhub.web.kit.labels import (
    ICONS,
    KINDS,
    event_detail,
    event_title,
    event_verb,
    first_import_title,
    headed,
)
from memoryhub.web.kit.links import Addresses
from memoryhub.web.kit.prose import without_marks
from memoryhub.web.kit.state_labels import DECISION_STATES, HANDOFF_TYPES
from memoryhub.web.templatetags.parts import icon, new_mark

#: Kinds with a colour of their own, and kinds whose colour is that of the outcome.
_TINTED = {"snapshot", "decision"}
_TONED = {"handoff", "decision"}
_TITLE_LENGTH = 220
_SECOND = timedelta(seconds=1)
#: Kinds whose words are Markdown; others have names and paths.
_IN_MARKDOWN = {"decision", "history", "note", "snapshot"}


class Fact(NamedTuple):
    """A few words about an event, with their CSS class."""

    text: str
    style: str = ""


class ShownEvent(NamedTuple):
    """A row of the timeline."""

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
    new: bool = False
    on: bool = False


def event_row(event: ShownEvent) -> str:
    """Return an event as a list item, escaped and cached.

    Most events are the same on the next page, so each is rendered once.
    """
    return _event_row(event, get_language())


@lru_cache(maxsize=2_000)
def _event_row(event: ShownEvent, _: str | None) -> str:
    detail = _tag("p", "d clamp2", event.detail)
    facts = "".join(map(_fact, event.facts))
    line = f'<p class="m">{facts}</p>' if facts else ""
    on = ' aria-current="true"' if event.on else ""
    return (
        f'<li class="ev {event.style}{" is-on" if event.on else ""}"'
        f' id="e-{event.code}">'
        f'<span class="ev-ic">{icon(event.icon)}</span><div><p class="t">'
        f'<span class="sr">{escape(headed(event.kind, ""))}</span>'
        f'<a class="cover" href="{escape(event.url)}"{on}>{escape(event.title)}</a></p>'
        f"{detail}{line}</div>{_time(event)}</li>"
    )


def burst_row(events: Sequence[ShownEvent]) -> str:
    """Return history lines of an agent as one item that unfolds."""
    first = events[0]
    count = ngettext("%(n)s history line", "%(n)s history lines", len(events))
    rows = "".join(map(event_row, events))
    opened = " open" if any(event.on for event in events) else ""
    who = "".join(_fact(fact) for fact in first.facts)
    return (
        f'<li class="ev burst"><span class="ev-ic">{icon(first.icon)}</span>'
        f'<details{opened}><summary class="cover">{count % {"n": len(events)}}'
        f'<span class="m">{who}</span></summary>'
        f'<ol class="events">{rows}</ol></details>{_time(first)}</li>'
    )


def seen_row(label: str) -> str:
    """Return the separator between new and seen rows."""
    return f'<li class="seen">{escape(label)}</li>'


def _time(event: ShownEvent) -> str:
    hint = f' title="{escape(event.hint)}"' if event.hint else ""
    new = new_mark(gettext("New since your last visit")) if event.new else ""
    if not event.iso:
        return new
    return f'<time datetime="{event.iso}"{hint}>{new}{escape(event.time)}</time>'


def _fact(fact: Fact) -> str:
    return _tag("span", fact.style, fact.text)


def _tag(name: str, style: str, text: str) -> str:
    if not text:
        return ""
    classes = f' class="{style}"' if style else ""
    return f"<{name}{classes}>{escape(text)}</{name}>"


@lru_cache(maxsize=64)
def option_list(pairs: tuple[tuple[str, str], ...], chosen: str) -> SafeString:
    """Return the options of a select from (value, label), one selected."""
    return mark_safe("".join(_option(v, label, chosen) for v, label in pairs))


def _option(value: str, label: str, chosen: str) -> str:
    selected = " selected" if value == chosen else ""
    # Without `value` a browser sends the label with its whitespace normalised.
    is_label = value == " ".join(label.split())
    named = "" if is_label else f' value="{escape(value)}"'
    return f"<option{named}{selected}>{escape(label)}</option>"


@dataclass(frozen=True, slots=True)
class EventContext:
    """Context of a list of events; without `seen` no event is new.

    `scope` is the filter that rows pass on to the pages they link to.
    """

    workspace: Workspace
    wanted: Filter
    addresses: Addresses
    clock: Clock
    seen: Seen | None = None
    scope: dict[str, str] = field(default_factory=dict)
    on: str = ""
    kinds: Counts | None = None

    def is_new(self, row: EventRow) -> bool:
        if self.seen is None:
            return False
        if row.away:
            return self.seen.at is not None and row.recorded_at > self.seen.at
        return self.seen.is_new(row.position)


@dataclass(frozen=True, slots=True)
class Day:
    """The events of a local day on this page; those without a time have no `url`."""

    code: str
    url: str
    label: str
    near: str
    count: str
    number: int
    continued: bool
    rows: SafeString


def days_of(page: Page, before: Place | None, look: EventContext) -> list[Day]:
    """Group a page's events by day.

    `before` is the page's cursor: the day it is within continues without a count. Only
    the last day can continue on the next page, so only it needs a counting query.
    """
    clock = look.clock
    begun = _day_of(before.at, clock) if before else None
    presenter = EventPresenter(look, page.events)
    seen_after = last_new(page, before, look)
    days = []
    for day, group in groupby(
        page.events, lambda row: _day_of(_time_of(row, look), clock)
    ):
        rows = tuple(group)
        goes_on = page.older is not None and rows[-1] is page.events[-1]
        count: Count | None = Count(len(rows))
        continued = before is not None and day == begun
        if continued:
            count = None
        elif goes_on:
            span = clock.bounds(day) if day else (NO_TIME, NO_TIME + _SECOND)
            count = count_between(look.workspace, look.wanted, *span)
        days.append(
            Day(
                code=day.isoformat() if day else "no-time",
                url=look.addresses.day(day) if day else "",
                label=clock.day_label(day) if day else gettext("Time not recorded"),
                near=clock.near(day) if day else "",
                count=str(count or ""),
                number=count.number if count else 0,
                continued=continued,
                rows=presenter.rows(rows, seen_after),
            )
        )
    return days


def _day_of(at: datetime, clock: Clock) -> date | None:
    return None if at == NO_TIME else clock.day(at)


def _time_of(row: EventRow, look: EventContext) -> datetime:
    return row.occurred_at if look.wanted.after is None else row.recorded_at


def last_new(page: Page, before: Place | None, look: EventContext) -> int | None:
    """Return the id of the last new row, where the separator goes; None for no line.

    None if new rows are not one run at the top of the whole timeline, or if all rows
    are new, or none is.
    """
    run = _new_run(page, before, look)
    if not run or look.seen is None or look.wanted.after is not None:
        return None
    if any(map(look.is_new, page.events[run:])):
        return None
    if run == len(page.events) and page.older is None:
        return None
    seen, wanted = look.seen.position, look.wanted
    own = sum(not row.away for row in page.events[:run])
    others = cached(
        look.workspace,
        f"others:{wanted}:{seen}:{before}:{own}",
        lambda: others_are_new(wanted, seen, before, own),
    )
    return None if others else page.events[run - 1].id


def _new_run(page: Page, before: Place | None, look: EventContext) -> int:
    """Count the new rows at the top; 0 unless all earlier pages were new too."""
    if before is not None and not before.news:
        return 0
    run = 0
    while run < len(page.events) and look.is_new(page.events[run]):
        run += 1
    return run


def only_news(page: Page, before: Place | None, look: EventContext) -> bool:
    """Return whether every event from the top of the timeline to this page is new."""
    return 0 < _new_run(page, before, look) == len(page.events)


@dataclass(frozen=True, slots=True)
class _Words:
    """Words and style of a kind and verb, looked up once per page."""

    kind: str
    icon: str
    style: str
    verb: Fact


class EventPresenter:
    """Presenter of single events; caches words by kind and verb."""

    def __init__(self, look: EventContext, events: Iterable[EventRow]) -> None:
        self._look = look
        events = list(events)
        self._states = decision_states(events)
        changed = [row.seq for row in events if row.kind == "file"]
        self._lines = changes_of(look.workspace, changed) if changed else {}
        self._clock = look.clock
        self._owner = owners_of(look.workspace)
        self._beside_topic = look.wanted.topic_ids is not None
        self._words: dict[tuple[str, str], _Words] = {}
        self._hints = {
            Precision.DAY.value: gettext("The file has the day, not the time"),
            Precision.NONE.value: gettext(
                "The text has no time; this is when the file was changed"
            ),
        }
        self._on_disk = gettext("on disk %(time)s")
        self._read = gettext("read %(time)s")

    def rows(self, rows: Sequence[EventRow], seen_after: int | None) -> SafeString:
        """Render events as list items; bursts are folded unless kind or text is set."""
        apart = frozenset() if seen_after is None else frozenset({seen_after})
        filtered = self._look.wanted.kind or self._look.wanted.text
        runs = ((row,) for row in rows) if filtered else bursts_of(rows, apart)
        html = []
        for run in runs:
            shown = [self.show(row) for row in run]
            html.append(event_row(shown[0]) if len(shown) == 1 else burst_row(shown))
            if run[-1].id == seen_after:
                html.append(seen_row(self._seen_label()))
        return mark_safe("\n".join(html))

    def _seen_label(self) -> str:
        seen = self._look.seen
        if seen is None or seen.at is None:
            return gettext("Seen until here")
        local = self._clock.local(seen.at)
        words = {"day": self._clock.day_label(local.date()), "time": time_label(local)}
        return gettext("Seen until %(day)s, %(time)s") % words

    def show(self, row: EventRow) -> ShownEvent:
        """Return an event for display."""
        data = row.data if isinstance(row.data, dict) else {}
        words = self._words_of(row.kind, self._verb(row))
        title, detail = _told(row, data)
        shortened = len(title) > _TITLE_LENGTH
        code = code_of(row.id)
        return ShownEvent(
            code=code,
            style=words.style,
            icon=words.icon,
            kind=words.kind,
            url=_address(row, self._look),
            title=f"{title[:_TITLE_LENGTH]}…" if shortened else title,
            detail=detail[:400],
            facts=tuple(
                fact for fact in self._facts(row, data, words.verb) if fact.text
            ),
            **self._when(row),
            new=self._look.is_new(row),
            on=code == self._look.on,
        )

    def _verb(self, row: EventRow) -> str:
        is_changed = any(self._lines.get(row.seq, ()))
        is_move = (row.kind, row.verb) == ("file", "moved")
        return "moved_changed" if is_move and is_changed else row.verb

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

    def _facts(
        self, row: EventRow, data: dict[str, object], verb: Fact
    ) -> Iterator[Fact]:
        """Yield the facts of an event; a decision's state unless the verb names it."""
        yield verb
        if row.kind == "file" and row.seq in self._lines:
            yield Fact(_line_counts(*self._lines[row.seq]), "num")
        state = self._states.get(row.target_id or 0, row.verb)
        if row.kind == "decision" and state != row.verb:
            glyph, label = DECISION_STATES[state]
            yield Fact(str(label), f"st {glyph}")
        if row.kind == "handoff":
            sender, recipient = data.get("from"), data.get("to")
            if sender or recipient:
                yield Fact(f"{sender or '?'} → {recipient or '?'}")
            if is_team() and data.get("by") not in (sender, recipient):
                yield Fact(str(data.get("by") or ""))
            kind = str(data.get("type") or "")
            yield Fact(str(HANDOFF_TYPES.get(kind, kind)))
        elif who := event_author(row, self._owner):
            yield Fact(who)
        if row.kind in {"snapshot", "handoff", "memory"}:
            yield Fact(str(data.get("id") or ""), "mono")
        if row.topic and not self._beside_topic and row.kind != "topic":
            yield Fact(row.topic)
        if row.kind == "note" and row.path:
            yield Fact(row.path.rpartition("/")[2], "mono")

    def _when(self, row: EventRow) -> dict[str, str]:
        """Return an event's time as text, in ISO form, and a hint on its source.

        Among events without a time there is none to show; in the order of recording
        they have that of their reading.
        """
        if not row.has_time and self._look.wanted.after is None:
            return {"iso": "", "time": "", "hint": ""}
        local = self._clock.local(row.occurred_at if row.has_time else row.recorded_at)
        at, hint = time_label(local), self._hints.get(row.precision, "")
        if not row.has_time:
            at = self._read % {"time": at}
            hint = gettext("The file has no time; this is when it was read")
        elif row.precision == Precision.DAY:
            at = "–"
        elif row.precision == Precision.NONE and row.actor:
            hint = ""
        elif row.precision == Precision.NONE:
            at = self._on_disk % {"time": at}
        return {"iso": local.isoformat(timespec="seconds"), "time": at, "hint": hint}


def _told(row: EventRow, data: dict[str, object]) -> tuple[str, str]:
    """Return title and detail of an event; agents' words without marks of Markdown."""
    title = event_title(row.kind, row.title, data)
    if row.kind == "import" and row.run_number == 1:
        rest = {name: n for name, n in data.items() if n and name != "added"}
        return first_import_title(data), event_detail(
            row.kind, "", rest
        ) if rest else ""
    detail = event_detail(row.kind, row.detail, data)
    if row.kind in _IN_MARKDOWN:
        title, detail = without_marks(title), without_marks(detail)
    is_said = row.kind == "decision" and detail in title
    return title, "" if is_said else detail


def _line_counts(added: int, removed: int) -> str:
    """Return the numbers of lines that a file gained and lost; empty without any."""
    counts = ((added, f"+{added}"), (removed, f"−{removed}"))
    return " ".join(text for number, text in counts if number)


def _style(kind: str, tone: str) -> str:
    if tone and kind in _TONED:
        return tone
    return kind if kind in _TINTED else ""


def _address(row: EventRow, look: EventContext) -> str:
    """Return the address of an event's subject."""
    addresses = look.addresses
    if row.kind == "snapshot" and row.target_id is not None:
        return addresses.snapshot(code_of(row.target_id), **look.scope)
    if row.kind == "handoff" and row.target_id is not None:
        return addresses.handoff(code_of(row.target_id))
    if row.kind == "topic" and row.topic_slug:
        return addresses.topic(row.topic_slug)
    if row.kind == "import" and row.run_number is not None:
        return addresses.run(row.run_number)
    if row.path:
        newest = row.file_seq == row.seq
        return addresses.file(row.path, line=row.line, rev=None if newest else row.seq)
    return addresses.timeline
