"""Data of a workspace's trend charts, in one query each."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection

from memoryhub.events.models import Event
from memoryhub.formats.text.decoding import decode
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.models import Revision, Workspace
from memoryhub.journal.rows import as_stored, table_of
from memoryhub.journal.untimed import UNDATED_LAST
from memoryhub.timeline.queries.elsewhere import sent_from
from memoryhub.timeline.queries.events import Count
from memoryhub.values.tokens import seed
from snapshots.models import Compaction

#: Limit of the events counted per day.
DAY_LIMIT = 250
_COMPACTIONS, _VERSIONS, _SNAPSHOTS = 16, 60, 2_000


def events_between(
    workspace: Workspace, spans: Sequence[tuple[datetime, datetime]]
) -> list[Count]:
    """Return the number of events in each span of time, each counted up to a limit.

    Counted are those that the timeline lists: also handoffs sent elsewhere.
    """
    table = table_of(Event)
    one = (
        f"(SELECT COUNT(*) FROM (SELECT 1 FROM {table} WHERE workspace_id = %s"
        " AND occurred_at >= %s AND occurred_at < %s"
        f" LIMIT {DAY_LIMIT + 1}) AS told)"
    )
    parameters: list[Any] = []
    for start, end in spans:
        parameters += [workspace.pk, as_stored(start), as_stored(end)]
    with connection.cursor() as cursor:
        cursor.execute("SELECT " + ", ".join([one] * len(spans)), parameters)
        numbers = cursor.fetchone()
    rows = sent_from(workspace.pk).order_by()
    within = rows.filter(
        occurred_at__gte=min(start for start, _ in spans),
        occurred_at__lt=max(end for _, end in spans),
    )
    times = within.values_list("occurred_at", flat=True)[: DAY_LIMIT * len(spans)]
    found = sorted(times)
    sent = [bisect_left(found, end) - bisect_left(found, start) for start, end in spans]
    totals = [own + more for own, more in zip(numbers, sent, strict=True)]
    return [Count(min(n, DAY_LIMIT), n > DAY_LIMIT) for n in totals]


def snapshots_between(
    workspace: Workspace, start: datetime, end: datetime
) -> list[tuple[datetime, str]]:
    """Return times and agents of snapshots; the agent is empty if unknown."""
    of_snapshots = Event.objects.filter(
        workspace=workspace,
        kind=Event.Kind.SNAPSHOT,
        occurred_at__gte=start,
        occurred_at__lt=end,
    ).order_by("-occurred_at")
    rows = of_snapshots.values_list("occurred_at", "agent__name")[:_SNAPSHOTS]
    return [(at, agent or "") for at, agent in rows]


def compactions(workspace: Workspace) -> list[Compaction]:
    """Return the newest compactions, in ascending order of time."""
    rows = Compaction.objects.filter(workspace=workspace).select_related("topic")
    return list(reversed(rows.order_by(UNDATED_LAST, "-occurred_at")[:_COMPACTIONS]))


def index_sizes(
    workspace: Workspace, path: str, since: datetime
) -> list[tuple[datetime, int]]:
    """Return times and tokens of a file's versions since then, as its budget counts."""
    rows = Revision.objects.filter(
        workspace=workspace, path=path, recorded_at__gte=since, blob__isnull=False
    ).order_by("-seq")
    found = list(rows.values_list("recorded_at", "blob_id")[:_VERSIONS])
    texts = bytes_by_id([blob_id for _, blob_id in found])
    return [
        (at, seed(len(decode(texts[blob_id]).text)))
        for at, blob_id in reversed(found)
        if blob_id in texts
    ]
