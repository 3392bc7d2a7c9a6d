"""Checks of dependencies and takers of tasks, from answers and files alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from bench.crew_calls import Call
from bench.crew_history import History, Violation
from bench.crew_judge import FOREVER, changes, is_pool

#: Verbs whose order to others decides on what a task comes after.
_LINKS = ("handed off again", "revised")
Span = tuple[float, float]


def spans_in(history: History, *states: str) -> Iterator[Span]:
    """Give when a handoff was certainly in one of these states."""
    for this, then in changes(history):
        end = then.call.started if then else FOREVER
        if this.state in states and this.call.ended < end:
            yield this.call.ended, end


def after_of(history: History, slug: str) -> tuple[str, ...]:
    """Return the names of the tasks that a handoff was sent to come after.

    Work that is handed off again comes after what it did before, as its answer says.
    """
    first = history.matched[0].call if history.matched else None
    names = first.answer.get("after", ()) if first else ()
    return tuple(name if "/" in name else f"{slug}/{name}" for name in names)


def revised_at(history: History) -> float:
    """Return when a task was first changed or handed on, and may wait for others."""
    times = (m.call.started for m in history.matched if m.line.verb in _LINKS)
    return min(times, default=FOREVER)


def begun_too_early(found: Mapping[str, History]) -> Iterator[Violation]:
    """No task was begun while one that it comes after was certainly not done."""
    for history in found.values():
        until = revised_at(history)
        for name in after_of(history, history.file.slug):
            other = found.get(name)
            if other is None or revised_at(other) < FOREVER:
                continue
            waits = [
                *spans_in(other, "open", "blocked", "in_progress", "returned", "review")
            ]
            for call in _begun(history):
                if call.started < until and any(
                    start < call.started and call.ended < end for start, end in waits
                ):
                    yield Violation("begun-early", f"{history.file.name} before {name}")


def _begun(history: History) -> Iterator[Call]:
    for each in history.matched:
        if each.line.verb in ("taken", "done") and "by" not in each.call.request:
            yield each.call


def taken_by_strangers(
    found: Mapping[str, History], workers: Collection[str]
) -> Iterator[Violation]:
    """Check that a pool's task is taken by a member and ended by its taker."""
    for history in found.values():
        pool, taker = history.file.recipient, ""
        if not is_pool(pool):
            continue
        for each in history.matched:
            actor, verb = each.line.actor, each.line.verb
            is_member = pool == "any" or actor in workers
            if verb == "taken" and not is_member:
                yield Violation("not-in-pool", f"{history.file.name} {actor}")
            if verb == "done" and taker and actor != taker:
                yield Violation("not-the-taker", f"{history.file.name} {actor}")
            if each.state:
                taker = actor if verb == "taken" else taker
                taker = "" if each.state in ("open", "returned", "blocked") else taker
