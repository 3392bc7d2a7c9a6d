"""Days and times in words, in a workspace's time zone and the person's language.

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

from memoryhub.journal.day_sources import DaySource, day_source
from memoryhub.journal.models import Revision

#: Preferred time zone of the person, per request; overrides the workspace's.
PREFERRED_ZONE: ContextVar[ZoneInfo | None] = ContextVar("zone", default=None)
#: Django's abbreviations are words in Chinese, where numbers are usual.
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
    """A time zone and the current time; `home` is the zone of days in files."""

    zone: ZoneInfo
    now: datetime
    home: ZoneInfo | None = None

    @classmethod
    def of(cls, zone: str, now: datetime | None = None) -> Clock:
        """Return the clock of a zone by name; the preferred zone has precedence."""
        home = ZoneInfo(zone)
        info = PREFERRED_ZONE.get() or home
        return cls(info, (now or timezone.now()).astimezone(info), home)

    def local(self, moment: datetime) -> datetime:
        """Convert a moment to the zone; unchanged if that overflows."""
        try:
            return moment.astimezone(self.zone)
        except OverflowError:
            return moment

    def day(self, moment: datetime) -> date:
        return self.local(moment).date()

    def bounds(self, day: date) -> tuple[datetime, datetime]:
        """Return the start of a day and of the next one."""
        start = datetime.combine(day, time(), self.zone)
        last = day == date.max
        return start, start if last else start + timedelta(days=1)

    def near(self, day: date) -> str:
        """Return "today" or "yesterday"; empty for other days."""
        age = (self.now.date() - day).days
        return {0: gettext("today"), 1: gettext("yesterday")}.get(age, "")

    def day_label(self, day: date) -> str:
        """Return a day with weekday; with the year if not the current one."""
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
        """Return a day without weekday; empty for None."""
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
        """Return a moment: time of today, weekday and time of a week, else date."""
        local = self.local(moment)
        age = (self.now.date() - local.date()).days
        if age == 0:
            return time_label(local)
        if 0 < age < 7:
            return f"{WEEKDAYS_ABBR[local.weekday()]} {time_label(local)}"
        return self.date_label(local.date())

    def stated(self, at: datetime, precision: str, zone: str = "") -> str:
        """Return a file's time in its precision: a day has no hour.

        `zone` is the zone of the file's workspace, if it is not the clock's.
        """
        if precision == "none":
            return gettext("not recorded")
        if precision != "day":
            return self.moment(at)
        day = at.astimezone(ZoneInfo(zone) if zone else self.home or self.zone).date()
        return self.near(day) or self.date_label(day)

    def day_stated(self, path: str, at: datetime, precision: str) -> str:
        """Return a row's time, and where its day comes from if not from its text.

        Without a time in the text, `at` is that of the file on disk.
        """
        source = day_source(path, at, precision)
        if source == DaySource.NAME:
            words = gettext("%(day)s, from the file's name")
        elif source == DaySource.FILE:
            words = gettext("%(day)s, from the file's time")
        else:
            words = "%(day)s"
        said = "day" if source == DaySource.FILE else precision
        return words % {"day": self.stated(at, said)}

    def age(self, moment: datetime) -> str:
        """Return the age of a moment in the largest whole unit."""
        return age_label(self.now - moment)


def month_label(day: date) -> str:
    """Return the short name of a day's month."""
    return str(_MONTHS[day.month - 1])


def weekday_label(number: int) -> str:
    """Return the short name of a day of the week; 0 is Monday."""
    return str(WEEKDAYS_ABBR[number])


def time_label(local: datetime) -> str:
    """Return a time of day as HH:MM."""
    return f"{local.hour:02}:{local.minute:02}"


def age_label(age: timedelta) -> str:
    """Return an age in words."""
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
    """Return a duration in words, in the largest whole unit."""
    minutes = int(span.total_seconds() // 60)
    if minutes < 1:
        return gettext("under 1 min")
    if minutes < 60:
        return gettext("%(n)s min") % {"n": minutes}
    if minutes < 48 * 60:
        return gettext("%(n)s h") % {"n": minutes // 60}
    days = minutes // (24 * 60)
    return ngettext("%(n)s day", "%(n)s days", days) % {"n": days}


def recorded_text(revision: Revision | None, clock: Clock) -> str:
    """Return when the hub recorded a version, and by whom or in which import."""
    if revision is None:
        return gettext("not recorded")
    when = clock.moment(revision.recorded_at)
    if revision.run is None:
        actor = revision.actor or gettext("the hub")
        return gettext("%(when)s, by %(actor)s") % {"when": when, "actor": actor}
    words = {"when": when, "number": revision.run.number}
    return gettext("%(when)s, import #%(number)s") % words
