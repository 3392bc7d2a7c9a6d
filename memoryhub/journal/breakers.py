"""Open circuit breakers of compaction, from the error logs of a workspace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from zoneinfo import ZoneInfo

from django.core.cache import cache

from memoryhub.compaction.breaker import Breaker, breakers_of
from memoryhub.dialects import error_log
from memoryhub.formats.text.decoding import decode
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.models import SourceFile, Workspace
from memoryhub.journal.prepared import Prepared

#: Id and hash of the text of each error log.
_LOGS: Prepared[tuple[int, str]] = Prepared(
    lambda workspace_id: SourceFile.objects.filter(
        workspace_id=workspace_id, present=True, path__in=error_log.PLACES
    ).values_list("blob_id", "blob__sha256"),
    int,
)


def open_breakers(workspace: Workspace) -> Iterator[Breaker]:
    """Yield the open breakers of error logs; a log is parsed once per version."""
    for blob_id, sha in _LOGS(workspace.pk):
        key = f"breakers:{sha}"
        breakers: tuple[Breaker, ...] | None = cache.get(key)
        if breakers is None:
            data = bytes_by_id([blob_id]).get(blob_id, b"")
            breakers = breakers_of(error_log.errors_in(decode(data).text))
            cache.set(key, breakers, timeout=None)
        for breaker in breakers:
            at = breaker.at
            if at and at.tzinfo is None:
                at = at.replace(tzinfo=ZoneInfo(workspace.time_zone))
            if breaker.is_open:
                yield replace(breaker, at=at)
