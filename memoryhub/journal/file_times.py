"""Times of files on disk, as versions have them: for facts without a time of their own.

A file read long after it was written was changed when the disk says, not when it was
read; a time after the reading is a clock's fault.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime

from memoryhub.journal.models import Revision, Workspace

#: Largest time that a calendar can represent, in nanoseconds.
LATEST_NS = 253_402_214_400 * 10**9
#: Seqs in one query: a database limits the parameters.
_AT_ONCE = 500


def time_on_disk(nanoseconds: int, read_at: datetime) -> datetime:
    """Return when a file was changed; the time of reading if the disk's is none."""
    if not 0 < nanoseconds < LATEST_NS:
        return read_at
    return min(datetime.fromtimestamp(nanoseconds // 10**9, UTC), read_at)


def times_on_disk(
    workspace: Workspace | int, seqs: Collection[int]
) -> dict[int, datetime]:
    """Return when the files of versions were changed, by seq."""
    found: dict[int, datetime] = {}
    ordered = sorted(seqs)
    for start in range(0, len(ordered), _AT_ONCE):
        rows = Revision.objects.filter(
            workspace=workspace, seq__in=ordered[start : start + _AT_ONCE]
        )
        for seq, nanoseconds, read_at in rows.values_list(
            "seq", "mtime_ns", "recorded_at"
        ):
            found[seq] = time_on_disk(nanoseconds, read_at)
    return found
