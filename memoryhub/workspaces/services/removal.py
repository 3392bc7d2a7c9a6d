"""Removal of a workspace: its rows, its journal, and the hub's own copies.

It is hidden immediately. Its rows are deleted in batches, so that others can write in
between; a run after a crash continues with the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from django.db import connection, models, transaction
from django.utils import timezone

from memoryhub.audit.recording import record
from memoryhub.disk.files import disk_path, locked
from memoryhub.forgetting.models import Forgetting, SealedRow
from memoryhub.handoffs.importers.handoffs import leave_senders
from memoryhub.jobs.models import Job
from memoryhub.jobs.services import enqueue
from memoryhub.journal.models import (
    Blob,
    FileStat,
    KeptId,
    Operation,
    Problem,
    Revision,
    SyncRun,
    Tombstone,
    Workspace,
)
from memoryhub.journal.packing import GONE
from memoryhub.journal.rows import table_of
from memoryhub.people.models import AccessToken
from memoryhub.search.index import forget as forget_index
from memoryhub.sync.engine import workspace_lock
from memoryhub.sync.record.projection import projected
from memoryhub.sync.uploads import discard

_OWN: tuple[type[models.Model], ...] = (
    FileStat, Problem, KeptId, Operation, Tombstone, Revision, SyncRun,
)  # fmt: skip
#: Rows deleted per transaction.
_PIECE = 5_000


def begin_removal(workspace: Workspace) -> Job:
    """Hide a workspace and enqueue the job that removes it.

    Its slug is free again, and its tokens are deleted.
    """
    with transaction.atomic():
        record("workspace.removed", workspace=workspace.slug, subject=workspace.root)
        AccessToken.objects.filter(workspace=workspace).delete()
        payload = {"name": workspace.name}
        workspace.removed_at = timezone.now()
        workspace.slug = f"~{workspace.pk}"
        workspace.save(update_fields=["removed_at", "slug"])
        leave_senders(workspace)
        return enqueue(Job.Kind.REMOVAL, workspace.pk, payload)


def resume_removals() -> None:
    """Enqueue unfinished removals again, such as after a full disk."""
    for workspace in Workspace.everything.filter(removed_at__isnull=False):
        jobs = Job.objects.filter(kind=Job.Kind.REMOVAL, workspace=workspace.pk)
        if not any(job.is_open for job in jobs):
            enqueue(Job.Kind.REMOVAL, workspace.pk, {"name": workspace.name})


def remove_workspace(
    workspace: Workspace, *, progress: Callable[[int, int], None] | None = None
) -> None:
    """Delete a workspace with its journal. Its folder stays, unless the hub made it."""
    with locked(workspace_lock(workspace)):
        discard(Path(disk_path(workspace.root)))
        forget_index(workspace)
        Forgetting.objects.filter(workspace=workspace).delete()
        tables = [
            model._default_manager.filter(workspace=workspace).order_by()
            for model in (*projected(), *_OWN)
        ]
        done, total = 0, sum(rows.count() for rows in tables)
        for rows in tables:
            for removed in _remove_piecewise(rows):
                done += removed
                if progress:
                    progress(min(done, total), total)
        _remove_unused_blobs()
        jobs = Job.objects.filter(workspace=workspace.pk)
        jobs.exclude(kind=Job.Kind.REMOVAL).delete()
        workspace.delete()


def _remove_piecewise(rows: models.QuerySet[models.Model]) -> Iterator[int]:
    """Delete rows in batches; yield the number of each."""
    piece = rows.model._default_manager.filter(pk__in=rows.values("pk")[:_PIECE])
    while removed := piece._raw_delete(piece.db):
        yield removed


def _remove_unused_blobs() -> None:
    """Delete blobs without references and without tails based on them.

    A blob marking forgotten bytes stays as long as a tombstone does.
    """
    blob, tombstone = table_of(Blob), table_of(Tombstone)
    holders = [table_of(model) for model in (Revision, Tombstone, SealedRow)]
    held = " UNION ALL ".join(f"SELECT blob_id FROM {table}" for table in holders)
    statement = (
        f"DELETE FROM {blob} WHERE id NOT IN"
        f" (SELECT blob_id FROM ({held}) WHERE blob_id IS NOT NULL)"
        f" AND id NOT IN (SELECT base_id FROM {blob} WHERE base_id IS NOT NULL)"
        f" AND NOT (encoding = '{GONE}'"
        f" AND sha256 IN (SELECT sha256 FROM {tombstone}))"
    )
    with connection.cursor() as cursor:
        # Each round frees the bases of the deleted ones.
        while cursor.execute(statement).rowcount:
            pass
