"""Completions of arguments: topics, handoffs, agents, workspaces, snapshots, days."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from mcp_types import (
    Completion,
    CompletionArgument,
    PromptReference,
    ResourceTemplateReference,
)

from memoryhub.handoffs.models import UNDATED_LAST, Handoff
from memoryhub.handoffs.queries.sides import handoffs_of, seen_from
from memoryhub.journal.models import Agent, SourceFile, Workspace
from memoryhub.mcp.connections import Connection
from memoryhub.sync.edit.gate import PRIVATE
from snapshots.queries.snapshots import newest_snapshots
from topics.models import Topic

#: Most values of an answer, as the protocol allows; most rows looked at.
_MOST, _ROWS = 100, 2_000


def completed(
    ref: PromptReference | ResourceTemplateReference,
    argument: CompletionArgument,
    known: Mapping[str, str],
    connection: Connection,
) -> Completion:
    """Return values of an argument that begin with or contain the typed text.

    `known`: arguments that have a value already, such as the workspace.

    Raises:
        ToolError: ``scope-missing``.
        NoSuchWorkspace: no such workspace, or none named and several exist.
    """
    name = argument.name
    if name == "workspace":
        found = [workspace.slug for workspace in connection.workspaces()]
        return _matching(found, argument.value)
    if name == "id" and isinstance(ref, ResourceTemplateReference):
        name = "handoff" if "/handoffs/" in ref.uri else "snapshot"
    values = _VALUES.get(name)
    if values is None:
        return Completion(values=[], total=0, has_more=False)
    caller = connection.reader(known.get("workspace", ""))
    return _matching(values(caller.workspace, caller.private), argument.value)


def _matching(found: Iterable[str], typed: str) -> Completion:
    """Return the values that contain a text, those that begin with it first."""
    text = typed.casefold()
    names = list(dict.fromkeys(name for name in found if text in name.casefold()))
    names.sort(key=lambda name: not name.casefold().startswith(text))
    return Completion(
        values=names[:_MOST], total=len(names), has_more=len(names) > _MOST
    )


def _topics(workspace: Workspace, private: bool) -> list[str]:
    rows = Topic.objects.filter(workspace=workspace, last_seq__isnull=True)
    if not private:
        rows = rows.exclude(file__path__iexact=PRIVATE)
    return list(rows.order_by("name").values_list("slug", flat=True)[:_ROWS])


def _handoffs(workspace: Workspace, private: bool) -> list[str]:
    """Return ids of handoffs, unfinished and new ones first."""
    rows = handoffs_of(workspace)
    if not private:
        rows = rows.exclude(file__path__iexact=PRIVATE)
    ended = ("done", "failed", "withdrawn")
    order = (UNDATED_LAST, "-occurred_at", "-task_id")
    newest = rows.select_related("workspace").order_by(*order)
    found: list[Handoff] = seen_from([workspace], newest[:_ROWS])
    found.sort(key=lambda row: row.state in ended)
    return [row.name for row in found]


def _agents(workspace: Workspace, private: bool) -> list[str]:
    rows = Agent.objects.filter(workspace=workspace)
    return list(rows.order_by("name").values_list("name", flat=True)[:_ROWS])


def _snapshots(workspace: Workspace, private: bool) -> list[str]:
    rows = newest_snapshots(workspace, private=private)
    return [row.snapshot_id for row in rows[:_MOST]]


def _files(workspace: Workspace, private: bool) -> list[str]:
    rows = SourceFile.objects.filter(workspace=workspace, present=True)
    if not private:
        rows = rows.exclude(path__iexact=PRIVATE)
    return list(rows.order_by("path").values_list("path", flat=True)[:_ROWS])


#: By the name of an argument of a prompt or of a resource's address.
_VALUES: Mapping[str, Callable[[Workspace, bool], list[str]]] = {
    "topic": _topics,
    "agent": _agents,
    "handoff": _handoffs,
    "snapshot": _snapshots,
    "path": _files,
}
