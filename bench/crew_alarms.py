"""Alarms of a hub while a simulated crew works: those expected are raised, no others.

Expected are ``overdue`` and ``stuck``, by the crew's own calls; where a due time has
passed the holder may be ``silent`` as well, and work that failed may be ``failed``.
Nothing else happens to a crew.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from bench.crew_calls import Client, Fields
from bench.crew_history import COORDINATOR, FINISHED, History, Violation
from bench.crew_judge import FOREVER, changes
from bench.crew_terms import Span, after_of, revised_at, spans_in

#: Seconds within which an alarm is raised, and between two looks.
WITHIN, LOOK = 2.0, 0.4
_MAY_BE = frozenset({"overdue", "stuck", "silent", "failed"})


@dataclass(frozen=True, slots=True)
class Look:
    """The alarms of a workspace: asked at `started`, answered at `ended`."""

    slug: str
    started: float
    ended: float
    #: Kind and name of the handoff.
    alarms: frozenset[tuple[str, str]]


@dataclass(slots=True)
class AlarmWatch:
    """Asks for the alarms of workspaces, again and again."""

    clients: Mapping[str, Client]
    looks: list[Look] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="alarms")
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(LOOK):
            for slug, client in self.clients.items():
                started = time.monotonic()
                rows = client.alarms()
                if rows is not None:
                    said = frozenset((r["kind"], _name(slug, r)) for r in rows)
                    self.looks.append(Look(slug, started, time.monotonic(), said))
        for client in self.clients.values():
            client.close()


def _name(slug: str, row: Fields) -> str:
    """Return the handoff of an alarm, or the agents and paths of claims."""
    return f"{slug}/{row['task_id'] or '|'.join(row['names'])}"


def alarms_as_expected(
    found: Mapping[str, History], looks: list[Look]
) -> Iterator[Violation]:
    """Each alarm that must be raised was seen after 2 s; each that was seen may be."""
    must = {name: [*_must(history, found)] for name, history in found.items()}
    may = {name: [*_may(history, found)] for name, history in found.items()}
    failed = {name: [*_failed(history)] for name, history in found.items()}
    for look in looks:
        seen = {name for kind, name in look.alarms if kind != "failed"}
        for name, spans in must.items():
            due = any(s + WITHIN < look.started and look.ended < e for s, e in spans)
            if due and name.startswith(f"{look.slug}/") and name not in seen:
                yield Violation("alarm-missing", name)
        for kind, name in look.alarms:
            spans = (failed if kind == "failed" else may).get(name, [])
            fits = any(s < look.ended and look.started < e for s, e in spans)
            if kind != "claims" and (kind not in _MAY_BE or not fits):
                yield Violation("alarm-unexpected", f"{kind} of {name}")


def expected_alarms(found: Mapping[str, History]) -> int:
    """Return how many alarms had to be raised for so long that a look can see them."""
    spans = (span for history in found.values() for span in _must(history, found))
    return sum(end - start > WITHIN + 2 * LOOK for start, end in spans)


def _must(history: History, found: Mapping[str, History]) -> Iterator[Span]:
    """Give when an alarm of a handoff certainly has to stand."""
    file, people = history.file, ("person", COORDINATOR)
    if file.type == "decision" or file.recipient == COORDINATOR:
        # A person acts on it, or on a decision until it is signed off. An agent of
        # that name has what is for people, too.
        return
    reviewer = file.sender if file.review == "sender" else file.review
    states = ["open", "in_progress", "blocked"]
    states += ["returned"] if file.sender not in people else []
    states += ["review"] if reviewer not in people else []
    unfinished = [*spans_in(history, *states)]
    if history.file.due and not history.put_back:
        due = _due(history)
        yield from ((max(start, due), end) for start, end in unfinished if due < end)
    waiting = [*spans_in(history, "open", "blocked")]
    for ended, until in _ended_before(history, found):
        for start, end in waiting:
            if max(start, ended) < min(end, until):
                yield max(start, ended), min(end, until)


def _ended_before(history: History, found: Mapping[str, History]) -> Iterator[Span]:
    """Return the span in which its predecessor had surely failed or been withdrawn."""
    for name in after_of(history, history.file.slug):
        other = found.get(name)
        if other is None or revised_at(other) < FOREVER:
            continue
        for start, end in spans_in(other, "failed", "withdrawn"):
            yield start, min(end, revised_at(history))


def _may(history: History, found: Mapping[str, History]) -> Iterator[Span]:
    """Give when an alarm of a handoff may stand."""
    last = max((m.call.ended for m in history.matched), default=0.0)
    end = FOREVER if history.state not in FINISHED else last
    if history.file.due:
        yield _due(history) - 1.0, end
    if after_of(history, history.file.slug):
        for name in after_of(history, history.file.slug):
            other = found.get(name)
            ends = [
                this.call.started
                for this, _ in (changes(other) if other else ())
                if this.state in ("failed", "withdrawn")
            ]
            if ends:
                yield min(ends), end


def _failed(history: History) -> Iterator[Span]:
    """Give when a handoff may have been failed."""
    for this, then in changes(history):
        if this.state == "failed":
            yield this.call.started, then.call.ended if then else FOREVER


def _due(history: History) -> float:
    """Return a due time on the clock of the calls."""
    offset = time.time() - time.monotonic()
    return datetime.fromisoformat(history.file.due).timestamp() - offset
