"""Files whose blocks the search index has to change, from the journal."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple

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
    """A file with the version that is to be indexed."""

    id: int
    path: str
    present: bool
    recorded_at: datetime
    sha256: str | None


_COLUMNS = ("id", "path", "present", "recorded_at", "blob__sha256")
_FILE: Prepared[tuple[Any, ...]] = Prepared(
    lambda workspace_id, path, until: SourceFile.objects.filter(
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
    if len(paths) == 1:
        (path,) = paths
        return [File(*row) for row in _FILE(workspace.pk, path, until)]
    rows = SourceFile.objects.filter(
        workspace=workspace, path__in=paths, seq__lte=until
    )
    return [File(*row) for row in rows.order_by("seq").values_list(*_COLUMNS)]
