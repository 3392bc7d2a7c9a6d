"""Replace everywhere in the database what is to be forgotten, and put it back.

What a row held is sealed in the transaction that replaces it, so that a kill at any
moment leaves a run that goes on: the next pass finds what was not come to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from hashlib import sha256
from itertools import islice
from typing import Any

from django.apps import apps
from django.db import transaction
from django.utils import timezone

from memoryhub.disk.files import locked
from memoryhub.forgetting.models import Forgetting, SealedRow
from memoryhub.forgetting.queries.aims import Aim
from memoryhub.forgetting.queries.places import Held, held_rows
from memoryhub.forgetting.queries.versions import (
    Stored,
    Touched,
    stored_versions,
    touched_versions,
)
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
#: In the needle: the last entry of the journal whose versions were looked through.
_SEEN = "seen"
#: Columns of operations that rows are made of.
_PROJECTED = frozenset({"payload", "state", "after_sha"})
_ROWS = 200
#: Versions that are replaced in one transaction.
_VERSIONS = 64


def hide(forgetting: Forgetting, aim: Aim, at: datetime, progress: Progress) -> None:
    """Replace in versions and rows what is aimed at, and make all rows anew from them.

    Done again, it reads only the versions that came since. The caller holds no lock.
    """
    workspace = forgetting.workspace
    with locked(workspace_lock(workspace)):
        workspace.refresh_from_db()
        seen = forgetting.needle.get(_SEEN, 0)
        versions = stored_versions(workspace, aim, behind=seen)
        _replace_versions(forgetting, versions, aim, at, progress)
        forgetting.needle = forgetting.needle | {_SEEN: workspace.last_seq}
        forgetting.save(update_fields=["needle"])
        _replace_rows(forgetting, aim)
        make_rows_anew(forgetting, progress)


def make_rows_anew(forgetting: Forgetting, progress: Progress) -> None:
    """Replay the journal where a replacement left rows behind; index it anew."""
    forgetting.refresh_from_db(fields=["rows_stale"])
    if not forgetting.rows_stale:
        return
    workspace = forgetting.workspace
    rebuild(workspace, progress=lambda done, total: progress(done, total, "replay"))
    renew_index(workspace)
    # Pages keep what they counted until somebody has looked at the folder.
    Workspace.objects.filter(pk=workspace.pk).update(checked_at=timezone.now())
    Forgetting.objects.filter(pk=forgetting.pk).update(rows_stale=False)


def bring_back(forgetting: Forgetting, progress: Progress) -> None:
    """Put back what was replaced; the caller holds no lock."""
    workspace = forgetting.workspace
    with locked(workspace_lock(workspace)):
        while _put_back(forgetting):
            pass
        made = _stand_ins(forgetting)
        _drop_tombstones(forgetting)
        make_rows_anew(forgetting, progress)
        drop_unused(made)


def _replace_versions(
    forgetting: Forgetting,
    versions: list[Stored],
    aim: Aim,
    at: datetime,
    progress: Progress,
) -> None:
    digests = {blob.id: blob.sha256 for blob in versions}
    found = touched_versions(versions, aim)
    while chunk := list(islice(found, _VERSIONS)):
        progress(chunk[-1][0], len(versions), "versions")
        with transaction.atomic():
            _replace_some(forgetting, [t for _, t in chunk if t], digests, at)


def _replace_some(
    forgetting: Forgetting, found: list[Touched], digests: dict[int, str], at: datetime
) -> None:
    """Store what is left of versions, and have their revisions hold that instead.

    `digests` are the hashes of versions by the ids of their blobs; it takes the new.
    """
    new: dict[int, int] = {}
    for blob, _, left, _ in found:
        new[blob.id] = gone(blob.sha256, blob.size)
        if left is not None:
            packed = pack(left, sha256(left).hexdigest(), _base_of(blob, digests))
            digests[blob.id] = packed.sha256
            new[blob.id] = store([packed])[packed.sha256]
    _repoint(forgetting, [touched.blob for touched in found], new, at)


def _base_of(blob: Stored, digests: dict[int, str]) -> Predecessor | None:
    """Return what a version was a tail behind, as it is by now.

    It keeps its number in the chain, so that chains stay as short as they were.
    """
    base = predecessor(digests.get(blob.base_id or 0, ""))
    if base is None:
        return None
    return Predecessor(base.data, (base.chain[0]._replace(number=blob.number - 1),))


def _repoint(
    forgetting: Forgetting, blobs: list[Stored], new: dict[int, int], at: datetime
) -> None:
    """Have the workspace's revisions of versions hold what is left of them."""
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
    """Keep what rows held; what a row held first stays."""
    sealed = list(rows)
    for row in sealed:
        row.forgetting = forgetting
    SealedRow.objects.bulk_create(sealed, ignore_conflicts=True)


def _replace_rows(forgetting: Forgetting, aim: Aim) -> None:
    """Replace the texts of rows, and the hashes of versions that have others now."""
    new_sha = _new_hashes(forgetting)
    rows = held_rows(forgetting.workspace)
    while chunk := list(islice(rows, _ROWS)):
        changed = [(held, _changes(held, aim, new_sha)) for held in chunk]
        changed = [(held, values) for held, values in changed if values]
        if changed:
            with transaction.atomic():
                _seal(forgetting, (_sealed(*one) for one in changed))
                for held, values in changed:
                    model = apps.get_model(held.table)
                    model._default_manager.filter(pk=held.pk).update(**values)
                if any(_makes_stale(held, values) for held, values in changed):
                    _note_stale(forgetting)


def _makes_stale(held: Held, values: dict[str, Any]) -> bool:
    return held.table == Operation._meta.label and not _PROJECTED.isdisjoint(values)


def _sealed(held: Held, values: dict[str, Any]) -> SealedRow:
    before = {name: (held.values | held.facts)[name] for name in values}
    return SealedRow(table=held.table, row=str(held.pk), values=before)


def _changes(held: Held, aim: Aim, new_sha: dict[str, str]) -> dict[str, Any]:
    """Return what changes in a row: its texts, and which versions it names."""
    changed = aim.row(held)
    if held.table != Operation._meta.label:
        return changed
    for name in ("before_sha", "after_sha"):
        if held.facts[name] in new_sha:
            changed[name] = new_sha[held.facts[name]]
    for name in ("payload", "inverse"):
        value = changed.get(name, held.values[name])
        if (left := _with_hashes(value, new_sha)) != value:
            changed[name] = left
    return changed


def _with_hashes(value: Any, new_sha: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _with_hashes(part, new_sha) for name, part in value.items()}
    if isinstance(value, list):
        return [_with_hashes(part, new_sha) for part in value]
    return new_sha.get(value, value) if isinstance(value, str) else value


def _new_hashes(forgetting: Forgetting) -> dict[str, str]:
    """Return the hashes of redacted versions, each with the one it has now."""
    left = Tombstone.objects.filter(forgetting=forgetting.pk)
    pairs = left.exclude(blob__encoding=Blob.Encoding.GONE)
    return dict(pairs.values_list("sha256", "blob__sha256"))


def _note_stale(forgetting: Forgetting) -> None:
    Forgetting.objects.filter(pk=forgetting.pk).update(rows_stale=True)


def _put_back(forgetting: Forgetting) -> int:
    """Put some sealed rows back, and return how many."""
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


def _stand_ins(forgetting: Forgetting) -> list[int]:
    """Return the blobs that stood in for others."""
    left = Tombstone.objects.filter(forgetting=forgetting.pk)
    is_gone = Blob.objects.filter(encoding=Blob.Encoding.GONE)
    unneeded = is_gone.filter(sha256__in=left.values("sha256"))
    return [
        *left.values_list("blob_id", flat=True),
        *unneeded.values_list("id", flat=True),
    ]


def _drop_tombstones(forgetting: Forgetting) -> None:
    """Let versions be known again, also those that came again meanwhile."""
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
    """Remove those of these blobs that nothing refers to any more."""
    rest = iter(blob_ids)
    while chunk := list(islice(rest, _ROWS)):
        with transaction.atomic():
            used: set[int | None] = set()
            for model in (Revision, SourceFile, Tombstone, SealedRow):
                rows = model._default_manager.filter(blob__in=chunk)
                used |= set(rows.values_list("blob_id", flat=True))
            drop([blob_id for blob_id in chunk if blob_id not in used])
