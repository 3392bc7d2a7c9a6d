"""Numbers of whole workspaces, stored for pages that show many of them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from memoryhub import __version__
from memoryhub.database.passing import write_in_passing
from memoryhub.journal.models import StoredCount, Workspace

#: A value in JSON, and until when it holds if no row changes; None for ever.
Counted = tuple[Any, datetime | None]
#: A list counts workspaces of so many journal entries itself: none waits for long.
_AT_ONCE = 100
#: State of a number that a list lacked.
_WANTED = ""


def stored_counts(
    name: str,
    states: dict[Workspace, tuple[object, ...]],
    count: Callable[[Workspace], Counted],
    now: datetime,
) -> dict[int, Any]:
    """Return the value of this name of each workspace, by its id, in one query.

    `states` identify the rows that a value depends on. Where a workspace is in another
    state than at the last count, or time has passed, it is counted again and stored,
    unless the database is busy. Of several only some are counted; the others are
    missing, and left to the server (`wanted_counts`).
    """
    left = _AT_ONCE
    rows = StoredCount.objects.filter(name=name, workspace__in=states)
    known = {row.workspace_id: row for row in rows}
    found = dict[int, Any]()
    for workspace, parts in states.items():
        state = repr((__version__, workspace.projection_version, *parts))
        row = known.get(workspace.pk)
        if row is None or not row.is_of(state, now):
            row = row or StoredCount(workspace=workspace, name=name, value=0)
            if workspace.projected_seq > left and len(states) > 1:
                if row.state or row.pk is None:
                    row.state = _WANTED
                    write_in_passing(row.save)
                continue
            left -= workspace.projected_seq
            row.state = state
            row.value, row.until = count(workspace)
            # At once: a page that takes too long has these at its next try.
            write_in_passing(row.save)
        found[workspace.pk] = row.value
    return found


def wanted_counts() -> list[Workspace]:
    """Return the workspaces whose numbers a list lacked."""
    wanted = StoredCount.objects.filter(state=_WANTED).values("workspace")
    return list(Workspace.objects.filter(pk__in=wanted))
