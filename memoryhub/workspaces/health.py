"""What the health of a workspace is: figures of its memory, from rows and texts."""

from __future__ import annotations

from django.core.cache import cache
from django.db.models import Q

from memoryhub.formats.decoding import decode
from memoryhub.workspaces.journal import bytes_by_id
from memoryhub.workspaces.ledger import Budget, budget_of
from memoryhub.workspaces.models import SourceFile, Workspace

#: Raise it when the same text gives another budget.
_VERSION = 1


def memory_index(workspace: Workspace) -> SourceFile | None:
    """Return the workspace's ``MEMORY.md``, the one nearest to its root."""
    paths = ["MEMORY.md", f"{workspace.memory_folder}/MEMORY.md", "memory.md"]
    rows = SourceFile.objects.filter(
        Q(path__in=paths), workspace=workspace, present=True, blob__isnull=False
    ).select_related("blob")
    return min(rows, key=lambda row: paths.index(row.path), default=None)


def memory_budget(workspace: Workspace) -> Budget | None:
    """Return what the workspace's ``MEMORY.md`` costs; None where there is none.

    One query, and one more after the file has changed.
    """
    file = memory_index(workspace)
    if file is None or file.blob is None:
        return None
    key = f"budget:{_VERSION}:{file.path}:{file.blob.sha256}"
    budget: Budget | None = cache.get(key)
    if budget is None:
        data = bytes_by_id([file.blob.id]).get(file.blob.id)
        if data is None:
            return None
        budget = budget_of(file.path, decode(data).text)
        cache.set(key, budget, timeout=None)
    return budget
