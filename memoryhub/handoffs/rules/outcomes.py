"""The state of a handoff as a function of its steps. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memoryhub.dialects.handoff import ENDED, SAID, deciding, state_after
from memoryhub.handoffs.rules.acting import SIGNED_OFF
from memoryhub.journal.day_sources import Precision

if TYPE_CHECKING:
    from memoryhub.handoffs.models import Handoff, HandoffStep

#: Verbs after which a decision is to be signed off anew.
UNSIGNS = frozenset({"sent back", "reopened"})
#: Verbs that decide who holds the work: its taker, or nobody any more.
_HOLDS = frozenset({"taken", "put back", "revised", *UNSIGNS})


def outcome_of(steps: Iterable[HandoffStep], handoff: Handoff) -> dict[str, Any]:
    """Return the state that steps lead to, with actors and times, as columns.

    The last move is the log's; its time is that of the result if a result without a
    line there decided the state. A result first read together with its task has no
    time. The time of a last move without one is the latest known time, at the earliest
    that of the handoff, if a file gives it.
    """
    moves = [step for step in steps if step.verb != SAID]
    last = next(reversed([m for m in moves if not m.is_result] or moves), None)
    counted = [move for move in moves if not move.stranger]
    log = [move for move in counted if not move.is_result]
    decided = deciding(counted)
    state = state_after(counted, decided, review=bool(handoff.review))

    def at(move: HandoffStep | None) -> datetime | None:
        return move.time_of(handoff) if move else None

    is_dated = handoff.precision != Precision.NONE
    times = [handoff.occurred_at if is_dated else None, *map(at, log)]
    known = max(filter(None, times), default=None)
    result = decided if decided and decided.is_result else None
    newest = result or last
    is_timeless = result is not None and result.seq == handoff.first_seq
    signed, claimed = _signs(log)
    holder = next((m for m in reversed(log) if m.verb in _HOLDS), None)
    return {
        "state": state,
        "moves": len(moves),
        "last_verb": last.verb if last else "",
        "last_actor": last.actor if last else "",
        "last_at": (None if is_timeless else at(newest)) or (known if newest else None),
        "last_reason": last.reason if last else "",
        "signed_by": signed.actor if signed else "",
        "signed_at": at(signed),
        "claimed_by": claimed.actor if claimed and not signed else "",
        "taken_by": holder.actor if holder and holder.verb == "taken" else "",
        "taken_at": at(next((m for m in log if m.verb == "taken"), None)),
        "finished_at": at(decided) if state in ENDED and not is_timeless else None,
        "times_sent_back": sum(move.verb in UNSIGNS for move in log),
        "overridden": _is_overridden(log),
    }


def _signs(log: Sequence[HandoffStep]) -> tuple[HandoffStep | None, HandoffStep | None]:
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


def _is_overridden(log: Sequence[HandoffStep]) -> bool:
    """Return whether a coordinator allowed it out of turn since it was last taken."""
    for move in reversed(log):
        if move.verb in {"taken", "overridden"}:
            return move.verb == "overridden"
    return False
