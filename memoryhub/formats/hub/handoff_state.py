"""State of a handoff: which line of its log, or which result, decides it.

A result belongs to a line whose verb is its status, unless that line is older: the work
was reported again. Without a line of its own it counts as one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

#: The verbs of the log and the state each leads to; others leave it as it was.
STATES = {
    "sent": "open",
    "signed off": "",
    "sent back": "returned",
    "revised": "open",
    "reopened": "open",
    "taken": "in_progress",
    "put back": "open",
    "blocked": "blocked",
    "done": "done",
    "accepted": "done",
    "failed": "failed",
    "withdrawn": "withdrawn",
    "overridden": "",
    "said": "",
    "handed off again": "",
}
#: The states in which the work is over.
ENDED = frozenset({"done", "failed", "withdrawn"})
#: The statuses of a result; its line in the log has the same word.
RESULTS = frozenset({"done", "failed", "blocked"})


#: A message in the thread of a handoff: it changes nothing.
SAID = "said"
#: State of work that is done and that its task asks to be accepted.
REVIEW = "review"


class Report(Protocol):
    """A line of a log, or a result; `seq` is the first revision that contains it."""

    @property
    def verb(self) -> str: ...
    @property
    def is_result(self) -> bool: ...
    @property
    def seq(self) -> int: ...


T = TypeVar("T", bound=Report)


def state_of_verb(verb: str, *, review: bool) -> str:
    """Return the state that a verb leads to, of a task to be reviewed or not."""
    return REVIEW if review and verb == "done" else STATES[verb]


def state_after(
    reports: Iterable[T], decided: T | None, *, review: bool = False
) -> str:
    """Return the state that the item leads to which decides among all of them.

    `review`: the task asks that its result is accepted.
    Files of before `reopened` send back work that has ended: it is open again.
    """
    if decided is None:
        return "open"
    if decided.verb != "sent back":
        return state_of_verb(decided.verb, review=review)
    before = list(reports)
    place = next(n for n, report in enumerate(before) if report is decided)
    later = (t for t in before[place + 1 :] if t.is_result and t.seq <= decided.seq)
    last = deciding([*before[:place], *later])
    return "open" if last and STATES[last.verb] in ENDED else "returned"


def deciding(reports: Iterable[T]) -> T | None:
    """Return the item that decides the state of a handoff, from all items in order.

    It is the last verb of the log that leads to a state, or the newest result if it has
    no log line and no newer line follows. None if the handoff is as it was sent.
    """
    reports = list(reports)
    log = [t for t in reports if not t.is_result]
    last = next((t for t in reversed(log) if STATES.get(t.verb)), None)
    result = next((t for t in reversed(reports) if t.is_result), None)
    if result is None or result.verb not in RESULTS or _has_line(result, reports):
        return last
    return last if last and last.seq > result.seq else result


def _has_line(result: Report, reports: Iterable[Report]) -> bool:
    """Return whether older results leave a log line for the newest one."""
    same = [t for t in reports if t.verb == result.verb]
    lines = sum(t.seq >= result.seq for t in same if not t.is_result)
    return lines >= sum(t.seq == result.seq for t in same if t.is_result)
