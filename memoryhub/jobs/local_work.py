"""Jobs on this computer's workspaces: imports, rebuilds, removals."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.utils import timezone

from memoryhub.files import locked
from memoryhub.jobs.models import Job
from memoryhub.jobs.worker import NotPossible, Progress, Work
from memoryhub.sync.engine import WorkspaceGone, sync_workspace, workspace_lock
from memoryhub.sync.projection import rebuild
from memoryhub.sync.uploads import merge_upload
from memoryhub.timeline.models import Event
from memoryhub.tools.calling import forget_calls
from memoryhub.workspaces.changes import position_at
from memoryhub.workspaces.models import Workspace
from memoryhub.workspaces.services.removal import remove_workspace, resume_removals


def tidy() -> None:
    """Forget what is kept for a while only, and go on with removals that stopped."""
    forget_calls(timezone.now())
    resume_removals()


def _import(job: Job, progress: Progress) -> dict[str, Any]:
    workspace = _workspace_of(job)
    if incoming := job.payload.get("incoming"):
        merge_upload(Path(incoming), Path(workspace.root))
    accept = job.payload.get("accept_deletions", False)
    try:
        report = sync_workspace(workspace, accept_deletions=accept, progress=progress)
    except WorkspaceGone as error:
        raise NotPossible(str(error)) from error
    new = Event.objects.filter(
        workspace=workspace,
        position__gte=position_at(job.payload.get("seq", 0) + 1, 0),
    )
    return {
        "number": report.number,
        "files": report.files,
        "events": new.exclude(kind=Event.Kind.IMPORT).count(),
    }


def _rebuild(job: Job, progress: Progress) -> dict[str, Any]:
    workspace = _workspace_of(job)
    with locked(workspace_lock(workspace)):
        rebuild(workspace, progress=progress)
    return {"entries": workspace.last_seq}


def _removal(job: Job, progress: Progress) -> dict[str, Any]:
    workspace = Workspace.everything.filter(pk=job.workspace or 0).first()
    if workspace is not None:
        remove_workspace(workspace, progress=progress)
    return {}


def _workspace_of(job: Job) -> Workspace:
    found = Workspace.objects.filter(pk=job.workspace or 0).first()
    if found is None:
        raise NotPossible("the workspace is no longer there")
    return found


LOCAL: Mapping[str, Work] = {
    Job.Kind.IMPORT: _import,
    Job.Kind.REBUILD: _rebuild,
    Job.Kind.REMOVAL: _removal,
}
