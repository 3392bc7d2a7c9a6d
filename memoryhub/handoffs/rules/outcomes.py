"""The state of a handoff as a function of its steps. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from memoryhub.formats.hub.handoff import ENDED, SAID, deciding, state_after
from memoryhub.handoffs.rules.acting import OPEN, SIGNED_OFF

#: Verbs after which a decision is to be signed off anew.
UNSIGNS = frozenset({"sent back", "reopened"})
#: Verbs that decide who holds the work: its taker, or nobody any more.
_HOLDS = frozenset({"taken", "put back", "revised", *UNSIGNS})


class Move(NamedTuple):
    """A step of a handoff: a log line or a result.

    `at`: None if unknown. `seq`: journal seq from which a file contains it.
    `confirmed`: a sign-off that a
    person gave at the hub's page; others only stand in a file. `stranger`: work by
    somebody whom the task is not for, which decides nothing.
    """

    verb: str
    actor: str
    at: datetime | None
    reason: str = ""
    is_result: bool = False
    seq: int = 0
    confirmed: bool = False
    stranger: bool = False


class Sent(NamedTuple):
    """When a handoff was sent, and the journal seq at which its task was first read.

    `at`: None if no file says it.
    """

    at: datetime | None
    seq: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """State of a handoff after its moves, as columns of its row."""

    state: str = OPEN
    moves: int = 0
    last_verb: str = ""
    last_actor: str = ""
    last_at: datetime | None = None
    last_reason: str = ""
    signed_by: str = ""
    signed_at: datetime | None = None
    claimed_by: str = ""
    taken_by: str = ""
    taken_at: datetime | None = None
    finished_at: datetime | None = None
    times_sent_back: int = 0
    overridden: bool = False


def outcome_of(
    moves: Iterable[Move], sent: Sent | None = None, *, review: bool = False
) -> Outcome:
    """Return the state that moves lead to, with actors and times.

    The last move is the log's; its time is that of the result if a result without a
    line there decided the state. A result first read together with its task has no
    time. The time of a last move without one is the latest known time.
    """
    moves = [move for move in moves if move.verb != SAID]
    last = next(reversed([m for m in moves if not m.is_result] or moves), None)
    counted = [move for move in moves if not move.stranger]
    log = [move for move in counted if not move.is_result]
    decided = deciding(counted)
    state = state_after(counted, decided, review=review)
    newest = decided if decided and decided.is_result else last
    times = [sent.at if sent else None, *(move.at for move in log)]
    known = max(filter(None, times), default=None)
    signed, claimed = _signs(log)
    taken = [m for m in log if m.verb == "taken"]
    holder = next((m for m in reversed(log) if m.verb in _HOLDS), None)
    outcome = Outcome(
        state=state,
        moves=len(moves),
        last_verb=last.verb if last else "",
        last_actor=last.actor if last else "",
        last_at=newest.at or known if newest else None,
        last_reason=last.reason if last else "",
        signed_by=signed.actor if signed else "",
        signed_at=signed.at if signed else None,
        claimed_by=claimed.actor if claimed and not signed else "",
        taken_by=holder.actor if holder and holder.verb == "taken" else "",
        taken_at=taken[0].at if taken else None,
        finished_at=decided.at if decided and state in ENDED else None,
        times_sent_back=sum(move.verb in UNSIGNS for move in log),
        overridden=_is_overridden(log),
    )
    if sent and decided and decided.is_result and decided.seq == sent.seq:
        return replace(outcome, finished_at=None, last_at=known)
    return outcome


def _signs(log: Sequence[Move]) -> tuple[Move | None, Move | None]:
    """Return the last confirmed sign-off, and the last unconfirmed one.

    Sending back or reopening cancels those before it.
    """
    signed = claimed = None
    for move in log:
        if move.verb in UNSIGNS:
            signed = claimed = None
        elif move.verb == SIGNED_OFF and move.confirmed:
            signed = move
        elif move.verb == SIGNED_OFF:
            claimed = move
    return signed, claimed


def _is_overridden(log: Sequence[Move]) -> bool:
    """Return whether a coordinator allowed it out of turn since it was last taken."""
    for move in reversed(log):
        if move.verb in {"taken", "overridden"}:
            return move.verb == "overridden"
    return False
