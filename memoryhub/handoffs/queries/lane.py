"""The write lane of a workspace, and its other unfinished handoffs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import NamedTuple

from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce

from memoryhub.dialects.handoff import STATES, listed_in
from memoryhub.handoffs.log_verbs import SEND
from memoryhub.handoffs.models import IN_TURN, NOT_LISTED, Handoff, HandoffStep
from memoryhub.handoffs.queries.resends import heirs_of
from memoryhub.handoffs.queries.sides import handoffs_of, seen_from
from memoryhub.handoffs.rules.acting import (
    DECISION,
    DONE,
    IN_PROGRESS,
    OPEN,
    READ_ONLY,
    TAKEN_FROM,
    UNFINISHED,
    WRITE,
    Lane,
    NotAllowed,
    can_meet,
    lane_of,
    turn_of,
)
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.page_cache import RowMemo, cached_by_handoffs, relate
from memoryhub.people.roles import is_team
from topics.models import Topic

#: Most parts of a task that are shown with it.
_PARTS = 50
#: Columns that tell a task's state, and whose work was handed off again.
_CHAIN = ("workspace_id", "task_id", "state", "origin", "context")


def states_after(workspace: Workspace) -> Mapping[str, str]:
    """Return the states of tasks that untaken ones of a workspace come after."""
    waiting = Handoff.objects.filter(
        workspace=workspace, state__in=TAKEN_FROM, after__gt="", last_seq__isnull=True
    )
    return states_named(workspace, waiting.order_by().values_list("after", flat=True))


def states_named(workspace: Workspace, lists: Iterable[str]) -> Mapping[str, str]:
    """Return the state of each task that these lists name; names unknown are left out.

    Of several tasks with one name, one that is not done decides.
    """
    return states_of(last_named(workspace, lists))


def states_of(named: Mapping[str, Sequence[Handoff]]) -> Mapping[str, str]:
    """Return the state of each name, of its first task that is not done."""
    return {
        name: next((row.state for row in rows if row.state != DONE), DONE)
        for name, rows in named.items()
    }


def last_named(
    workspace: Workspace, lists: Iterable[str]
) -> Mapping[str, Sequence[Handoff]]:
    """Return the tasks that these lists name, by name, with a few columns only.

    Of work that was handed off again it is the last handoff.
    """
    names = {name for names in lists for name in listed_in(names)}
    found = tasks_named(workspace, names, columns=_CHAIN)
    last = heirs_of(row for rows in found.values() for row in rows)
    return {name: [last[row.pk] for row in rows] for name, rows in found.items()}


def tasks_named(
    workspace: Workspace,
    names: Iterable[str],
    *,
    bound: bool = False,
    columns: Sequence[str] = (),
) -> Mapping[str, list[Handoff]]:
    """Return the tasks by name: an id of this workspace, or ``workspace/id``.

    With `columns` only these are read; without, also those of the workspace and file.

    In a team, and for the token of one workspace (`bound`), another workspace's task is
    known only if that workspace named it in a handoff that it sent here: other names
    would tell of workspaces of others.
    """
    wanted = set(names)
    if not wanted:
        return {}
    found = defaultdict(list)
    for row in _read(handoffs_of(workspace).filter(task_id__in=wanted), columns):
        found[row.task_id].append(row)
    apart = Q()
    missing = wanted - found.keys()
    only_sent = bound or is_team()
    for name in _named_by_senders(workspace, missing) if only_sent else missing:
        slug, slash, task_id = name.partition("/")
        apart |= Q(workspace__slug=slug, task_id=task_id) if slash else Q()
    if apart:
        elsewhere = Handoff.objects.filter(apart, last_seq__isnull=True)
        for row in _read(elsewhere, (*columns, "workspace__slug") if columns else ()):
            found[f"{row.workspace.slug}/{row.task_id}"].append(row)
    return found


def _read(rows: QuerySet[Handoff], columns: Sequence[str]) -> QuerySet[Handoff]:
    if not columns:
        return rows.select_related("workspace", "file")
    joined = rows.select_related("workspace") if "workspace__slug" in columns else rows
    return joined.only(*columns)


def _named_by_senders(workspace: Workspace, names: Iterable[str]) -> set[str]:
    """Return those of these names that their workspace has sent here in a handoff."""
    wanted = {name for name in names if "/" in name}
    slugs = {name.partition("/")[0] for name in wanted}
    sent = Operation.objects.order_by().filter(
        workspace=workspace, verb=SEND, payload__fields__origin__in=slugs
    )
    payloads = sent.values_list("payload", flat=True) if wanted else ()
    return wanted & {
        name
        for payload in payloads
        for task in [payload["task"]]
        for name in (*listed_in(task.get("after", "")), task.get("parent", ""))
        if name.startswith(f"{payload['fields']['origin']}/")
    }


def named_at(
    home: Workspace, workspace: Workspace, names: Iterable[str], *, bound: bool
) -> list[str]:
    """Return names of tasks as the workspace calls them that does the work.

    `bound`: for the token of one workspace.

    Raises:
        NotAllowed: ``handoff-after-unknown``, there is no such task.
    """
    wanted = list(names)
    found = tasks_named(workspace, wanted, bound=bound)
    for name in wanted:
        if name not in found:
            raise NotAllowed("handoff-after-unknown", task_id=name)
    return [_name_at(home, found[name][0], name) for name in wanted]


def _name_at(home: Workspace, row: Handoff, name: str) -> str:
    if row.workspace_id == home.pk:
        return row.task_id
    return name if "/" in name else f"{row.workspace.slug}/{row.task_id}"


def unfinished_parts(handoff: Handoff) -> list[Handoff]:
    """Return the parts of a task that are not finished."""
    return [part for part in parts_of(handoff) if part.state in UNFINISHED]


def parts_of(handoff: Handoff) -> list[Handoff]:
    """Return the tasks that are part of a task, in the order they were sent."""
    name = handoff.task_id
    names = [name, f"{handoff.workspace.slug}/{name}"] if name else []
    rows = handoffs_of(handoff.workspace).filter(parent__in=names, parent__gt="")
    return list(rows.select_related("workspace").order_by(*IN_TURN)[:_PARTS])


#: Columns that the lane needs of a write.
_SENT = (
    "task_id", "sender", "recipient", "state", "taken_by", "occurred_at", "last_at",
    "first_seq", "position", "context", "after", "repository", "paths", "priority",
    "overridden",
)  # fmt: skip
#: Writes that are not all of one lane, in the order they were sent.
_APART = Q(repository__gt="") | Q(paths__gt="") | Q(priority__gt="") | Q(after__gt="")
#: Of several in progress two are enough: one of them is not the row asked about.
_BEGUN = 2
#: Unfinished handoffs of workspaces as they were read last.
_ROWS: RowMemo[Handoff] = RowMemo(100)


@dataclass(frozen=True)
class OpenWork:
    """The unfinished handoffs of a workspace in the order they were sent."""

    rows: tuple[Handoff, ...]
    #: States of the tasks that some of them come after, by name.
    states: Mapping[str, str] = field(default_factory=dict)
    #: Ids of these tasks by name; of work handed off again that of the last handoff.
    named: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @cached_property
    def lane(self) -> Lane:
        lane = lane_of(row for row in self.rows if row.in_lane)
        return replace(lane, states=self.states)

    @cached_property
    def reads(self) -> tuple[Handoff, ...]:
        """Reads in progress, the last begun first."""
        reads = [
            row
            for row in self.rows
            if row.type == READ_ONLY and row.state == IN_PROGRESS and not row.away
        ]
        return tuple(sorted(reads, key=lambda r: (r.since, turn_of(r)), reverse=True))

    @cached_property
    def waits(self) -> tuple[Handoff, ...]:
        """Handoffs whose sender waits for somebody else to act."""
        rows = (row for row in self.rows if row.sender and row.acts)
        return tuple(row for row in rows if row.acts != row.sender)

    @cached_property
    def unsigned(self) -> tuple[Handoff, ...]:
        """Decisions in progress without a sign-off."""
        begun = (row for row in self.rows if row.state == IN_PROGRESS)
        return tuple(r for r in begun if r.type == DECISION and not r.signed_by)


def turns(workspace: Workspace, row_id: int | None = None) -> Lane:
    """Return the part of the lane that decides on one write, in one query.

    These are writes in progress, the first open one and the write itself; all of them
    where one names files, a priority or what it comes after. Without an id: the part
    that decides on any write, once that write is added.
    """
    alive = Handoff.objects.filter(workspace=workspace, last_seq__isnull=True)
    writes = alive.filter(in_lane=True).order_by(*IN_TURN)
    rows = writes if writes.filter(_APART).exists() else _first(writes, row_id)
    lane = lane_of(rows.only(*_SENT))
    return replace(lane, states=states_after(workspace))


def turns_listed(workspace: Workspace) -> Lane:
    """Return the lane for lists, which decide nothing; cached until a handoff changes.

    What begins a write asks `turns`, in the lane's lock.
    """
    return cached_by_handoffs(workspace, "turns", lambda: turns(workspace))


def _first(writes: QuerySet[Handoff], row_id: int | None) -> QuerySet[Handoff]:
    """Return the writes that decide where all are of one lane."""
    first = writes.filter(state=OPEN)[:1]
    begun = writes.filter(state=IN_PROGRESS)[:_BEGUN]
    return writes.filter(
        Q(pk=row_id) | Q(pk__in=begun.values("pk")) | Q(pk__in=first.values("pk"))
    )


def open_work(workspace: Workspace) -> OpenWork:
    """Return unfinished handoffs; cached until a handoff changes."""
    return cached_by_handoffs(workspace, "unfinished", lambda: unfinished(workspace))


def unfinished(workspace: Workspace) -> OpenWork:
    """Return unfinished handoffs, also those whose work is done elsewhere."""
    rows = handoffs_of(workspace).filter(state__in=UNFINISHED).order_by(*IN_TURN)
    read = _ROWS.read(workspace.pk, rows.defer(*NOT_LISTED))
    topics = {row.topic_id for row in read if row.topic_id}
    relate(read, "topic", Topic.objects.in_bulk(topics))
    found = tuple(seen_from([workspace], read))
    lists = [row.after for row in found if row.after]
    last = last_named(workspace, lists) if lists else {}
    ids = {name: tuple(row.pk for row in rows) for name, rows in last.items()}
    return OpenWork(found, states_of(last), ids)


#: How long a past overlap is shown; most writes that are searched.
_SHOWN_FOR = timedelta(days=3)
_WRITES = 200
_OVERLAPS = 3


class Overlap(NamedTuple):
    """A period in which several writes were in progress."""

    begun: datetime
    ended: datetime
    names: tuple[str, ...]


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
    rows = steps.order_by("at", "first_seq", "first_line").values_list(
        "handoff_id", "task_id", "at", "verb", "handoff__repository", "handoff__paths"
    )
    return tuple(reversed([*_overlaps_in(rows)][-_OVERLAPS:]))


def _overlaps_in(
    steps: Iterable[tuple[int, str, datetime, str, str, str]],
) -> Iterator[Overlap]:
    """Yield the periods with more than one write in progress, in order of their end."""
    running: dict[int, tuple[str, Handoff]] = {}
    names: dict[str, None] = {}
    begun: datetime | None = None
    for pk, task_id, at, verb, repository, paths in steps:
        if not STATES.get(verb):
            continue
        if STATES[verb] == IN_PROGRESS:
            running[pk] = task_id, Handoff(repository=repository, paths=paths)
        else:
            running.pop(pk, None)
        writes = [one for _, one in running.values()]
        met = [
            name
            for name, one in running.values()
            if any(other is not one and can_meet(one, other) for other in writes)
        ]
        if met:
            begun = begun or at
            names |= dict.fromkeys(met)
        elif begun is not None:
            if at > begun:
                yield Overlap(begun, at, tuple(names))
            names, begun = {}, None
