"""The chain of handoffs that were handed off again."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Q

from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.queries.sides import handoffs_of
from memoryhub.handoffs.queries.steps import in_order
from memoryhub.handoffs.rules.acting import REOPENED, UNFINISHED, NotAllowed
from memoryhub.journal.models import Workspace

HANDED_OFF_AGAIN = "handed off again"
#: Longest chain that is followed: files can name one another in a circle.
_MOST = 50


def why_not_again(verb: str, handoff: Handoff) -> NotAllowed | None:
    """Return why work cannot restart: its follow-up is unfinished."""
    restarts = verb in {HANDED_OFF_AGAIN, REOPENED}
    heir = _unfinished_heir(handoff) if restarts else None
    if heir is None:
        return None
    name = handoff.task_id or handoff.code
    return NotAllowed("handoff-again-open", task_id=name, other=heir.task_id)


def handed_off_again(handoffs: Iterable[Handoff]) -> set[int]:
    """Return the ids of the handoffs whose work was handed off again."""
    steps = HandoffStep.objects.filter(
        handoff__in=[handoff.pk for handoff in handoffs],
        verb=HANDED_OFF_AGAIN,
        last_seq__isnull=True,
    )
    return set(steps.order_by().values_list("handoff_id", flat=True))


def heir_of(handoff: Handoff) -> Handoff:
    """Return the handoff that has the work now: the last one of the chain."""
    seen, last = {handoff.pk}, handoff
    while (heir := _heir(last)) and heir.pk not in seen and len(seen) < _MOST:
        seen.add(heir.pk)
        last = heir
    return last


def _unfinished_heir(handoff: Handoff) -> Handoff | None:
    """Return the first handoff along the chain that is unfinished."""
    seen = {handoff.pk}
    heir = _heir(handoff)
    while heir and heir.pk not in seen and len(seen) < _MOST:
        if heir.state in UNFINISHED:
            return heir
        seen.add(heir.pk)
        heir = _heir(heir)
    return None


def _heir(handoff: Handoff) -> Handoff | None:
    """Return the handoff that the log names last, if it is for the same work."""
    steps = HandoffStep.objects.filter(
        handoff=handoff, verb=HANDED_OFF_AGAIN, last_seq__isnull=True
    )
    names = [step.detail for step in in_order(steps) if step.detail]
    if not names:
        return None
    sides = Workspace.objects.filter(
        Q(pk=handoff.workspace_id) | Q(slug=handoff.origin)
    )
    rows = handoffs_of(*sides).filter(task_id=names[-1], context=handoff.context)
    return rows.exclude(pk=handoff.pk).first()
