"""Steps of a handoff that do not count: work by somebody whom the task is not for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memoryhub.handoffs.log_verbs import SIGN, STEP
from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.rules.parties import is_strange
from memoryhub.handoffs.task_verbs import REVISE
from memoryhub.journal.models import Operation

#: Operations that write lines into a log.
_WRITING = (STEP, SIGN, REVISE)
Line = tuple[str, str, datetime]


def strange_steps(
    handoff: Handoff, steps: Sequence[HandoffStep], slug: str, until: int
) -> frozenset[int]:
    """Return the ids of the steps that do not count, by the journal up to `until`.

    One query where a line is by an unexpected actor.
    """
    log = [step for step in steps if not step.is_result]
    odd = [s for s in log if is_strange(s.verb, s.actor, handoff, slug)]
    if not odd:
        return frozenset()
    written = _written(handoff, until)
    takers, found = set[str](), set[int]()
    for step in log:
        if is_strange(step.verb, step.actor, handoff, slug, takers):
            at = step.happened_at
            if at is None or (step.actor, step.verb, at) not in written:
                found.add(step.id)
                continue
        if step.verb == "taken":
            takers.add(step.actor)
    return frozenset(found)


def _written(handoff: Handoff, until: int) -> set[Line]:
    """Return the lines that the hub wrote about a handoff, into whatever file."""
    operations = Operation.objects.order_by().filter(
        workspace=handoff.workspace_id,
        verb__in=_WRITING,
        version_seq__lte=until,
        payload__row=handoff.code,
    )
    return {
        (line["actor"][:200], line["verb"], datetime.fromisoformat(line["at"]))
        for payload in operations.values_list("payload", flat=True)
        for line in payload["lines"]
        if line["at"]
    }
