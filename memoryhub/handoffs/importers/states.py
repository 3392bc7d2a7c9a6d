"""State of a handoff from its steps, and the timeline events of new steps."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields

from memoryhub.events.importers import Happening, add_event
from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.queries.signing import Signature, is_confirmed
from memoryhub.handoffs.rules.acting import SIGNED_OFF
from memoryhub.handoffs.rules.outcomes import Move, Outcome, Sent, outcome_of
from memoryhub.handoffs.rules.standing import in_lane, who_acts
from memoryhub.journal.changes import Change
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.models import Agent

#: Timeline verbs of log verbs that lead to a state: results use the state as verb.
_TOLD = {"taken": "in_progress"}
#: Columns of a row that `outcome_of` computes.
_OUTCOME = tuple(column.name for column in fields(Outcome))


def write_state(
    change: Change,
    handoff: Handoff,
    steps: list[HandoffStep],
    given: frozenset[Signature],
    strange: Collection[int] = (),
) -> None:
    """Store the state that the steps lead to, and add a timeline event per new step.

    Only sign-offs that a person has `given` count; `strange` steps do not.
    """
    for step in steps:
        if step.stranger != (step.id in strange):
            step.stranger = step.id in strange
            change.rows.update(HandoffStep, step.id, stranger=step.stranger)
    for step in steps:
        confirmed = is_sign_off(step) and is_confirmed(step, handoff, given)
        if step.confirmed != confirmed:
            step.confirmed = confirmed
            change.rows.update(HandoffStep, step.id, confirmed=confirmed)
    is_dated = handoff.precision != Precision.NONE
    sent = Sent(handoff.occurred_at if is_dated else None, handoff.first_seq)
    moves = [_move_of(step, handoff) for step in steps]
    outcome = outcome_of(moves, sent, review=bool(handoff.review))
    results = [step for step in steps if step.is_result]
    values = {name: getattr(outcome, name) for name in _OUTCOME}
    result = results[-1] if results else HandoffStep(verb="")
    values |= {
        "result_status": result.verb[:20],
        "result": result.output,
        "side_effects": result.side_effects,
        "memory_update": result.memory_update,
    }
    values["acts"] = who_acts(handoff, outcome)
    values["in_lane"] = in_lane(handoff, outcome)
    is_new = handoff.first_seq == change.seq and handoff.state == ""
    if any(getattr(handoff, name) != value for name, value in values.items()):
        change.rows.update(Handoff, handoff.id, **values)
    for step in steps:
        if step.handoff_id != handoff.id:
            change.rows.update(HandoffStep, step.id, handoff_id=handoff.id)
    _tell_all(change, handoff, steps, outcome, is_new=is_new)


def is_sign_off(step: HandoffStep) -> bool:
    """Return whether a step is a sign-off line of a log."""
    return step.verb == SIGNED_OFF and not step.is_result


def _move_of(step: HandoffStep, handoff: Handoff) -> Move:
    return Move(
        step.verb,
        step.actor,
        step.time_of(handoff),
        step.reason,
        is_result=step.is_result,
        seq=step.first_seq,
        confirmed=step.confirmed,
        stranger=step.stranger,
    )


def _tell_all(
    change: Change,
    handoff: Handoff,
    steps: list[HandoffStep],
    outcome: Outcome,
    *,
    is_new: bool,
) -> None:
    """Add a timeline event for every new log line and every other state change.

    A state can change without a line: by a result alone, or by one that was taken back.
    """
    if is_new:
        _tell(change, handoff, "sent", None)
    log = [step for step in steps if not (step.is_result or step.stranger)]
    new = [s for s in log if s.first_seq == change.seq and s.verb != "sent"]
    for step in new:
        verb = _TOLD.get(step.verb, step.verb.replace(" ", "_"))
        if is_sign_off(step) and not step.confirmed:
            verb = "sign_off_claimed"
        _tell(change, handoff, verb, step)
    before = Handoff.State.OPEN.value if is_new else handoff.state
    if not new and before != outcome.state:
        holder = outcome.taken_by or handoff.recipient
        _tell(change, handoff, outcome.state, steps[-1] if steps else None, holder)


def _tell(
    change: Change,
    handoff: Handoff,
    verb: str,
    step: HandoffStep | None,
    holder: str = "",
) -> None:
    """Add the event of a step; a result without an actor is that of its `holder`."""
    sent = verb == "sent"
    happened = step.happened_at if step else None
    at = handoff.occurred_at if sent else happened
    precision = handoff.precision if sent else Precision.SECOND.value
    actor = step.actor if step else handoff.sender if sent else ""
    if step and step.is_result:
        actor = actor or holder
    happening = Happening(
        "handoff",
        verb,
        handoff.context or handoff.task_id,
        handoff.id,
        step.reason if step else "",
        at=at,
        precision=precision if at else Precision.NONE.value,
        agent_id=_agent_of(change, handoff, actor or handoff.sender, holder),
        topic_id=handoff.topic_id,
        line=handoff.first_line,
        data={
            "id": handoff.task_id,
            "from": handoff.sender,
            "to": handoff.recipient,
            "type": handoff.type,
            "by": actor,
        },
        origin=handoff.origin,
    )
    add_event(change, happening)


def _agent_of(change: Change, handoff: Handoff, actor: str, holder: str) -> int | None:
    """Return the agent of a step; None for people, and for others whom it is not of."""
    if actor == handoff.sender:
        return handoff.agent_id
    if actor in (handoff.recipient, holder):
        return change.row_id(Agent, actor)
    return change.acting_id if actor == change.actor else None
