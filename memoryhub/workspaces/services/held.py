"""Confirmation by a person that held files were deleted."""

from __future__ import annotations

from memoryhub.errors.base import ToolError
from memoryhub.journal.models import Workspace
from memoryhub.sync.edit.holding import WorkspaceAway, held_files
from memoryhub.sync.engine import SyncReport, WorkspaceGone, sync_workspace


def accept_deletions(workspace: Workspace, *, seen: int) -> SyncReport:
    """Record the held files as deleted; import all other changes.

    Raises:
        ToolError: ``held-other``, the number of held files differs from `seen`.
        WorkspaceAway: the workspace's folder is missing.
    """
    held = held_files(workspace).count()
    if held != seen:
        raise ToolError("held-other", held=held)
    try:
        return sync_workspace(workspace, accept_deletions=True)
    except WorkspaceGone as error:
        raise WorkspaceAway(".", "the workspace's folder is not there") from error
