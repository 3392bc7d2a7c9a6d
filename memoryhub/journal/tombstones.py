"""Tombstones: versions forgotten or thinned out, with actor and reason."""

from __future__ import annotations

from django.db.models import Q

from memoryhub.journal.models import Tombstone
from memoryhub.journal.versions import Version


def tombstone_of(workspace_id: int, version: Version) -> Tombstone | None:
    """Return the newest tombstone of a version whose bytes are gone.

    None for an intact version, including one newer than a redaction and equal to its
    result.
    """
    rows = Tombstone.objects.filter(workspace=workspace_id).order_by("-id")
    redacted = Q(blob=version.blob_id, at__gte=version.recorded_at)
    found = rows.filter(redacted | Q(sha256=version.sha256, blob__encoding="gone"))
    return found.first() if version.blob_id is not None else None
