"""Checks of a crew's work, from answers and files alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from bench.crew_calls import Call, Fields
from bench.crew_files import STATES, HandoffFile, memory_lines
from bench.crew_history import FINISHED, History, Matched, Names, Violation

#: Logs say whole seconds: what was sent closer together may stand in either order.
_SECOND = 1.0
FOREVER = float("inf")
PRIORITIES = ("high", "normal", "low")


def lost_or_doubled(
    files: Mapping[str, HandoffFile], calls: Sequence[Call]
) -> Iterator[Violation]:
    """Each send that was accepted is one file, in the workspace that does the work."""
    names = Names(calls)
    sent = Counter(
        names.of(call, call.answer["task_id"])
        for call in calls
        if call.accepted and call.sends
    )
    for name in sent.keys() - files.keys():
        yield Violation("handoff-lost", name)
    for name in files.keys() - sent.keys():
        yield Violation("handoff-doubled", f"{name} was never sent")
    for name, times in sent.items():
        if times > 1:
            yield Violation("handoff-doubled", f"{name} was given {times} times")


def results_as_reported(
    files: Mapping[str, HandoffFile], calls: Sequence[Call]
) -> Iterator[Violation]:
    """Each result that was accepted is one block of its file."""
    names = Names(calls)
    reported = Counter(
        names.of(call, call.request["task_id"])
        for call in calls
        if call.accepted and call.tool == "handoff_report"
    )
    for name, file in files.items():
        if file.results != reported[name]:
            counts = f"{file.results} for {reported[name]} reports"
            yield Violation("results", f"{name} has {counts}")


def memory_as_reported(
    roots: Iterable[Path], calls: Sequence[Call]
) -> Iterator[Violation]:
    """Each memory update that was accepted is in the memory once."""
    found = Counter(memory_lines(roots))
    for call in calls:
        update = call.request.get("memory_update")
        if update and call.accepted and found[update] != 1:
            yield Violation("memory-update", f"{call.key} is there {found[update]}x")


def overlapping_writes(found: Iterable[History]) -> Iterator[Violation]:
    """No two writes that can meet were certainly in progress at one time."""
    for lane in _lanes(found):
        spans = [(*span, history.file) for history in lane for span in _spans(history)]
        busy = list[tuple[float, HandoffFile]]()
        for start, end, name, file in sorted(spans, key=lambda span: span[:3]):
            busy = [one for one in busy if one[0] > start]
            for _, other in busy:
                if other.name != name and can_meet(file, other):
                    yield Violation("two-writes", f"{other.name} and {name}")
            busy.append((end, file))


def can_meet(one: HandoffFile, other: HandoffFile) -> bool:
    """Tell whether two writes can touch one file, by the repositories they name."""
    named = {one.repository.casefold(), other.repository.casefold()} - {""}
    return len(named) < 2


def _lanes(found: Iterable[History]) -> Iterable[Sequence[History]]:
    """Return the writes whose work is done in each workspace."""
    lanes = defaultdict[str, list[History]](list)
    for history in found:
        if history.file.type == "write" and not history.file.away:
            lanes[history.file.slug].append(history)
    return lanes.values()


Span = tuple[float, float, str]


def _spans(history: History) -> Iterator[Span]:
    """Return the span in which a write was surely in progress."""
    for this, after in changes(history):
        end = after.call.started if after else FOREVER
        if (
            this.state == "in_progress"
            and this.call.ended < end
            and not history.put_back
        ):
            yield this.call.ended, end, history.file.name


def changes(history: History) -> Iterator[tuple[Matched, Matched | None]]:
    """Give every change of state with the one after it."""
    changes = [each for each in history.matched if STATES[each.line.verb]]
    return zip_longest(changes, changes[1:])


def out_of_turn(found: Iterable[History]) -> Iterator[Violation]:
    """No write was taken while one that goes before it was certainly open.

    That is one that can touch the same files, is at least as urgent, and was sent
    before it; one that comes after others may wait for them.
    """
    for lane in _lanes(found):
        yield from _before_others([history for history in lane if history.matched])


def _before_others(writes: Sequence[History]) -> Iterator[Violation]:
    waits = [(_sent(h), *span, h) for h in writes for span in _open_spans(h)]
    for history in writes:
        for taken in _in_turn_takes(history):
            for sent, start, end, other in waits:
                earlier = sent.ended + _SECOND < _sent(history).started
                if (
                    earlier
                    and goes_first(other, history)
                    and start < taken.started
                    and taken.ended < end
                ):
                    names = f"{history.file.name} before {other.file.name}"
                    yield Violation("out-of-turn", names)


def is_pool(recipient: str) -> bool:
    """Tell whether a task is for whoever takes it first."""
    return recipient == "any" or recipient.startswith("role:")


def goes_first(one: History, other: History) -> bool:
    """Tell whether a write is before another one of its lane that was sent later."""
    urgent = PRIORITIES.index(one.file.priority) <= PRIORITIES.index(
        other.file.priority
    )
    return (
        urgent and can_meet(one.file, other.file) and not _sent(one).answer.get("after")
    )


def _sent(history: History) -> Call:
    return history.matched[0].call


def _open_spans(history: History) -> Iterator[tuple[float, float]]:
    for this, after in changes(history):
        if this.state == "open":
            yield this.call.ended, after.call.started if after else FOREVER


def _in_turn_takes(history: History) -> Iterator[Call]:
    overridden = False
    for each in history.matched:
        if each.line.verb == "taken" and not overridden:
            yield each.call
        if each.line.verb in {"taken", "overridden"}:
            overridden = each.line.verb == "overridden"


def left_open(records: Sequence[Fields]) -> Iterator[Violation]:
    """Yield unfinished handoffs, with the next actor and the blocker of each."""
    for row in records:
        if row["state"] not in FINISHED:
            acts = f"{row['acts']} acts" if row["acts"] else "nobody acts"
            seen = f"{row['name']} for {row['recipient']} is {row['state']}: {acts}"
            yield Violation("left-open", f"{seen}; {row['waits']}")


def counts_agree(
    found: Mapping[str, History], records: Sequence[Fields]
) -> Iterator[Violation]:
    """The hub's handoffs are the simulation's, each once and in its state."""
    states = Counter((row["name"], row["state"]) for row in records)
    simulated = Counter((name, history.state) for name, history in found.items())
    for name, state in states - simulated:
        yield Violation("counts", f"the hub has {name} {state}")
    for name, state in simulated - states:
        yield Violation("counts", f"the hub has no {name} {state}")
    for name, history in found.items():
        if history.state != history.file.state:
            yield Violation("counts", f"the file of {name} says {history.file.state}")
