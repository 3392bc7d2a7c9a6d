"""When a channel may send: at once, outside quiet hours, or once a day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

#: Kinds that may be sent at any time, if a person wants that.
URGENT = ("sign-off", "deadlock")


@dataclass(frozen=True, slots=True)
class Timing:
    """Times of a channel, in the zone of its person; hours are from 0 to 23.

    `digest`: hour of the daily message; None: at once. `quiet`: first hour, and the one
    at which the quiet hours end, also over midnight. `urgent`: `URGENT` kinds are
    sent at once at any time.
    """

    zone: ZoneInfo
    digest: int | None = None
    quiet: tuple[int, int] | None = None
    urgent: bool = False

    def due(self, kind: str, at: datetime) -> datetime:
        """Return when something that began to wait at a time is to be sent."""
        if self._passes(kind):
            return at
        if self.digest is not None:
            return self._next(self.digest, at)
        return self.held_until(kind, at) or at

    def held_until(self, kind: str, now: datetime) -> datetime | None:
        """Return the end of the quiet hours that hold a kind back now; else None."""
        if self._passes(kind) or self.digest is not None or self.quiet is None:
            return None
        first, end = self.quiet
        hour = now.astimezone(self.zone).hour
        within = first <= hour < end if first <= end else hour >= first or hour < end
        return self._next(end, now) if within else None

    def _passes(self, kind: str) -> bool:
        return self.urgent and kind in URGENT

    def _next(self, hour: int, after: datetime) -> datetime:
        """Return the next time at which the clocks of the zone show an hour."""
        day = after.astimezone(self.zone).date()
        today = datetime.combine(day, time(hour), self.zone)
        if today > after:
            return today
        return datetime.combine(day + timedelta(days=1), time(hour), self.zone)
