"""Removing a workspace: its rows, its journal, and copies of the hub's own."""

from __future__ import annotations

from pathlib import Path

from django.db import connection, models, transaction

from memoryhub.files import disk_path, locked
from memoryhub.search.index import forget as forget_index
from memoryhub.sync.engine import workspace_lock
from memoryhub.sync.projection import PROJECTED
from memoryhub.sync.uploads import discard
from memoryhub.workspaces.models import (
    Blob,
    FileStat,
    Operation,
    Problem,
    Revision,
    SyncRun,
    Workspace,
)

_OWN: tuple[type[models.Model], ...] = (
    FileStat, Problem, Operation, Revision, SyncRun,
)  # fmt: skip


def remove_workspace(workspace: Workspace) -> None:
    """Forget a workspace and its journal. Its folder stays, unless the hub made it."""
    with locked(workspace_lock(workspace)):
        with transaction.atomic():
            for model in (*PROJECTED, *_OWN):
                rows = model._default_manager.filter(workspace=workspace)
                rows._raw_delete(rows.db)
            workspace.delete()
            _remove_unused_blobs()
        forget_index(workspace)
        discard(Path(disk_path(workspace.root)))


def _remove_unused_blobs() -> None:
    """Remove the bytes that no revision holds, nor a blob that is put behind them."""
    quote = connection.ops.quote_name
    blob, revision = quote(Blob._meta.db_table), quote(Revision._meta.db_table)
    statement = (
        f"DELETE FROM {blob} WHERE id NOT IN"
        f" (SELECT blob_id FROM {revision} WHERE blob_id IS NOT NULL)"
        f" AND id NOT IN (SELECT base_id FROM {blob} WHERE base_id IS NOT NULL)"
    )
    with connection.cursor() as cursor:
        # Each round frees the predecessors of those it removed.
        while cursor.execute(statement).rowcount:
            pass
