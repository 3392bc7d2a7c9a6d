"""Files missing at once: held until they are back or a person accepts the deletion.

An unmounted folder looks like one whose files were deleted. While files are held, or
the folder itself is missing, nothing is written into a workspace.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from datetime import datetime

from django.db.models import QuerySet

from memoryhub.disk.files import FileError, folder_of
from memoryhub.journal.models import FileStat, Workspace
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.problems import GONE_AT_ONCE
from memoryhub.sync.edit.writing import presence_in
from memoryhub.sync.scan.walk import ScanProblem

_AWAY = "the workspace's folder is not there: nothing is written until it is back"
_HELD = (
    "{count} files of the workspace are gone at once: nothing is written until they"
    " are back, or a person accepts that they were deleted (memoryhub sync"
    " --accept-deletions, or Health)"
)
_EMPTY = (
    "the files that were beside it are not there, as in a folder that is not mounted:"
    " nothing is written until they are back, or memoryhub sync has seen that they"
    " were deleted"
)
#: Number of known files sampled for presence.
_LOOKED_FOR = 20
_NAMED = 5


class WorkspaceAway(FileError):
    """The workspace's folder, or most of its files, are missing."""


def held_files(workspace: Workspace) -> QuerySet[FileStat]:
    """Return the held files (missing, not recorded as deleted), ordered by path."""
    held = FileStat.objects.filter(workspace=workspace, held_at__isnull=False)
    return held.order_by("path")


def held_paths(workspace: Workspace) -> list[str]:
    """Return the paths of `held_files`."""
    # Sorted here: the database would go through all files in their order instead.
    return sorted(_HELD_PATHS(workspace.pk))


def hold(workspace: Workspace, paths: Collection[str], at: datetime) -> None:
    """Mark missing files as held."""
    for some in _by_hundreds(paths):
        rows = FileStat.objects.filter(workspace=workspace, path__in=some)
        rows.filter(held_at__isnull=True).update(held_at=at)


def release(workspace: Workspace, paths: Collection[str]) -> None:
    """Release held files that are back."""
    for some in _by_hundreds(paths):
        held_files(workspace).filter(path__in=some).update(held_at=None)


def _by_hundreds(paths: Collection[str]) -> Iterable[list[str]]:
    ordered = sorted(paths)
    return (ordered[at : at + 500] for at in range(0, len(ordered), 500))


def held_problem(held: Collection[str], known: int) -> ScanProblem:
    """Return the problem about held files, naming the first five."""
    names = ", ".join(sorted(held)[:_NAMED])
    more = ", …" if len(held) > _NAMED else ""
    return ScanProblem(
        ".", GONE_AT_ONCE, f"{len(held)}/{known}", more={"names": names + more}
    )


def check_there(workspace: Workspace, path: str) -> None:
    """Check that a workspace's files are present before a write.

    Raises:
        WorkspaceAway: the folder is missing, files are held, or the file is missing
            together with its neighbours.
    """
    if not folder_of(workspace.root).is_dir():
        raise WorkspaceAway(path, _AWAY)
    if held := held_paths(workspace):
        raise WorkspaceAway(path, _HELD.format(count=len(held)))
    there = presence_in(workspace)
    if not there(path) and _is_hole(workspace, path, there):
        raise WorkspaceAway(path, _EMPTY)


_HELD_PATHS: Prepared[str] = Prepared(
    lambda workspace_id: (
        FileStat.objects.filter(workspace_id=workspace_id, held_at__isnull=False)
        .order_by()
        .values_list("path", flat=True)
    ),
    int,
)


#: The first paths of known files between two texts.
_SOME_PATHS: Prepared[str] = Prepared(
    lambda workspace_id, after, before: (
        FileStat.objects.filter(
            workspace_id=workspace_id, path__gt=after, path__lt=before
        )
        .order_by("path")
        .values_list("path", flat=True)[:_LOOKED_FOR]
    ),
    int,
    str,
    str,
)
#: A text behind all paths.
_LAST = "\U0010ffff"


def _is_hole(workspace: Workspace, path: str, there: Callable[[str], bool]) -> bool:
    """Return whether known files of the file's folder, or of all, are missing."""
    folder = path.rpartition("/")[0]
    # "0" follows "/" in ASCII: the range covers the folder.
    beside, anywhere = (f"{folder}/", f"{folder}0"), ("", _LAST)
    for within in (beside, anywhere) if folder else (anywhere,):
        paths = _SOME_PATHS(workspace.pk, *within)
        if len(paths) > 1 and not any(map(there, paths)):
            return True
    return False
