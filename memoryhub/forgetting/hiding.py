"""Replacement of forgotten content everywhere in the database, and its undo.

The originals are sealed in the transaction that replaces them. After a kill the next
pass finds the remaining matches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from hashlib import sha256
from itertools import islice
from typing import Any

from django.apps import apps
from django.db import transaction
from django.db.models import F, Model

from memoryhub.audit.chain import redact_subjects
from memoryhub.disk.files import locked
from memoryhub.forgetting.aims import (
    Aim,
    PatternAim,
    Touched,
    held_rows,
    stored_versions,
    touched_versions,
)
from memoryhub.forgetting.models import Forgetting, SealedRow
from memoryhub.journal.blobs import drop, gone, predecessor, store
from memoryhub.journal.models import (
    Blob,
    Operation,
    Revision,
    SourceFile,
    Tombstone,
    Workspace,
)
from memoryhub.journal.packing import Predecessor, pack
from memoryhub.search.index import renew as renew_index
from memoryhub.sync.engine import workspace_lock
from memoryhub.sync.record.projection import rebuild

Progress = Callable[[int, int, str], None]

_REVISION = "workspaces.Revision"
#: Key in the needle: last seq whose versions were searched.
_SEEN = "seen"
#: Columns of operations that projected rows depend on.
_PROJECTED = frozenset({"payload", "state", "after_sha"})
_ROWS = 200


def hide(forgetting: Forgetting, aim: Aim, at: datetime, progress: Progress) -> None:
    """Replace the target in versions and rows, then rebuild the projections.

    Repeated, it reads only newer versions. The caller holds no lock.
    """
    workspace = forgetting.workspace
    with locked(workspace_lock(workspace)):
        workspace.refresh_from_db()
        seen = forgetting.needle.get(_SEEN, 0)
        versions = stored_versions(workspace, aim, behind=seen)
        digests = {blob.id: blob.sha256 for blob in versions}
        for place, touched in touched_versions(versions, aim):
            progress(place, len(versions), "versions")
            with transaction.atomic():
                _replace_some(forgetting, touched, digests, at)
        forgetting.needle = forgetting.needle | {_SEEN: workspace.last_seq}
        forgetting.save(update_fields=["needle"])
        _replace_rows(forgetting, aim)
        rebuild_rows(forgetting, progress)


def rebuild_rows(forgetting: Forgetting, progress: Progress) -> None:
    """Rebuild projections and index if a replacement left them stale."""
    forgetting.refresh_from_db(fields=["rows_stale"])
    if not forgetting.rows_stale:
        return
    workspace = forgetting.workspace
    rebuild(workspace, progress=lambda done, total: progress(done, total, "replay"))
    renew_index(workspace)
    # Invalidates the pages' cached values.
    rows = Workspace.objects.filter(pk=workspace.pk)
    rows.update(handoff_changes=F("handoff_changes") + 1)
    Forgetting.objects.filter(pk=forgetting.pk).update(rows_stale=False)


def bring_back(forgetting: Forgetting, progress: Progress) -> None:
    """Undo the replacement; the caller holds no lock."""
    workspace = forgetting.workspace
    with locked(workspace_lock(workspace)):
        while _put_back(forgetting):
            pass
        left = Tombstone.objects.filter(forgetting=forgetting.pk)
        is_gone = Blob.objects.filter(encoding=Blob.Encoding.GONE)
        unneeded = is_gone.filter(sha256__in=left.values("sha256"))
        made = [
            *left.values_list("blob_id", flat=True),
            *unneeded.values_list("id", flat=True),
        ]
        _drop_tombstones(forgetting)
        rebuild_rows(forgetting, progress)
        drop_unused(made)


def _replace_some(
    forgetting: Forgetting, found: list[Touched], digests: dict[int, str], at: datetime
) -> None:
    """Store the redacted versions, and repoint their revisions.

    `digests` maps blob ids to hashes of versions; it is updated with the new ones.
    """
    new: dict[int, int] = {}
    for blob, _, left, _ in found:
        new[blob.id] = gone(blob.sha256, blob.size)
        if left is not None:
            packed = pack(left, sha256(left).hexdigest(), _base_of(blob, digests))
            digests[blob.id] = packed.sha256
            new[blob.id] = store([packed])[packed.sha256]
    _repoint(forgetting, [touched.blob for touched in found], new, at)


def _base_of(blob: Blob, digests: dict[int, str]) -> Predecessor | None:
    """Return the present base of a version that is a tail.

    The number in the chain is kept, so that chains do not grow.
    """
    base = predecessor(digests.get(blob.base_id or 0, ""))
    if base is None:
        return None
    return Predecessor(base.data, (base.chain[0]._replace(number=blob.depth - 1),))


def _repoint(
    forgetting: Forgetting, blobs: list[Blob], new: dict[int, int], at: datetime
) -> None:
    """Point the workspace's revisions to the new blobs; create tombstones."""
    if not blobs:
        return
    held = Revision.objects.filter(workspace=forgetting.workspace, blob__in=list(new))
    pairs = list(held.values_list("pk", "blob_id"))
    _seal(
        forgetting,
        (SealedRow(table=_REVISION, row=str(pk), blob_id=b) for pk, b in pairs),
    )
    moved = [Revision(pk=pk, blob_id=new[blob_id]) for pk, blob_id in pairs if blob_id]
    Revision.objects.bulk_update(moved, ["blob"])
    Tombstone.objects.bulk_create(
        Tombstone(
            workspace=forgetting.workspace,
            kind=Tombstone.Kind.FORGOTTEN,
            sha256=blob.sha256,
            size=blob.size,
            blob_id=new[blob.id],
            at=at,
            actor=forgetting.actor,
            reason=forgetting.reason,
            forgetting=forgetting.pk,
        )
        for blob in blobs
    )
    _note_stale(forgetting)


def _seal(forgetting: Forgetting, rows: Iterable[SealedRow]) -> None:
    """Seal rows' original values; an earlier original is not overwritten."""
    sealed = list(rows)
    for row in sealed:
        row.forgetting = forgetting
    SealedRow.objects.bulk_create(sealed, ignore_conflicts=True)


def _replace_rows(forgetting: Forgetting, aim: Aim) -> None:
    """Redact the texts of rows, and update the hashes of changed versions.

    Subjects of the audit log are redacted for good: its entries are never put back.
    """
    if isinstance(aim, PatternAim):
        redact_subjects(aim.in_rows.redacted)
    left = Tombstone.objects.filter(forgetting=forgetting.pk)
    pairs = left.exclude(blob__encoding=Blob.Encoding.GONE)
    new_sha = dict(pairs.values_list("sha256", "blob__sha256"))
    rows = held_rows(forgetting.workspace)
    while chunk := list(islice(rows, _ROWS)):
        changed = [(row, _changes(row, aim, new_sha)) for row in chunk]
        changed = [(row, values) for row, values in changed if values]
        if changed:
            with transaction.atomic():
                _seal(forgetting, (_sealed(*one) for one in changed))
                for row, values in changed:
                    type(row)._default_manager.filter(pk=row.pk).update(**values)
                if any(_makes_stale(row, values) for row, values in changed):
                    _note_stale(forgetting)


def _makes_stale(row: Model, values: dict[str, Any]) -> bool:
    return isinstance(row, Operation) and not _PROJECTED.isdisjoint(values)


def _sealed(row: Model, values: dict[str, Any]) -> SealedRow:
    before = {name: getattr(row, name) for name in values}
    return SealedRow(table=row._meta.label, row=str(row.pk), values=before)


def _changes(row: Model, aim: Aim, new_sha: dict[str, str]) -> dict[str, Any]:
    """Return the changed columns of a row: redacted texts and new hashes."""
    changed = aim.row(row)
    if not isinstance(row, Operation):
        return changed
    for name in ("before_sha", "after_sha"):
        if getattr(row, name) in new_sha:
            changed[name] = new_sha[getattr(row, name)]
    for name in ("payload", "inverse"):
        value = changed.get(name, getattr(row, name))
        if (left := _with_hashes(value, new_sha)) != value:
            changed[name] = left
    return changed


def _with_hashes(value: Any, new_sha: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _with_hashes(part, new_sha) for name, part in value.items()}
    if isinstance(value, list):
        return [_with_hashes(part, new_sha) for part in value]
    return new_sha.get(value, value) if isinstance(value, str) else value


def _note_stale(forgetting: Forgetting) -> None:
    Forgetting.objects.filter(pk=forgetting.pk).update(rows_stale=True)


def _put_back(forgetting: Forgetting) -> int:
    """Restore a batch of sealed rows; return their number."""
    with transaction.atomic():
        chunk = list(forgetting.sealed.order_by("-id")[:_ROWS])
        for sealed in chunk:
            model = apps.get_model(sealed.table)
            values = dict(sealed.values)
            if sealed.table == _REVISION:
                values = {"blob_id": sealed.blob_id}
            model._default_manager.filter(pk=sealed.row).update(**values)
        if chunk:
            _note_stale(forgetting)
        SealedRow.objects.filter(pk__in=[sealed.pk for sealed in chunk]).delete()
    return len(chunk)


def _drop_tombstones(forgetting: Forgetting) -> None:
    """Delete the tombstones; versions seen again meanwhile get their bytes back."""
    left = Tombstone.objects.filter(forgetting=forgetting.pk)
    with transaction.atomic():
        for sha256 in left.values_list("sha256", flat=True):
            whole = Blob.objects.filter(sha256=sha256).exclude(encoding="gone").first()
            again = Revision.objects.filter(workspace=forgetting.workspace)
            again = again.filter(blob__sha256=sha256, blob__encoding="gone")
            if whole is not None:
                again.update(blob=whole)
        left.delete()


def drop_unused(blob_ids: list[int]) -> None:
    """Delete those of these blobs that have no references."""
    rest = iter(blob_ids)
    while chunk := list(islice(rest, _ROWS)):
        with transaction.atomic():
            used: set[int | None] = set()
            for model in (Revision, SourceFile, Tombstone, SealedRow):
                rows = model._default_manager.filter(blob__in=chunk)
                used |= set(rows.values_list("blob_id", flat=True))
            drop([blob_id for blob_id in chunk if blob_id not in used])
