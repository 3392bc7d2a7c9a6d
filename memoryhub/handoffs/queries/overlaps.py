"""Recent periods in which several writes of a workspace were in progress at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models.functions import Coalesce

from memoryhub.formats.hub.handoff import STATES
from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.rules.acting import IN_PROGRESS, WRITE, can_meet
from memoryhub.journal.models import Workspace

#: How long a past overlap is shown; most writes that are searched.
_SHOWN_FOR = timedelta(days=3)
_WRITES = 200
_MOST = 3


class Overlap(NamedTuple):
    """A period in which several writes were in progress."""

    begun: datetime
    ended: datetime
    names: tuple[str, ...]


class _Turn(NamedTuple):
    """A step by which a write comes into progress or leaves it."""

    handoff: int
    name: str
    at: datetime
    begins: bool
    repository: str = ""
    paths: str = ""


def past_overlaps(workspace: Workspace, now: datetime) -> tuple[Overlap, ...]:
    """Return the overlaps that have ended, the newest first, in one query."""
    recent = Handoff.objects.filter(
        workspace=workspace,
        last_seq__isnull=True,
        type=WRITE,
        twin="",
        last_at__gte=now - _SHOWN_FOR,
    ).order_by("-last_at")[:_WRITES]
    steps = HandoffStep.objects.filter(
        handoff__in=recent.values("pk"), last_seq__isnull=True
    ).annotate(at=Coalesce("happened_at", "recorded_at"))
    said = steps.order_by("at", "first_seq", "first_line").values_list(
        "handoff_id", "task_id", "at", "verb", "handoff__repository", "handoff__paths"
    )
    turns = (
        _Turn(handoff or 0, name, at, STATES[verb] == IN_PROGRESS, repository, paths)
        for handoff, name, at, verb, repository, paths in said
        if STATES.get(verb)
    )
    return tuple(reversed([*overlaps_in(turns)][-_MOST:]))


def _meeting(running: Sequence[_Turn]) -> list[str]:
    """Return the names of writes that can touch the files of another one."""
    return [
        one.name
        for one in running
        if any(other is not one and can_meet(one, other) for other in running)
    ]


def overlaps_in(turns: Iterable[_Turn]) -> Iterator[Overlap]:
    """Yield the periods with more than one write in progress, in order of their end."""
    running: dict[int, _Turn] = {}
    names: dict[str, None] = {}
    begun: datetime | None = None
    for turn in turns:
        if turn.begins:
            running[turn.handoff] = turn
        else:
            running.pop(turn.handoff, None)
        if met := _meeting(list(running.values())):
            begun = begun or turn.at
            names |= dict.fromkeys(met)
        elif begun is not None:
            if turn.at > begun:
                yield Overlap(begun, turn.at, tuple(names))
            names, begun = {}, None
