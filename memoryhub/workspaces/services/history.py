"""What stored versions cost, and how they are made to cost less.

Two steps. Repacking loses nothing: a version that only adds to the one before it is
stored as a tail (`memoryhub.journal.packing`). Thinning does: of the versions of a
file that are older than a day, the last one of each period stays, and a tombstone takes
the place of the others' bytes. What was first said in a version that is thinned out
counts as first said in the next one, so rows are made anew.
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
from memoryhub.forgetting.services.hiding import drop_unused
from memoryhub.forgetting.sweeping import sweep
from memoryhub.journal.blobs import NoBytes, blob_bytes, gone, predecessor, put_behind
from memoryhub.journal.models import Blob, Revision, Tombstone, Workspace
from memoryhub.journal.packing import Predecessor
from memoryhub.sync.engine import workspace_lock
from memoryhub.sync.record.projection import rebuild

Progress = Callable[[int, int], None]
#: Which versions of a file share a period: the format of their time.
PERIODS = {"day": "%Y-%m-%d", "week": "%G-%V", "month": "%Y-%m"}
_PIECE = 200
_WHOLE = (Blob.Encoding.RAW, Blob.Encoding.DEFLATE)


class Version(NamedTuple):
    """A stored version of a file, as far as its cost matters; sizes are in bytes."""

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
    """What a history takes: versions, their bytes, and these bytes as stored."""

    versions: int
    size: int
    stored: int


@dataclass(frozen=True, slots=True)
class Thinning:
    """Versions that a rule lets go, and the bytes that frees."""

    versions: tuple[Version, ...] = ()

    @property
    def files(self) -> int:
        return len({version.path for version in self.versions})

    @property
    def stored(self) -> int:
        return sum(version.stored for version in self.versions)


def cost_of(workspace: Workspace) -> Cost:
    """Return what a workspace's history takes now."""
    blobs = Blob.objects.filter(revisions__workspace=workspace).distinct()
    sums = blobs.aggregate(size=Sum("size"), stored=Sum(Length("data")))
    return Cost(blobs.count(), sums["size"] or 0, sums["stored"] or 0)


def repack(workspace: Workspace, progress: Progress = lambda done, total: None) -> int:
    """Store each version that continues the one before it as a tail.

    Return the bytes that saves. Nothing is lost, so it can be done at any time.
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
    """Return which versions a rule lets go: older than `before`, not last of a period.

    The newest version of a file stays, and so do versions that cost next to nothing,
    because others are stored behind them or they are stored as tails.
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
    """Tell whether no version that stays has these bytes, or is stored behind them."""
    stays = Revision.objects.filter(blob=blob_id).exclude(pk__in=leaving)
    return not (stays.exists() or Blob.objects.filter(base=blob_id).exists())


def thin(
    workspace: Workspace,
    chosen: Thinning,
    actor: str,
    reason: str,
    at: datetime,
) -> None:
    """Let versions go: a tombstone in the place of each, and rows made anew.

    A run that was killed has thinned a part; the next one does the rest.
    """
    with locked(workspace_lock(workspace)):
        for start in range(0, len(chosen.versions), _PIECE):
            piece = chosen.versions[start : start + _PIECE]
            _bury(workspace, piece, actor, reason, at)
        rebuild(workspace)


def _bury(
    workspace: Workspace,
    versions: Sequence[Version],
    actor: str,
    reason: str,
    at: datetime,
) -> None:
    with transaction.atomic():
        for version in versions:
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
    drop_unused([version.blob_id for version in versions])


def give_back() -> None:
    """Give the space that was freed back to the disk.

    Raises:
        NotSwept: a reader holds the database's log; the space is given back later.
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
