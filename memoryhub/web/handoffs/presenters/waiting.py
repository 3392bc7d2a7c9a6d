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
from memoryhub.handoffs.queries.lane import OpenWork, Overlap, open_work, past_overlaps
from memoryhub.handoffs.queries.waiting import Deadlock
from memoryhub.handoffs.rules.acting import BLOCKED, Lane
from memoryhub.handoffs.rules.fields import PERSON
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
from memoryhub.web.handoffs.presenters.cards import since_sent, title_of
from memoryhub.web.kit.clock import span_label
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.labels import awaited_cause, listed
from snapshots.models import Snapshot

#: Most slots of the lane, reads, waits and named handoffs that are shown.
_SLOTS, _READS, _ROWS, _NAMED = 4, 4, 100, 5
#: Most waits that are shown unfolded: a card shows them without a bar to scroll.
_WAITS = 8
#: Most deadlocks that are shown unfolded: those of one tangle are many.
_CIRCLES = 3
#: Most waits that are drawn; the lines of more cross too often to be followed.
_DRAWN = 20
_REASON = 300
#: Slots reserved for the next writes if many are held.
_NEXT = 2
#: Prefix that no agent's name can have, for names outside the workspace.
_OUTSIDE = "\x1f"


@dataclass(frozen=True, slots=True)
class Slot:
    """A write in the lane, or a read: `kind` is "now", "hold", "read" or empty."""

    row: Handoff
    kind: str
    shell: Shell

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
    def overlapping(self) -> Sequence[Handoff]:
        """Writes in progress at the same time; empty if the rule holds."""
        return self.lane.overlapping

    @property
    def overlapping_ids(self) -> str:
        return _ids(self.overlapping)

    @property
    def unsigned_ids(self) -> str:
        """Names of decisions begun without a sign-off."""
        return _ids(self.work.unsigned)

    @property
    def past_overlaps(self) -> list[tuple[Overlap, str]]:
        """Recent overlaps of writes, found from the files alone, with their names."""
        clock, workspace = self.shell.clock, self.shell.workspace
        found = cached_by_handoffs(
            workspace,
            ("past overlaps", clock.now.date()),
            lambda: past_overlaps(workspace, clock.now),
        )
        return [(overlap, _listed(overlap.names)) for overlap in found]

    @property
    def reads(self) -> list[Slot]:
        """The first reads in progress."""
        return [Slot(read, "read", self.shell) for read in self.work.reads[:_READS]]


@dataclass(frozen=True, slots=True)
class WaitRow:
    """An agent waiting for another: the oldest of its handoffs, or a blocked snapshot.

    `more` counts the other handoffs between the same two.
    """

    cause: Handoff | Snapshot
    shell: Shell
    more: int = 0
    kind: str = PLAIN

    @property
    def outside(self) -> bool:
        """Return whether it waits for something that is no agent of the workspace."""
        return isinstance(self.cause, Snapshot)

    @property
    def waiting(self) -> str:
        if isinstance(self.cause, Snapshot):
            return self.cause.agent.name if self.cause.agent else ""
        return self.cause.sender

    @property
    def on(self) -> str:
        if isinstance(self.cause, Snapshot):
            return awaited_cause(self.cause.blocked_by)[:_REASON]
        return self.cause.acts

    @property
    def since(self) -> datetime:
        if isinstance(self.cause, Snapshot):
            return self.cause.occurred_at
        return self.cause.sent_at

    @property
    def span(self) -> str:
        """How long it waits; empty if no file gives a time."""
        return since_sent(self.shell.clock.now - self.since, self.cause.precision)

    @property
    def url(self) -> str:
        if isinstance(self.cause, Snapshot):
            return self.shell.addresses.snapshot(self.cause.code)
        return self.shell.addresses.handoff(code_of(self.cause.id))

    @property
    def is_blocked(self) -> bool:
        return self.outside or getattr(self.cause, "state", "") == BLOCKED

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


def circle_shown(circle: Deadlock) -> str:
    """Return a deadlock in words: its agents, then its tasks."""
    names = " → ".join((*circle.agents, circle.agents[0]))
    tasks = " → ".join((*circle.tasks, circle.tasks[0]))
    return f"{names} ({tasks})"


def _ids(handoffs: Sequence[Handoff]) -> str:
    return _listed([handoff.name for handoff in handoffs])


def _listed(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    more = len(names) - _NAMED
    if more <= 0:
        return listed(names)
    rest = ngettext("and %(n)s more", "and %(n)s more", more) % {"n": more}
    return f"{listed(names[:_NAMED])} {rest}"


def wait_rows(shell: Shell) -> list[WaitRow]:
    """Return up to 100 waits, most urgent first."""
    return _ordered(shell)[0][:_ROWS]


def waiting_shown(shell: Shell) -> dict[str, Any]:
    """Return the waiting graph in words and as a drawing."""
    rows, chain = _ordered(shell)
    circles = shell.waiting.circles
    return {
        "rows": rows[:_ROWS],
        "svg": _svg(rows, circles),
        "first": rows[:_WAITS],
        "rest": rows[_WAITS:_ROWS],
        "deadlocks": [circle_shown(circle) for circle in circles[:_CIRCLES]],
        "further": [circle_shown(circle) for circle in circles[_CIRCLES:]],
        "chain": _longest(chain, rows),
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
    rows += [
        WaitRow(snapshot, shell)
        for snapshot in shell.waiting.blocked
        if snapshot.agent and snapshot.blocked_by
    ]
    return sorted(rows, key=lambda row: row.since)[: 2 * _ROWS]


def _row(alike: Sequence[Handoff], shell: Shell) -> WaitRow:
    first, *others = alike
    kind = FOR_PERSON if first.acts == PERSON else PLAIN
    return WaitRow(first, shell, len(others), kind)


def _by_urgency(
    rows: Iterable[WaitRow],
    circles: Iterable[Deadlock],
    chain: Sequence[str],
) -> list[WaitRow]:
    """Return rows by kind: circles, waits for a person, longest chain, others."""
    around = set(_around(circles))
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


def _around(circles: Iterable[Deadlock]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of agents of deadlocks, the first waiting for the second."""
    for circle in circles:
        if len(circle.agents) > 1:
            yield from pairwise((*circle.agents, circle.agents[0]))


def _svg(rows: Sequence[WaitRow], circles: Iterable[Deadlock]) -> str:
    """Return the drawing; empty without waits, and where too many would cross."""
    ties = [Tie(row.waiting, row.node, row.span, row.kind) for row in rows]
    known = {(tie.waiting, tie.on) for tie in ties}
    ties += [Tie(*pair, "", DEADLOCK) for pair in _around(circles) if pair not in known]
    if not 0 < len(ties) <= _DRAWN:
        return ""
    outside = {row.node: row.on for row in rows if row.outside}
    labels = {PERSON: gettext("you"), **outside}
    finding = gettext("Waiting graph; the list beside it has the same data")
    return drawing(ties, labels, outside).svg(finding)


def _longest(chain: Sequence[str], rows: Sequence[WaitRow]) -> dict[str, str]:
    """Return names and age of the longest chain; {} if it has under three names."""
    if len(chain) < 3:
        return {}
    names = [
        gettext("you") if name == PERSON else name.removeprefix(_OUTSIDE)
        for name in chain
    ]
    last = next(r for r in rows if (r.waiting, r.node) == tuple(chain[-2:]))
    return {"names": " → ".join(names), "age": last.span}
