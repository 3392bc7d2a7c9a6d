"""Roles that settings give files."""

from __future__ import annotations

from collections.abc import Sequence

from memoryhub.dialects.roles import chosen_role
from memoryhub.jobs.models import Job
from memoryhub.jobs.services import enqueue
from memoryhub.journal.models import Revision, SourceFile, Workspace
from memoryhub.sync.record.projection import are_other_roles


def set_roles(workspace: Workspace, roles: Sequence[Sequence[str]]) -> Job | None:
    """Save pairs of pattern and role; return the job that reads the files anew.

    None if no version of any file gets another role.
    """
    before, workspace.roles = workspace.roles, [*map(list, roles)]
    workspace.save(update_fields=["roles"])
    paths = Revision.objects.filter(workspace=workspace).values_list("path", flat=True)
    changed = {
        path
        for path in paths.distinct()
        if chosen_role(path, before) != chosen_role(path, workspace.roles)
    }
    files = SourceFile.objects.filter(workspace=workspace, present=True)
    gone = changed.difference(files.values_list("path", flat=True))
    if gone or are_other_roles(workspace, changed):
        return enqueue(Job.Kind.REBUILD, workspace.pk, {"root": workspace.root})
    return None
