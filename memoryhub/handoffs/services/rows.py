"""Consistent reads: rows that are up to date with the journal."""

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
    """Read rows that are up to date with the journal, in one transaction.

    During a rebuild rows are missing: waits for the workspace's lock and catches up.
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
