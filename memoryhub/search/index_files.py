"""Files whose blocks the search index has to change, from the journal."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date, tzinfo
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import OuterRef, QuerySet, Subquery

from memoryhub.journal.file_times import time_on_disk
from memoryhub.journal.models import Revision, SourceFile, Workspace
from memoryhub.journal.prepared import Prepared


def changed_paths(workspace: Workspace, after: int, until: int) -> set[str]:
    """Return the paths of the revisions behind a seq, up to another."""
    rows = _REVISED(workspace.pk, after, until)
    return {path for both in rows for path in both if path}


_REVISED: Prepared[tuple[str, str]] = Prepared(
    lambda workspace_id, after, until: Revision.objects.filter(
        workspace_id=workspace_id, seq__gt=after, seq__lte=until
    ).values_list("path", "moved_from"),
    int,
    int,
    int,
)


class File(NamedTuple):
    """A file with the version that is to be indexed; `day`: of its change on disk."""

    id: int
    path: str
    present: bool
    sha256: str | None
    day: date


_COLUMNS = ("id", "path", "present", "blob__sha256", "mtime_ns", "recorded_at")


def _files(**values: Any) -> QuerySet[SourceFile]:
    """Return files with the time on disk of their newest version."""
    newest = Revision.objects.filter(
        workspace_id=OuterRef("workspace_id"), seq=OuterRef("seq")
    )
    rows = SourceFile.objects.filter(**values)
    return rows.annotate(mtime_ns=Subquery(newest.values("mtime_ns")[:1]))


_FILE: Prepared[tuple[Any, ...]] = Prepared(
    lambda workspace_id, path, until: _files(
        workspace_id=workspace_id, path=path, seq__lte=until
    ).values_list(*_COLUMNS),
    int,
    str,
    int,
)


def changed_files(
    workspace: Workspace, paths: Collection[str], until: int
) -> list[File]:
    """Return the files at paths with their versions up to a seq, oldest first."""
    zone = ZoneInfo(workspace.time_zone)
    if len(paths) == 1:
        (path,) = paths
        return [_file(row, zone) for row in _FILE(workspace.pk, path, until)]
    rows = _files(workspace=workspace, path__in=paths, seq__lte=until)
    return [_file(row, zone) for row in rows.order_by("seq").values_list(*_COLUMNS)]


def _file(row: Sequence[Any], zone: tzinfo) -> File:
    row_id, path, present, sha256, mtime_ns, recorded_at = row
    changed_at = time_on_disk(mtime_ns or 0, recorded_at)
    return File(row_id, path, present, sha256, changed_at.astimezone(zone).date())
