"""What a folder has that the hub has not read yet. No file is opened."""

from __future__ import annotations

from collections.abc import Collection

from memoryhub.disk.files import folder_of
from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import known_files, scan_of
from memoryhub.sync.scan.plan import KnownFile, make_plan
from memoryhub.sync.scan.walk import FoundFile


def count_unread(workspace: Workspace, failed: Collection[str]) -> int | None:
    """Return how many files changed, came or went since the last look.

    Those that `failed` to be read are known to have. None where the folder is not
    there.
    """
    root = folder_of(workspace.root)
    if not root.is_dir():
        return None
    seen, known = scan_of(workspace, root), known_files(workspace)
    plan = make_plan(seen.found, known, (problem.path for problem in seen.problems))
    came = [file for file in plan.read if _is_other(file, known.get(file.path))]
    return sum(file.path not in failed for file in came) + len(plan.gone)


def _is_other(file: FoundFile, known: KnownFile | None) -> bool:
    """Tell whether a file does not look as it did; some are read again in any case."""
    return known is None or (known.size, known.mtime_ns) != (file.size, file.mtime_ns)
