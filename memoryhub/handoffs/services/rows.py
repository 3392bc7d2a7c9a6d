"""Rows to decide by: all that the journal says, at one moment."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from memoryhub.disk.files import locked
from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import workspace_lock
from memoryhub.sync.record.projection import catch_up


@contextmanager
def certain(*workspaces: Workspace) -> Iterator[None]:
    """Read rows that say all that the journal does, at one moment.

    While a rebuild makes them anew there are fewer; it is waited for.
    """
    while True:
        with transaction.atomic():
            behind = [workspace for workspace in workspaces if _is_behind(workspace)]
            if not behind:
                yield
                return
        for workspace in behind:
            with locked(workspace_lock(workspace)):
                catch_up(workspace)


def _is_behind(workspace: Workspace) -> bool:
    workspace.refresh_from_db(fields=["projected_seq", "last_seq"])
    return workspace.projected_seq < workspace.last_seq
