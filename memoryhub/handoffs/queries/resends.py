"""The chain of handoffs that were handed off again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from django.db.models import Q

from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.queries.sides import handoffs_of
from memoryhub.handoffs.rules.acting import REOPENED, UNFINISHED, NotAllowed
from memoryhub.journal.models import Workspace


def in_order(steps: Iterable[HandoffStep]) -> list[HandoffStep]:
    """Return steps in the order they became known, within a file from top to bottom.

    A line inserted above others counts as earlier, whenever it was inserted. Results
    are ordered apart from log lines.
    """
    reached: dict[tuple[int, bool], int] = {}
    places: dict[int, tuple[int, bool, int]] = {}
    found = sorted(steps, key=lambda step: (step.file_id, step.first_line))
    for step in found:
        kind = step.file_id, step.is_result
        reached[kind] = max(reached.get(kind, 0), step.first_seq)
        places[step.id] = reached[kind], step.is_result, step.first_line
    return sorted(found, key=lambda step: places[step.id])


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


def heirs_of(handoffs: Iterable[Handoff]) -> dict[int, Handoff]:
    """Return by id the handoff that has the work now: the last one of its chain."""
    last = {handoff.pk: handoff for handoff in handoffs}
    seen = {key: {key} for key in last}
    open_ends = set(last)
    while open_ends:
        heirs = _heirs([last[key] for key in open_ends])
        for key in list(open_ends):
            heir = heirs.get(last[key].pk)
            if heir is None or heir.pk in seen[key] or len(seen[key]) >= _MOST:
                open_ends.remove(key)
            else:
                seen[key].add(heir.pk)
                last[key] = heir
    return last


def _unfinished_heir(handoff: Handoff) -> Handoff | None:
    """Return the first handoff along the chain that is unfinished."""
    seen = {handoff.pk}
    heir = _heirs([handoff]).get(handoff.pk)
    while heir and heir.pk not in seen and len(seen) < _MOST:
        if heir.state in UNFINISHED:
            return heir
        seen.add(heir.pk)
        heir = _heirs([heir]).get(heir.pk)
    return None


def _heirs(handoffs: Iterable[Handoff]) -> dict[int, Handoff]:
    """Return by id the handoff that a log names last, if it is for the same work."""
    named = _named_last(handoffs)
    by_sides = defaultdict[tuple[int, str], list[Handoff]](list)
    for handoff in handoffs:
        if handoff.pk in named:
            by_sides[handoff.workspace_id, handoff.origin].append(handoff)
    found = dict[int, Handoff]()
    for (home, origin), those in by_sides.items():
        sides = Workspace.objects.filter(Q(pk=home) | Q(slug=origin))
        rows = handoffs_of(*sides).filter(task_id__in={named[one.pk] for one in those})
        heirs = list(rows.order_by("pk"))
        for one in those:
            wanted = named[one.pk], one.context
            for heir in heirs:
                if (heir.task_id, heir.context) == wanted and heir.pk != one.pk:
                    found.setdefault(one.pk, heir)
    return found


def _named_last(handoffs: Iterable[Handoff]) -> dict[int | None, str]:
    steps = HandoffStep.objects.filter(
        handoff__in=[handoff.pk for handoff in handoffs],
        verb=HANDED_OFF_AGAIN,
        last_seq__isnull=True,
    )
    by_handoff = defaultdict[int | None, list[HandoffStep]](list)
    for step in steps:
        by_handoff[step.handoff_id].append(step)
    named = {
        key: [step.detail for step in in_order(those) if step.detail]
        for key, those in by_handoff.items()
    }
    return {key: details[-1] for key, details in named.items() if details}
