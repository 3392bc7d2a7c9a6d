"""Read marks of a workspace's people in the threads of handoffs."""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction
from django.db.models import F

from memoryhub.handoffs.models import ReadThread
from memoryhub.handoffs.queries.messages import messages_to_people
from memoryhub.journal.models import Workspace


def mark_read(workspace: Workspace, ids: Collection[int] = ()) -> int:
    """Mark the messages of these handoffs as read, or all; return how many were not."""
    unread = [
        message
        for message in messages_to_people(workspace)
        if message.unread and (not ids or message.handoff.pk in ids)
    ]
    newest: dict[int, int] = {}
    for message in unread:
        key = message.handoff.pk
        newest[key] = max(newest.get(key, 0), message.step.first_seq)
    with transaction.atomic():
        for handoff_id, seq in newest.items():
            ReadThread.objects.update_or_create(
                workspace=workspace, handoff_id=handoff_id, defaults={"seq": seq}
            )
        # Pages cache what waits by this number.
        rows = Workspace.objects.filter(pk=workspace.pk)
        rows.update(handoff_changes=F("handoff_changes") + 1)
    return len(unread)
