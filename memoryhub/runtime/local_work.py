"""Jobs on this computer's workspaces: imports, rebuilds, removals, forgettings."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import OperationalError
from django.utils import timezone

from memoryhub.accounts.sessions import SessionStore
from memoryhub.audit.recording import trim_old
from memoryhub.disk.files import locked
from memoryhub.events.models import Event
from memoryhub.forgetting.erasing import NotSwept, sweep
from memoryhub.forgetting.forgettings import carry_on, resume_forgettings
from memoryhub.forgetting.models import Forgetting
from memoryhub.jobs.models import Job
from memoryhub.journal.changes import position_at
from memoryhub.journal.models import Workspace
from memoryhub.repair.checkup import look_daily
from memoryhub.runtime.worker import Later, NotPossible, Progress, Work
from memoryhub.sync.engine import WorkspaceGone, sync_workspace, workspace_lock
from memoryhub.sync.files import restore_missing
from memoryhub.sync.record.projection import rebuild
from memoryhub.sync.uploads import merge_upload
from memoryhub.tools.calling import forget_calls
from memoryhub.workspaces.services.removal import remove_workspace, resume_removals

_log = logging.getLogger(__name__)
#: Delay until a hindered job is retried.
_SOON = timedelta(seconds=5)


def tidy() -> None:
    """Delete expired calls, sessions and audit entries; resume interrupted work.

    Then check the database file, if that was not done for a day.
    """
    forget_calls(timezone.now())
    SessionStore.clear_expired()
    trim_old(timezone.now())
    resume_removals()
    resume_forgettings()
    found = look_daily(Path(settings.MEMORYHUB_DATA), timezone.now())
    if found.sound is False:
        _log.error("the database is damaged (doctor --repair): %s", found.detail)


def _import(job: Job, progress: Progress) -> dict[str, Any]:
    workspace = _workspace_of(job)
    if incoming := job.payload.get("incoming"):
        merge_upload(Path(incoming), Path(workspace.root))
    accept = job.payload.get("accept_deletions", False)
    try:
        actor = job.payload.get("restore_missing")
        restored, left = restore_missing(workspace, actor) if actor else ([], {})
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
        "restored": len(restored),
        "left": sorted(left),
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
    _swept(sweep)
    return {}


def _forgetting(job: Job, progress: Progress) -> dict[str, Any]:
    found = Forgetting.objects.filter(pk=job.payload["forgetting"]).first()
    if found is None:
        return {}
    _swept(lambda: carry_on(found, progress))
    if found.state == Forgetting.State.HIDDEN:
        soon = timezone.now() + _SOON
        raise Later(max(found.due_at or soon, soon))
    return {"state": found.state}


def _swept(work: Callable[[], object]) -> None:
    """Do work that ends with a sweep; raise `Later` if that is not possible now."""
    try:
        work()
    except (NotSwept, OperationalError) as error:
        raise Later(timezone.now() + _SOON) from error


def _workspace_of(job: Job) -> Workspace:
    found = Workspace.objects.filter(pk=job.workspace or 0).first()
    if found is None:
        raise NotPossible("the workspace is no longer there")
    return found


LOCAL: Mapping[str, Work] = {
    Job.Kind.IMPORT: _import,
    Job.Kind.REBUILD: _rebuild,
    Job.Kind.REMOVAL: _removal,
    Job.Kind.FORGETTING: _forgetting,
}
