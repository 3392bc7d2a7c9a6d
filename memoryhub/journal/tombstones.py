"""Tombstones: which versions were forgotten or thinned out, by whom and why."""

from __future__ import annotations

from django.db.models import Q

from memoryhub.journal.models import Tombstone
from memoryhub.journal.versions import Version


def tombstone_of(workspace_id: int, version: Version) -> Tombstone | None:
    """Return what is left of a version whose bytes are gone, by the newest reason.

    None for a version that is whole, also for one that is newer than a redaction and
    equals what that left.
    """
    rows = Tombstone.objects.filter(workspace=workspace_id).order_by("-id")
    redacted = Q(blob=version.blob_id, at__gte=version.recorded_at)
    found = rows.filter(redacted | Q(sha256=version.sha256, blob__encoding="gone"))
    return found.first() if version.blob_id is not None else None
