"""When the holder of a taken handoff counts as silent. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta


def lease_end(
    begun: datetime, due: datetime | None, sign: datetime | None, length: timedelta
) -> datetime:
    """Return when the lease of a handoff that was taken at `begun` ends.

    It lasts until its due time, else for the length that the workspace sets. A sign of
    life of the holder in a later second renews it by that length: the call that takes
    a handoff is none.
    """
    end = due if due is not None and due > begun else begun + length
    renews = sign is not None and sign.replace(microsecond=0) > begun
    return max(end, sign + length) if sign and renews else end
