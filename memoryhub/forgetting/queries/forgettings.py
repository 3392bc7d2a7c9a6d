"""Forgettings as lists, and as records for programs."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from memoryhub.forgetting.models import Forgetting
from memoryhub.journal.models import Workspace


def forgettings_of(workspace: Workspace) -> QuerySet[Forgetting]:
    """Return a workspace's forgettings, newest first, without dropped plans."""
    found = Forgetting.objects.filter(workspace=workspace).select_related("workspace")
    return found.exclude(
        state=Forgetting.State.TAKEN_BACK, due_at__isnull=True
    ).order_by("-id")


def forgetting_record(forgetting: Forgetting) -> dict[str, Any]:
    """Return a forgetting as a record, without its needle."""
    return {
        "number": forgetting.pk,
        "workspace": forgetting.workspace.slug,
        "kind": forgetting.kind,
        "what": forgetting.label,
        "state": forgetting.state,
        "actor": forgetting.actor,
        "reason": forgetting.reason,
        "keep_files": forgetting.keep_files,
        "plan": forgetting.plan,
        "result": forgetting.result,
        "asked_at": forgetting.asked_at,
        "due_at": forgetting.due_at,
        "ended_at": forgetting.ended_at,
    }
