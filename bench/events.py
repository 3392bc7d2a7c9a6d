"""Fill the timeline of a measured workspace with the events of many years."""

from __future__ import annotations

from django.db import connection, transaction
from django.db.models import Max, Min

from memoryhub.events.models import NO_TIME, UNTIMED, Event
from memoryhub.journal.moments import as_stored

_DAY = 86_400 * 1_000_000

#: What a copy changes; ids are halved first, so that none grows past 63 bits.
_CHANGED = {
    "id": "id / 2 + %(copy)s * 1000003",
    "position": "position + %(copy)s * %(positions)s",
    # What has no time keeps the time that stands for none.
    "occurred_at": f"CASE WHEN occurred_at = {as_stored(NO_TIME)} THEN occurred_at"
    " ELSE occurred_at - %(shift)s END",
    "recorded_at": "recorded_at - %(shift)s",
}


def multiply_events(count: int) -> int:
    """Copy the events there are, each time further back, until there are `count`.

    Returns how many there are then, which is 0 for an empty timeline. SQLite only.
    """
    originals = Event.objects.count()
    if not originals:
        return 0
    positions, days = _extent()
    with transaction.atomic(), connection.cursor() as cursor:
        for copy in range(1, -(-count // originals)):
            cursor.execute(
                _copy_statement(),
                {
                    "copy": copy,
                    "positions": positions,
                    "shift": copy * days * _DAY,
                    "most": min(originals, count - copy * originals),
                },
            )
    return Event.objects.count()


def _extent() -> tuple[int, int]:
    """Return the last position, and the days between the first and the last event."""
    last = Event.objects.aggregate(Max("position"))["position__max"]
    found = Event.objects.exclude(UNTIMED).aggregate(
        first=Min("occurred_at"), last=Max("occurred_at")
    )
    return last, (found["last"] - found["first"]).days + 1


def _copy_statement() -> str:
    name = Event._meta.db_table
    columns = [str(field.column) for field in Event._meta.concrete_fields]
    names = ", ".join(f'"{column}"' for column in columns)
    values = ", ".join(_CHANGED.get(column, f'"{column}"') for column in columns)
    return (
        f'INSERT INTO "{name}" ({names}) SELECT {values} FROM "{name}" '
        "WHERE position <= %(positions)s LIMIT %(most)s"
    )
