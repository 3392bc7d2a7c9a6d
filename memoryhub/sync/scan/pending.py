"""Count of files that changed since the last sync. No file is opened."""

from __future__ import annotations

from collections.abc import Collection

from memoryhub.disk.files import folder_of
from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import known_files, scan_of
from memoryhub.sync.scan.plan import KnownFile, make_plan
from memoryhub.sync.scan.walk import FoundFile


def count_unread(workspace: Workspace, failed: Collection[str]) -> int | None:
    """Return the number of files changed, added or removed since the last sync.

    Files that `failed` to be read are not counted. None if the folder is missing.
    """
    root = folder_of(workspace.root)
    if not root.is_dir():
        return None
    seen, known = scan_of(workspace, root), known_files(workspace)
    plan = make_plan(seen.found, known, (problem.path for problem in seen.problems))
    came = [file for file in plan.read if _is_other(file, known.get(file.path))]
    return sum(file.path not in failed for file in came) + len(plan.gone)


def _is_other(file: FoundFile, known: KnownFile | None) -> bool:
    """Return whether a file's size or time differ; `recheck` alone does not count."""
    return known is None or (known.size, known.mtime_ns) != (file.size, file.mtime_ns)
