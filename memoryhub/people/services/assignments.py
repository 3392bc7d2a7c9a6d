"""Assignments of Your turn rows to people, by the row's key."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.db.models import F

from memoryhub.audit.recording import record
from memoryhub.journal.models import Workspace
from memoryhub.people.models import TurnAssignment, User


def assign(
    workspace: Workspace, key: str, whom: User | None, by: str, at: datetime
) -> None:
    """Assign a row to a person instead of an earlier one; None ends that.

    `key`: digest of the row's key; `by`: user name.
    """
    rows = TurnAssignment.objects.filter(workspace=workspace, key=key)
    with transaction.atomic():
        if whom is None:
            rows.delete()
        else:
            values = {"person": whom, "by": by, "at": at}
            TurnAssignment.objects.update_or_create(
                workspace=workspace, key=key, defaults=values
            )
        # Cached rows of pages are outdated, which no journal announces.
        found = Workspace.objects.filter(pk=workspace.pk)
        found.update(handoff_changes=F("handoff_changes") + 1)
        name = whom.get_username() if whom else "nobody"
        record("turn.assigned", workspace=workspace.slug, subject=name, actor=by)


def forget_others(workspace: Workspace, keys: Collection[str]) -> None:
    """Delete the assignments of rows that are no longer there."""
    TurnAssignment.objects.filter(workspace=workspace).exclude(key__in=keys).delete()


def assigned_in(workspace: Workspace) -> dict[str, str]:
    """Return the user names of the people with an assignment, by the row's digest."""
    rows = TurnAssignment.objects.filter(workspace=workspace)
    return dict(rows.values_list("key", "person__username"))
