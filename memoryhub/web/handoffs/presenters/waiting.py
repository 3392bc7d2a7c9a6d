"""Presenter of the write lane and the waiting graph: drawing, list, sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext, ngettext

from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.lane import OpenWork, open_work
from memoryhub.handoffs.queries.overlaps import past_overlaps
from memoryhub.handoffs.rules.acting import BLOCKED, Lane, Sent
from memoryhub.handoffs.rules.standing import PERSON
from memoryhub.journal.page_cache import cached_by_handoffs
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
from memoryhub.web.kit.labels import listed

#: Most slots of the lane, reads, waits and named handoffs that are shown.
_SLOTS, _READS, _ROWS, _NAMED = 4, 4, 100, 5
_REASON = 300
#: Slots reserved for the next writes if many are held.
_NEXT = 2
#: Prefix that no agent's name can have, for names outside the workspace.
_OUTSIDE = "\x1f"


@dataclass(frozen=True, slots=True)
class Slot:
    """A write in the lane: `kind` is "now", "hold" or empty for the next ones."""

    row: Sent
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
        """Time since its last step."""
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
    """The write lane for display: writing, next and held writes, concurrent reads."""

    work: OpenWork
    shell: Shell

    @cached_property
    def lane(self) -> Lane:
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
        """The first writes of each kind, at most four in all."""
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
        """Rule violations: overlapping writes, now and lately, missing sign-offs.

        Found from the files alone.
        """
        if len(now := self.lane.now) > 1:
            words = {"n": len(now), "ids": _ids(now)}
            yield gettext("%(n)s writes overlap: %(ids)s") % words
        if unsigned := self.work.unsigned:
            yield gettext("Begun without a sign-off: %(ids)s") % {"ids": _ids(unsigned)}
        yield from _past_overlaps(self.shell)

    @property
    def reads(self) -> list[tuple[str, str, str]]:
        """Current reads as (reader, title, address)."""
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
    """An agent waiting for another; several handoffs merged, longest wait shown."""

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
        """Node name in the drawing: distinct from an agent of the same name."""
        return f"{_OUTSIDE}{self.on}" if self.outside else self.on


def lane_shown(shell: Shell) -> LaneShown:
    """Return the lane for the board and the overview."""
    return LaneShown(open_work(shell.workspace), shell)


def _past_overlaps(shell: Shell) -> Iterator[str]:
    """Yield recent overlaps of writes in words."""
    clock, workspace = shell.clock, shell.workspace
    found = cached_by_handoffs(
        workspace,
        ("past overlaps", clock.now.date()),
        lambda: past_overlaps(workspace, clock.now),
    )
    for overlap in found:
        words = {
            "n": len(overlap.names),
            "begun": clock.moment(overlap.begun),
            "ended": clock.moment(overlap.ended),
            "ids": listed(overlap.names[:_NAMED]),
        }
        yield gettext("%(n)s writes overlapped %(begun)s–%(ended)s: %(ids)s") % words


def _ids(handoffs: Sequence[Sent]) -> str:
    return listed(handoff.name for handoff in handoffs[:_NAMED])


def wait_rows(shell: Shell) -> list[WaitRow]:
    """Return up to 100 waits, most urgent first."""
    return _ordered(shell)[0][:_ROWS]


def waiting_shown(shell: Shell) -> dict[str, Any]:
    """Return the waiting graph in words and as a drawing."""
    rows, chain = _ordered(shell)
    circles = shell.waiting.circles
    return {
        "rows": rows[:_ROWS],
        "svg": _svg(rows, shell),
        "deadlocks": [" → ".join((*circle, circle[0])) for circle in circles],
        "chain": _sentence(chain, rows, shell),
    }


def _ordered(shell: Shell) -> tuple[list[WaitRow], tuple[str, ...]]:
    """Return the waits by urgency, and the longest chain."""
    rows = _rows(open_work(shell.workspace).waits, shell)
    chain = longest_chain(Tie(row.waiting, row.node, "") for row in rows)
    return _by_urgency(rows, shell.waiting.circles, chain), chain


def _rows(found: Iterable[Handoff], shell: Shell) -> list[WaitRow]:
    """Return the waits merged per pair, longest first; blocked topics included."""
    times: dict[tuple[str, str], list[Handoff]] = {}
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


def _row(alike: Sequence[Handoff], shell: Shell) -> WaitRow:
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


def _what(alike: Sequence[Handoff], age: str) -> str:
    """Return the handoffs that one waits for, with the age of the first."""
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
    """Return rows by kind: circles, waits for a person, longest chain, others."""
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
    """Return the longest chain in words; empty if it has fewer than three names."""
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
