"""Days and times as people read them, in a workspace's zone and one's language.

Django's `date` filter would take more than half the time of a long list.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.dates import WEEKDAYS_ABBR
from django.utils.translation import gettext, ngettext, pgettext_lazy

#: The zone that whoever asks prefers to their workspace's, while a page is made.
PREFERRED_ZONE: ContextVar[ZoneInfo | None] = ContextVar("zone", default=None)
#: Django's own are words in Chinese, where people write numbers.
_MONTHS = (
    pgettext_lazy("month", "Jan"),
    pgettext_lazy("month", "Feb"),
    pgettext_lazy("month", "Mar"),
    pgettext_lazy("month", "Apr"),
    pgettext_lazy("month", "May"),
    pgettext_lazy("month", "Jun"),
    pgettext_lazy("month", "Jul"),
    pgettext_lazy("month", "Aug"),
    pgettext_lazy("month", "Sep"),
    pgettext_lazy("month", "Oct"),
    pgettext_lazy("month", "Nov"),
    pgettext_lazy("month", "Dec"),
)


@dataclass(frozen=True, slots=True)
class Clock:
    """A zone and what time it is there; `home` is the zone of days in files."""

    zone: ZoneInfo
    now: datetime
    home: ZoneInfo | None = None

    @classmethod
    def of(cls, zone: str, now: datetime | None = None) -> Clock:
        """Return the clock of a zone by its name, or of the zone one prefers."""
        home = ZoneInfo(zone)
        info = PREFERRED_ZONE.get() or home
        return cls(info, (now or timezone.now()).astimezone(info), home)

    def local(self, moment: datetime) -> datetime:
        """Return a moment in the zone; at either end of time it stays as it is."""
        try:
            return moment.astimezone(self.zone)
        except OverflowError:
            return moment

    def day(self, moment: datetime) -> date:
        return self.local(moment).date()

    def bounds(self, day: date) -> tuple[datetime, datetime]:
        """Return when a day starts and when the next one does."""
        start = datetime.combine(day, time(), self.zone)
        last = day == date.max
        return start, start if last else start + timedelta(days=1)

    def near(self, day: date) -> str:
        """Return "today" or "yesterday", or nothing for other days."""
        age = (self.now.date() - day).days
        return {0: gettext("today"), 1: gettext("yesterday")}.get(age, "")

    def day_label(self, day: date) -> str:
        """Return a day with its weekday; with the year if that is another one."""
        words = {
            "weekday": WEEKDAYS_ABBR[day.weekday()],
            "day": day.day,
            "month": _MONTHS[day.month - 1],
            "year": day.year,
        }
        if day.year == self.now.year:
            return gettext("%(weekday)s %(day)s %(month)s") % words
        return gettext("%(weekday)s %(day)s %(month)s %(year)s") % words

    def date_label(self, day: date | None) -> str:
        """Return a day without its weekday."""
        if day is None:
            return ""
        words = {
            "day": day.day,
            "month": _MONTHS[day.month - 1],
            "year": day.year,
        }
        if day.year == self.now.year:
            return gettext("%(day)s %(month)s") % words
        return gettext("%(day)s %(month)s %(year)s") % words

    def moment(self, moment: datetime) -> str:
        """Return when something was, as exactly as one needs that long after."""
        local = self.local(moment)
        age = (self.now.date() - local.date()).days
        if age == 0:
            return time_label(local)
        if 0 < age < 7:
            return f"{WEEKDAYS_ABBR[local.weekday()]} {time_label(local)}"
        return self.date_label(local.date())

    def stated(self, at: datetime, precision: str, zone: str = "") -> str:
        """Return a time as exactly as a file states it: a day has no hour.

        `zone` is the zone of the file's workspace, if it is not the clock's.
        """
        if precision == "none":
            return gettext("not recorded")
        if precision != "day":
            return self.moment(at)
        day = at.astimezone(ZoneInfo(zone) if zone else self.home or self.zone).date()
        return self.near(day) or self.date_label(day)

    def age(self, moment: datetime) -> str:
        """Return how long ago something was, in the largest whole unit."""
        return age_label(self.now - moment)


def time_label(local: datetime) -> str:
    """Return a time of day."""
    return f"{local.hour:02}:{local.minute:02}"


def age_label(age: timedelta) -> str:
    """Return a span of time before now in words."""
    minutes = int(age.total_seconds() // 60)
    if minutes < 1:
        return gettext("just now")
    if minutes < 60:
        return gettext("%(n)s min ago") % {"n": minutes}
    if minutes < 24 * 60:
        return gettext("%(n)s h ago") % {"n": minutes // 60}
    days = minutes // (24 * 60)
    return ngettext("%(n)s day ago", "%(n)s days ago", days) % {"n": days}


def span_label(span: timedelta) -> str:
    """Return how long something takes or took, in the largest whole unit."""
    minutes = int(span.total_seconds() // 60)
    if minutes < 1:
        return gettext("under 1 min")
    if minutes < 60:
        return gettext("%(n)s min") % {"n": minutes}
    if minutes < 48 * 60:
        return gettext("%(n)s h") % {"n": minutes // 60}
    days = minutes // (24 * 60)
    return ngettext("%(n)s day", "%(n)s days", days) % {"n": days}
