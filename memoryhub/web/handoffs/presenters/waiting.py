"""The write lane, and who waits for whom: as a drawing, as a list and in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

from django.utils.translation import gettext, ngettext

from memoryhub.events.rules.waiting import Wait, cycles_of
from memoryhub.handoffs.queries.lane import Unfinished, unfinished
from memoryhub.handoffs.queries.overlaps import past_overlaps
from memoryhub.handoffs.queries.waiting import PERSON
from memoryhub.handoffs.rules.acting import Lane, Write
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import kept_of_handoffs
from memoryhub.timeline.queries.turns import BlockedTopic
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
#: Slots that the next ones have where more are held.
_NEXT = 2
#: A name that no agent can have, for what is outside.
_OUTSIDE = "\x1f"


@dataclass(frozen=True, slots=True)
class Slot:
    """A write of the lane: where it is, and what it is."""

    kind: str
    place: str
    title: str
    url: str
    ways: str
    task_id: str


@dataclass(frozen=True, slots=True)
class LaneShown:
    """The lane: its first slots, how many more wait, what is wrong, who reads."""

    slots: tuple[Slot, ...]
    left_out: int
    wrong: tuple[str, ...]
    reads: tuple[tuple[str, str, str], ...]


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
        return not self.on


@dataclass(frozen=True, slots=True)
class Waiting:
    """Who waits for whom: rows, their drawing, and what is most worth knowing."""

    rows: tuple[WaitRow, ...]
    svg: str
    deadlocks: tuple[str, ...]
    chain: str


def places_in(found: Lane) -> dict[int, int]:
    """Return the place of each open write in the lane, the one in progress first."""
    busy = len(found.now)
    return {write.id: busy + place for place, write in enumerate(found.next, 1)}


def lane_of(workspace: Workspace) -> Lane:
    """Return the lane, kept until a handoff changes."""
    return _unfinished(workspace).lane


def _unfinished(workspace: Workspace) -> Unfinished:
    return kept_of_handoffs(workspace, "unfinished", lambda: unfinished(workspace))


def lane_shown(workspace: Workspace, shell: Shell) -> LaneShown:
    """Return the lane in words: now, next and held, and what reads beside it."""
    open_now = _unfinished(workspace)
    found = open_now.lane
    following = max(_NEXT, _SLOTS - len(found.now) - len(found.held))
    slots = [
        *(_slot("now", write, shell) for write in found.now[:_SLOTS]),
        *(_slot("", write, shell) for write in found.next[:following]),
        *(_slot("hold", write, shell) for write in found.held[:_SLOTS]),
    ][:_SLOTS]
    return LaneShown(
        tuple(slots),
        len(found.order) - len(slots),
        (*_wrong(open_now), *_past_overlaps(workspace, shell)),
        tuple(
            (
                read.taken_by or read.recipient or "?",
                title_of(read.context, read.task_id),
                shell.addresses.handoff(code_of(read.id)),
            )
            for read in open_now.reads[:_READS]
        ),
    )


def _past_overlaps(workspace: Workspace, shell: Shell) -> Iterator[str]:
    """Give in words which writes overlapped lately."""
    clock = shell.clock
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


def _slot(kind: str, write: Write, shell: Shell) -> Slot:
    since = span_label(shell.clock.now - (write.last_at or write.sent_at))
    places = {
        "now": gettext("Writing now, %(span)s") % {"span": since},
        "hold": gettext("Held, blocked"),
    }
    return Slot(
        kind,
        places.get(kind, gettext("Next")),
        title_of(write.context, write.task_id),
        shell.addresses.handoff(code_of(write.id)),
        f"{write.sender or '?'} → {write.recipient or '?'}",
        write.task_id,
    )


def _wrong(found: Unfinished) -> Iterator[str]:
    """Give in words what agents began against the rules, by their files alone."""
    if len(now := found.lane.now) > 1:
        words = {"n": len(now), "ids": _ids(now)}
        yield gettext("%(n)s writes overlap: %(ids)s") % words
    if found.unsigned:
        ids = {"ids": _ids(found.unsigned)}
        yield gettext("Begun without a sign-off: %(ids)s") % ids


def _ids(handoffs: Sequence[Write]) -> str:
    return ", ".join(handoff.name for handoff in handoffs[:_NAMED])


def waiting_shown(workspace: Workspace, shell: Shell) -> Waiting:
    """Return who waits for whom in words and as a drawing."""
    found = _unfinished(workspace).waits
    circles = cycles_of([wait for wait in found if wait.on != PERSON])
    rows = _rows(found, shell.waiting.blocked, shell)
    chain = longest_chain(Tie(row.waiting, _node(row), "") for row in rows)
    rows = _by_urgency(rows, circles, chain)
    return Waiting(
        tuple(rows[:_ROWS]),
        _svg(rows, shell),
        tuple(" → ".join((*circle, circle[0])) for circle in circles),
        _sentence(chain, rows, shell),
    )


def _rows(
    found: Iterable[Wait], blocked: Iterable[BlockedTopic], shell: Shell
) -> list[WaitRow]:
    """Return the waits of each for each, the longest first."""
    times: dict[tuple[str, str], list[Wait]] = {}
    for wait in found:
        times.setdefault((wait.waiting, wait.on), []).append(wait)
    rows = [_row(alike, shell) for alike in times.values()]
    rows += [
        WaitRow(
            topic.agent,
            topic.reason,
            PLAIN,
            True,
            gettext("blocked, %(age)s")
            % {"age": span_label(shell.clock.now - topic.at)},
            shell.addresses.snapshot(code_of(topic.snapshot)),
            topic.at,
        )
        for topic in blocked
        if topic.agent and topic.reason
    ]
    return sorted(rows, key=lambda row: row.since)[: 2 * _ROWS]


def _row(alike: Sequence[Wait], shell: Shell) -> WaitRow:
    first = alike[0]
    return WaitRow(
        first.waiting,
        first.on,
        FOR_PERSON if first.on == PERSON else PLAIN,
        False,
        _what(alike, span_label(shell.clock.now - first.at)),
        shell.addresses.handoff(code_of(first.id)),
        first.at,
    )


def _what(alike: Sequence[Wait], age: str) -> str:
    """Return what is waited for, and for how long the first one."""
    first, more = alike[0], len(alike) - 1
    words = {"id": first.task_id, "age": age, "n": more}
    if more:
        return (
            ngettext(
                "%(id)s and %(n)s more, %(age)s", "%(id)s and %(n)s more, %(age)s", more
            )
            % words
        )
    if first.state == "blocked":
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
        if (row.waiting, _node(row)) in along and not row.for_person:
            kind = LONGEST
        if (row.waiting, row.on) in around and not row.outside:
            kind = DEADLOCK
        named.append(replace(row, kind=kind))
    return sorted(named, key=lambda row: (kinds.index(row.kind), row.since))


def _node(row: WaitRow) -> str:
    """Return the name of a row's end in the drawing: an agent may be called alike."""
    return f"{_OUTSIDE}{row.on}" if row.outside else row.on


def _svg(rows: Sequence[WaitRow], shell: Shell) -> str:
    if not rows:
        return ""
    now = shell.clock.now
    ties = [
        Tie(row.waiting, _node(row), span_label(now - row.since), row.kind)
        for row in rows
    ]
    outside = {_node(row): row.on for row in rows if row.outside}
    labels = {PERSON: gettext("you"), **outside}
    finding = gettext("Waiting graph; the list beside it says the same")
    return drawing(ties, labels, outside).svg(finding)


def _sentence(chain: Sequence[str], rows: Sequence[WaitRow], shell: Shell) -> str:
    """Return the longest chain of waits in words; two names are none."""
    if len(chain) < 3:
        return ""
    names = [
        gettext("you") if name == PERSON else name.removeprefix(_OUTSIDE)
        for name in chain
    ]
    last = next(r for r in rows if (r.waiting, _node(r)) == tuple(chain[-2:]))
    words = {
        "names": " → ".join(names),
        "age": span_label(shell.clock.now - last.since),
    }
    return gettext("Longest chain of waits: %(names)s, %(age)s.") % words
