"""Files that are newer on disk than in the journal: found by stat, read where few."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from threading import RLock
from uuid import UUID

from django.db import DatabaseError

from memoryhub.disk.files import folder_of
from memoryhub.errors.hindrances import hindrance_of
from memoryhub.journal.models import Problem, Revision, Workspace
from memoryhub.journal.prepared import Prepared
from memoryhub.sync.edit.holding import held_paths
from memoryhub.sync.engine import WorkspaceGone, known_files, scan_of, sync_workspace
from memoryhub.sync.scan.plan import KnownFile, is_other, make_plan
from memoryhub.sync.scan.walk import FoundFile, Scan

#: What a reader imports before it answers: so many files, of so many bytes in all.
_FILES, _BYTES = 200, 2_000_000
#: Seconds: how long a file has to be left alone, so that half a save is not read; how
#: long a reader waits for an import that is under way, and looks for its end.
_SETTLED, _PATIENCE, _STEP = 0.03, 2.0, 0.02


def pending(workspace: Workspace) -> list[FoundFile] | None:
    """Return the files that changed, came or went since the last import.

    One that went has neither size nor time. Left out are those that could
    not be read and those that are held. None where the folder is not there. No file
    is opened.
    """
    root = folder_of(workspace.root)
    if not root.is_dir():
        return None
    seen = scan_of(workspace, root)
    found = _others(seen, _known_now(workspace))
    if found:
        # A file that was only touched changes what is known, but not the journal.
        _known_at.cache_clear()
        found = _others(seen, _known_now(workspace))
    left_out = _left_out(workspace) if found else ()
    return [file for file in found if file.path not in left_out]


def _known_now(workspace: Workspace) -> Mapping[str, KnownFile]:
    if not (rows := _JOURNAL(workspace.pk)):
        raise Workspace.DoesNotExist
    return _known_at(workspace.pk, *rows[0])


_JOURNAL: Prepared[tuple[UUID, int]] = Prepared(
    lambda workspace_id: Workspace.objects.filter(pk=workspace_id).values_list(
        "uuid", "last_seq"
    ),
    int,
)


@lru_cache(maxsize=4)
def _known_at(key: int, uuid: UUID, seq: int) -> Mapping[str, KnownFile]:
    """Return the files of the last import; cached by workspace and `seq`.

    A file with other bytes makes an entry of the journal.
    """
    return known_files(Workspace(pk=key, uuid=uuid, last_seq=seq))


def _others(seen: Scan, known: Mapping[str, KnownFile]) -> list[FoundFile]:
    plan = make_plan(seen.found, known, (problem.path for problem in seen.problems))
    # `recheck` alone does not count.
    came = [f for f in plan.read if not (k := known.get(f.path)) or is_other(f, k)]
    return [*came, *(FoundFile(path, 0, 0) for path in plan.gone)]


def _left_out(workspace: Workspace) -> Collection[str]:
    failed = Problem.objects.filter(
        workspace=workspace, seq__isnull=True, until_seq__isnull=True
    )
    return {*failed.values_list("path", flat=True), *held_paths(workspace)}


@dataclass(slots=True)
class _Scan:
    """The last scan of a folder: start in monotonic ns, and files not imported."""

    lock: RLock = field(default_factory=RLock)
    began: int = -1
    left: list[str] = field(default_factory=list)


#: By the identity of the workspace.
_scans: dict[UUID, _Scan] = {}


def read_pending(workspace: Workspace) -> list[str]:
    """Import files newer than the rows, if that is quick.

    Callers that wait for one another share the first look that began after they asked.

    Returns:
        Their paths where they are many, or an import is hindered or under way for
        long: what the hub answers then is older than these files.
    """
    asked = time.monotonic_ns()
    look = _scans.setdefault(workspace.uuid, _Scan())
    with look.lock:
        began = time.monotonic_ns()
        if look.began < asked:
            look.left = _read(workspace)
            look.began = began
        return look.left


def _read(workspace: Workspace) -> list[str]:
    found, behind = pending(workspace) or [], _without_rows(workspace)
    if not found and not behind:
        return []
    small = (
        len(found) + len(behind) <= _FILES
        and sum(file.size for file in found) <= _BYTES
    )
    if small and _import(workspace, found):
        return []
    return [*dict.fromkeys([*(file.path for file in found), *behind])]


def _without_rows(workspace: Workspace) -> list[str]:
    """Return the paths of recorded versions whose rows are still to be made.

    Those that agents wrote through the hub come first, the newest before others.
    """
    workspace.refresh_from_db(fields=["projected_seq", "last_seq"])
    if workspace.projected_seq >= workspace.last_seq:
        return []
    behind = Revision.objects.filter(
        workspace=workspace, seq__gt=workspace.projected_seq
    )
    written = behind.exclude(actor="").order_by("-seq")
    others = behind.filter(actor="").order_by("-seq")
    rows = (rows.values_list("path", flat=True) for rows in (written, others))
    return [path for paths in rows for path in paths]


def _import(workspace: Workspace, found: Collection[FoundFile]) -> bool:
    """Return whether the files could be imported; wait for an import under way."""
    newest = max((file.mtime_ns for file in found), default=0)
    age = time.time() - newest / 1e9
    time.sleep(min(max(_SETTLED - age, 0), _SETTLED))
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        try:
            sync_workspace(workspace, wait=False)
        except BlockingIOError:
            time.sleep(_STEP)
        except WorkspaceGone:
            return False
        except (DatabaseError, OSError) as error:
            if hindrance_of(error) is None:
                raise
            return False
        else:
            return True
    return False
