"""Storage cost of histories, and its reduction.

Repacking loses nothing: a version that only adds to the one before it is stored as a
tail (`memoryhub.journal.packing`). Thinning does: of a file's versions older than a
day, the last one of each period stays, and tombstones replace the others' bytes. Facts
first stated in a thinned version then count from the next one, so rows are rebuilt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Sum
from django.db.models.functions import Length

from memoryhub.disk.files import locked
from memoryhub.forgetting.erasing import sweep
from memoryhub.forgetting.hiding import drop_unused
from memoryhub.journal.blobs import NoBytes, blob_bytes, gone, predecessor, put_behind
from memoryhub.journal.models import Blob, Revision, Tombstone, Workspace
from memoryhub.journal.packing import Predecessor
from memoryhub.sync.engine import workspace_lock
from memoryhub.sync.record.projection import rebuild

Progress = Callable[[int, int], None]
#: Time formats by period: versions of a file with equal text share a period.
PERIODS = {"day": "%Y-%m-%d", "week": "%G-%V", "month": "%Y-%m"}
_PIECE = 200
_WHOLE = (Blob.Encoding.RAW, Blob.Encoding.DEFLATE)


class Version(NamedTuple):
    """A stored version of a file with its sizes in bytes."""

    revision_id: int
    path: str
    recorded_at: datetime
    blob_id: int
    sha256: str
    encoding: str
    size: int
    stored: int


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of a history: number of versions, their bytes, and stored bytes."""

    versions: int
    size: int
    stored: int


@dataclass(frozen=True, slots=True)
class Thinning:
    """Versions selected for thinning, and the bytes that frees."""

    versions: tuple[Version, ...] = ()

    @property
    def files(self) -> int:
        return len({version.path for version in self.versions})

    @property
    def stored(self) -> int:
        return sum(version.stored for version in self.versions)


def cost_of(workspace: Workspace) -> Cost:
    """Compute the present cost of a workspace's history."""
    blobs = Blob.objects.filter(revisions__workspace=workspace).distinct()
    sums = blobs.aggregate(size=Sum("size"), stored=Sum(Length("data")))
    return Cost(blobs.count(), sums["size"] or 0, sums["stored"] or 0)


def repack(workspace: Workspace, progress: Progress = lambda done, total: None) -> int:
    """Store each version that continues its predecessor as a tail.

    Return the bytes saved. Lossless, so it can be done at any time.
    """
    saved = 0
    with locked(workspace_lock(workspace)):
        files = [list(group) for _, group in groupby(_versions(workspace), _path)]
        for done, versions in enumerate(files):
            progress(done, len(files))
            saved += _repack_file(versions)
    return saved


def _repack_file(versions: Sequence[Version]) -> int:
    before: Predecessor | None = None
    saved = 0
    for version in versions:
        with suppress(NoBytes), transaction.atomic():
            data = blob_bytes(
                Blob.objects.select_related("base").get(pk=version.blob_id)
            )
            if before is not None:
                stored = put_behind(version.blob_id, data, version.sha256, before)
                saved += version.stored - stored if stored is not None else 0
        before = predecessor(version.sha256)
    return saved


def thinning(workspace: Workspace, before: datetime, period: str) -> Thinning:
    """Select versions to thin: older than `before`, not the last of their period.

    A file's newest version stays. So do versions that cost almost nothing: tails, and
    bases of other versions.
    """
    old = [
        version
        for _, group in groupby(_versions(workspace), _path)
        for version in _not_last(list(group), workspace, period)
        if version.recorded_at < before and version.encoding in _WHOLE
    ]
    leaving = {version.revision_id for version in old}
    return Thinning(tuple(v for v in old if _is_free(v.blob_id, leaving)))


def _not_last(
    versions: Sequence[Version], workspace: Workspace, period: str
) -> Iterator[Version]:
    """Yield the versions of a file that have a later one in their period."""
    zone, form = ZoneInfo(workspace.time_zone), PERIODS[period]
    times = [v.recorded_at.astimezone(zone).strftime(form) for v in versions]
    for version, own, following in zip(versions, times, times[1:], strict=False):
        if own == following:
            yield version


def _is_free(blob_id: int, leaving: Iterable[int]) -> bool:
    """Return whether no remaining version uses a blob or is based on it."""
    stays = Revision.objects.filter(blob=blob_id).exclude(pk__in=leaving)
    return not (stays.exists() or Blob.objects.filter(base=blob_id).exists())


def thin(
    workspace: Workspace,
    chosen: Thinning,
    actor: str,
    reason: str,
    at: datetime,
) -> None:
    """Thin versions: a tombstone for each, then a rebuild.

    A killed run has thinned a part; the next one does the rest.
    """
    with locked(workspace_lock(workspace)):
        for start in range(0, len(chosen.versions), _PIECE):
            piece = chosen.versions[start : start + _PIECE]
            with transaction.atomic():
                for version in piece:
                    blob_id = gone(version.sha256, version.size)
                    Revision.objects.filter(pk=version.revision_id).update(blob=blob_id)
                    Tombstone.objects.create(
                        workspace=workspace,
                        kind=Tombstone.Kind.THINNED,
                        sha256=version.sha256,
                        size=version.size,
                        blob_id=blob_id,
                        at=at,
                        actor=actor,
                        reason=reason,
                    )
            drop_unused([version.blob_id for version in piece])
        rebuild(workspace)


def give_back() -> None:
    """Return freed space to the disk.

    Raises:
        NotSwept: a reader holds the database's log; the space is returned later.
    """
    sweep()


def _versions(workspace: Workspace) -> Iterator[Version]:
    """Yield the versions whose bytes are stored, file by file, oldest first."""
    rows = Revision.objects.filter(workspace=workspace, blob__isnull=False)
    stored = rows.exclude(blob__encoding=Blob.Encoding.GONE).order_by("path", "seq")
    values = stored.values_list(
        "pk",
        "path",
        "recorded_at",
        "blob_id",
        "blob__sha256",
        "blob__encoding",
        "blob__size",
        Length("blob__data"),
    )
    return map(Version._make, values.iterator(2000))


def _path(version: Version) -> str:
    return version.path
