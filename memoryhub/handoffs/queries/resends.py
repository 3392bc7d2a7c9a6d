"""To which handoff the work of another went on, when it was handed off again."""

from __future__ import annotations

from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.queries.steps import in_order
from memoryhub.handoffs.rules.acting import DONE, FAILED, UNFINISHED, NotAllowed

HANDED_OFF_AGAIN = "handed off again"
#: Files can name one another in a circle.
_MOST = 50


def why_not_again(verb: str, handoff: Handoff) -> NotAllowed | None:
    """Return why the work is not begun anew: it went on, and is not finished there."""
    reopens = verb == "sent back" and handoff.state in {DONE, FAILED}
    heir = _unfinished_heir(handoff) if verb == HANDED_OFF_AGAIN or reopens else None
    if heir is None:
        return None
    name = handoff.task_id or handoff.code
    return NotAllowed("handoff-again-open", task_id=name, other=heir.task_id)


def _unfinished_heir(handoff: Handoff) -> Handoff | None:
    """Return the handoff that has the work now, if it is not finished."""
    seen = {handoff.pk}
    heir = _heir(handoff)
    while heir and heir.pk not in seen and len(seen) < _MOST:
        if heir.state in UNFINISHED:
            return heir
        seen.add(heir.pk)
        heir = _heir(heir)
    return None


def _heir(handoff: Handoff) -> Handoff | None:
    """Return the one that its log names last; other work is not meant."""
    steps = HandoffStep.objects.filter(
        handoff=handoff, verb=HANDED_OFF_AGAIN, last_seq__isnull=True
    )
    names = [step.detail for step in in_order(steps) if step.detail]
    if not names:
        return None
    return Handoff.objects.filter(
        workspace=handoff.workspace_id,
        task_id=names[-1],
        context=handoff.context,
        last_seq__isnull=True,
    ).first()
