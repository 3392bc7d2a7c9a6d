"""Facts without a time: they come last, and are of no day, or of that on disk.

A file read long after it was written was changed when the disk says, not when it was
read; a time after the reading is a clock's fault.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import UTC, datetime

from django.db.models import Case, Min, Q, When

from memoryhub.journal.day_sources import Precision
from memoryhub.journal.models import Revision, SourceFile, SyncRun, Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.journal.prepared import listed

#: Largest time that a calendar can represent, in nanoseconds.
LATEST_NS = 253_402_214_400 * 10**9


def time_on_disk(nanoseconds: int, read_at: datetime) -> datetime:
    """Return when a file was changed; the time of reading if the disk's is none."""
    if not 0 < nanoseconds < LATEST_NS:
        return read_at
    return min(datetime.fromtimestamp(nanoseconds // 10**9, UTC), read_at)


def times_on_disk(
    workspace: Workspace | int, seqs: Collection[int]
) -> dict[int, datetime]:
    """Return when the files of versions were changed, by seq."""
    asked = listed(json.dumps([*seqs]))
    rows = Revision.objects.filter(workspace=workspace, seq__in=asked)
    return {
        seq: time_on_disk(nanoseconds, read_at)
        for seq, nanoseconds, read_at in rows.values_list(
            "seq", "mtime_ns", "recorded_at"
        )
    }


#: Condition for facts that no text gives a time.
UNDATED = Q(precision=Precision.NONE)
#: In front of an order by time: they come last.
UNDATED_LAST = Case(When(UNDATED, then=1), default=0)


def seqs_of_run(workspace: Workspace, number: int) -> tuple[int, int]:
    """Return the first and last journal entry of an import; (0, -1) if it has none."""
    runs = SyncRun.objects.filter(workspace=workspace, number=number)
    found = runs.values_list("last_seq", Min("revisions__seq")).first()
    last, first = found or (None, None)
    return (first or last, last) if last is not None else (0, -1)


def first_import(workspace: Workspace) -> int:
    """Return the last journal entry of the first import, which read all files at once.

    Facts it found without a time may be of any time before it.
    """
    return cached(workspace, "first-import", lambda: seqs_of_run(workspace, 1)[1])


def untimed(workspace: Workspace) -> Q:
    """Return the condition for undated facts that a file had when first imported.

    Of others the hub knows the day: it noticed them on disk, or wrote them.
    """
    first = SourceFile.objects.filter(workspace=workspace).values("first_seq")
    read = Revision.objects.filter(workspace=workspace, seq__in=first, actor="")
    return UNDATED & Q(first_seq__in=read.values("seq"))
