"""Tasks that others come after or are part of, by the names in their blocks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from django.db.models import Q, QuerySet

from memoryhub.formats.hub.handoff_blocks import listed_in
from memoryhub.handoffs.log_verbs import SEND
from memoryhub.handoffs.models import IN_TURN, Handoff
from memoryhub.handoffs.queries.resends import heirs_of
from memoryhub.handoffs.queries.sides import handoffs_of
from memoryhub.handoffs.rules.acting import (
    DONE,
    TAKEN_FROM,
    UNFINISHED,
    NotAllowed,
)
from memoryhub.journal.models import Operation, Workspace
from memoryhub.people.roles import is_team

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
