"""The write lane, and who waits for whom: as a drawing, as a list and in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import pairwise

from django.utils.translation import gettext, ngettext

from memoryhub.handoffs.queries.lane import OpenWork, open_work
from memoryhub.handoffs.queries.overlaps import past_overlaps
from memoryhub.handoffs.rules.acting import BLOCKED, Lane, Unfinished
from memoryhub.handoffs.rules.standing import PERSON
from memoryhub.journal.page_cache import kept_of_handoffs
from memoryhub.values.identity import code_of
from memoryhub.web.handoffs.graph import drawing
from memoryhub.web.handoffs.graph_order import (
    DEADLOCK,
    FOR_PERSON,
    LONGEST,
    PLAIN,
    Tie,
    longest_chain,
)
from memoryhub.web.handoffs.presenters.cards import title_of
from memoryhub.web.kit.clock import span_label
from memoryhub.web.kit.frame import Shell

#: Slots of the lane, reads and waits that are shown; more than this nobody reads.
_SLOTS, _READS, _ROWS, _NAMED = 4, 4, 100, 5
_REASON = 300
#: Slots that the next ones have where more are held.
_NEXT = 2
#: A name that no agent can have, for what is outside.
_OUTSIDE = "\x1f"


@dataclass(frozen=True, slots=True)
class Slot:
    """A write of the lane in words: `kind` is "now", "hold" or empty for the next."""

    row: Unfinished
    kind: str
    shell: Shell

    @property
    def place(self) -> str:
        places = {
            "now": gettext("Writing now, %(span)s") % {"span": self.span},
            "hold": gettext("Held, blocked"),
        }
        return places.get(self.kind, gettext("Next"))

    @property
    def span(self) -> str:
        """For how long it has been where it is."""
        return span_label(self.shell.clock.now - self.row.since)

    @property
    def title(self) -> str:
        return title_of(self.row)

    @property
    def url(self) -> str:
        return self.shell.addresses.handoff(code_of(self.row.id))

    @property
    def ways(self) -> str:
        return f"{self.row.sender or '?'} → {self.row.recipient or '?'}"


@dataclass(frozen=True)
class LaneShown:
    """The write lane in words: who writes, what is next and held, what reads beside."""

    work: OpenWork
    shell: Shell

    @cached_property
    def lane(self) -> Lane[Unfinished]:
        return self.work.lane

    @property
    def is_empty(self) -> bool:
        return not (self.lane.order or self.work.reads)

    @property
    def now(self) -> Slot | None:
        """The write in progress that was sent first."""
        return next((Slot(row, "now", self.shell) for row in self.lane.now), None)

    @cached_property
    def slots(self) -> list[Slot]:
        """The first writes of each kind, as many as the page has room for."""
        lane = self.lane
        following = max(_NEXT, _SLOTS - len(lane.now) - len(lane.held))
        kinds = (("now", lane.now), ("", lane.next[:following]), ("hold", lane.held))
        found = [Slot(row, kind, self.shell) for kind, rows in kinds for row in rows]
        return found[:_SLOTS]

    @property
    def left_out(self) -> int:
        return len(self.lane.order) - len(self.slots)

    @property
    def wrong(self) -> Iterator[str]:
        """What agents began against the rules, now and lately, by their files alone."""
        if len(now := self.lane.now) > 1:
            words = {"n": len(now), "ids": _ids(now)}
            yield gettext("%(n)s writes overlap: %(ids)s") % words
        if unsigned := self.work.unsigned:
            yield gettext("Begun without a sign-off: %(ids)s") % {"ids": _ids(unsigned)}
        yield from _past_overlaps(self.shell)

    @property
    def reads(self) -> list[tuple[str, str, str]]:
        """Who reads what now, with its address."""
        return [
            (
                read.taken_by or read.recipient or "?",
                title_of(read),
                self.shell.addresses.handoff(code_of(read.id)),
            )
            for read in self.work.reads[:_READS]
        ]


@dataclass(frozen=True, slots=True)
class WaitRow:
    """One that waits for another, however often: the longest wait, in words."""

    waiting: str
    on: str
    kind: str
    outside: bool
    what: str
    url: str
    since: datetime

    @property
    def for_person(self) -> bool:
        return self.on == PERSON and not self.outside

    @property
    def node(self) -> str:
        """The name of its end in the drawing: an agent may be called alike."""
        return f"{_OUTSIDE}{self.on}" if self.outside else self.on


@dataclass(frozen=True, slots=True)
class Waiting:
    """Who waits for whom: rows, their drawing, and what is most worth knowing."""

    rows: tuple[WaitRow, ...]
    svg: str
    deadlocks: tuple[str, ...]
    chain: str


def lane_shown(shell: Shell) -> LaneShown:
    """Return the lane as the board and the overview show it."""
    return LaneShown(open_work(shell.workspace), shell)


def _past_overlaps(shell: Shell) -> Iterator[str]:
    """Give in words which writes overlapped lately."""
    clock, workspace = shell.clock, shell.workspace
    found = kept_of_handoffs(
        workspace,
        ("past overlaps", clock.now.date()),
        lambda: past_overlaps(workspace, clock.now),
    )
    for overlap in found:
        words = {
            "n": len(overlap.names),
            "begun": clock.moment(overlap.begun),
            "ended": clock.moment(overlap.ended),
            "ids": ", ".join(overlap.names[:_NAMED]),
        }
        yield gettext("%(n)s writes overlapped %(begun)s–%(ended)s: %(ids)s") % words


def _ids(handoffs: Sequence[Unfinished]) -> str:
    return ", ".join(handoff.name for handoff in handoffs[:_NAMED])


def wait_rows(shell: Shell) -> list[WaitRow]:
    """Return who waits for whom, the most urgent first."""
    return _ordered(shell)[0][:_ROWS]


def waiting_shown(shell: Shell) -> Waiting:
    """Return who waits for whom in words and as a drawing."""
    rows, chain = _ordered(shell)
    return Waiting(
        tuple(rows[:_ROWS]),
        _svg(rows, shell),
        tuple(" → ".join((*circle, circle[0])) for circle in shell.waiting.circles),
        _sentence(chain, rows, shell),
    )


def _ordered(shell: Shell) -> tuple[list[WaitRow], tuple[str, ...]]:
    """Return the waits by urgency, and the longest chain of them."""
    rows = _rows(open_work(shell.workspace).waits, shell)
    chain = longest_chain(Tie(row.waiting, row.node, "") for row in rows)
    return _by_urgency(rows, shell.waiting.circles, chain), chain


def _rows(found: Iterable[Unfinished], shell: Shell) -> list[WaitRow]:
    """Return the waits of each for each, the longest first."""
    times: dict[tuple[str, str], list[Unfinished]] = {}
    for wait in found:
        times.setdefault((wait.sender, wait.acts), []).append(wait)
    rows = [_row(alike, shell) for alike in times.values()]
    for topic in shell.waiting.blocked:
        if topic.agent and topic.blocked_by:
            age = {"age": span_label(shell.clock.now - topic.occurred_at)}
            what = gettext("blocked, %(age)s") % age
            url = shell.addresses.snapshot(topic.code)
            name, on, at = (
                topic.agent.name,
                topic.blocked_by[:_REASON],
                topic.occurred_at,
            )
            rows.append(WaitRow(name, on, PLAIN, True, what, url, at))
    return sorted(rows, key=lambda row: row.since)[: 2 * _ROWS]


def _row(alike: Sequence[Unfinished], shell: Shell) -> WaitRow:
    first = alike[0]
    return WaitRow(
        first.sender,
        first.acts,
        FOR_PERSON if first.acts == PERSON else PLAIN,
        False,
        _what(alike, span_label(shell.clock.now - first.sent_at)),
        shell.addresses.handoff(code_of(first.id)),
        first.sent_at,
    )


def _what(alike: Sequence[Unfinished], age: str) -> str:
    """Return what is waited for, and for how long the first one."""
    first, more = alike[0], len(alike) - 1
    words = {"id": first.name, "age": age, "n": more}
    if more:
        text = ngettext(
            "%(id)s and %(n)s more, %(age)s", "%(id)s and %(n)s more, %(age)s", more
        )
        return text % words
    if first.state == BLOCKED:
        return gettext("%(id)s, blocked, %(age)s") % words
    return gettext("%(id)s, %(age)s") % words


def _by_urgency(
    rows: Iterable[WaitRow],
    circles: Iterable[Sequence[str]],
    chain: Sequence[str],
) -> list[WaitRow]:
    """Return rows with their kinds: circles, waits for a person, the longest chain."""
    around = {pair for circle in circles for pair in pairwise((*circle, circle[0]))}
    along = set(pairwise(chain)) if len(chain) > 2 else set()
    kinds = [DEADLOCK, FOR_PERSON, LONGEST, PLAIN]
    named = []
    for row in rows:
        kind = row.kind
        if (row.waiting, row.node) in along and not row.for_person:
            kind = LONGEST
        if (row.waiting, row.on) in around and not row.outside:
            kind = DEADLOCK
        named.append(replace(row, kind=kind))
    return sorted(named, key=lambda row: (kinds.index(row.kind), row.since))


def _svg(rows: Sequence[WaitRow], shell: Shell) -> str:
    if not rows:
        return ""
    now = shell.clock.now
    ties = [
        Tie(row.waiting, row.node, span_label(now - row.since), row.kind)
        for row in rows
    ]
    outside = {row.node: row.on for row in rows if row.outside}
    labels = {PERSON: gettext("you"), **outside}
    finding = gettext("Waiting graph; the list beside it has the same data")
    return drawing(ties, labels, outside).svg(finding)


def _sentence(chain: Sequence[str], rows: Sequence[WaitRow], shell: Shell) -> str:
    """Return the longest chain of waits in words; two names are none."""
    if len(chain) < 3:
        return ""
    names = [
        gettext("you") if name == PERSON else name.removeprefix(_OUTSIDE)
        for name in chain
    ]
    last = next(r for r in rows if (r.waiting, r.node) == tuple(chain[-2:]))
    words = {
        "names": " → ".join(names),
        "age": span_label(shell.clock.now - last.since),
    }
    return gettext("Longest wait: %(names)s, %(age)s") % words
