"""Times of projected rows, stored as microseconds since 1970 in UTC.

The text that Django stores takes up to three times the space, in each index again.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.migrations import RunSQL

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def as_stored(moment: datetime) -> int:
    """Convert a time to the number that is stored for it."""
    since = moment - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def moment_of(stored: int) -> datetime:
    """Convert the stored number of a time to a datetime in UTC."""
    return _EPOCH + timedelta(microseconds=stored)


class Written(models.Func):
    """A stored time as text, in a form of `strftime`."""

    output_field = models.CharField()

    def __init__(self, moment: str, form: str) -> None:
        doubled = form.replace("%", "%%%%")
        seconds = "%(expressions)s / 1000000"
        super().__init__(
            moment, template=f"strftime('{doubled}', {seconds}, 'unixepoch')"
        )


# Types as Django's field has them: by its arguments.
if TYPE_CHECKING:
    MomentField = models.DateTimeField
else:

    class MomentField(models.DateTimeField):
        """A time, stored as a number."""

        def get_internal_type(self) -> str:
            """Have the database make a column of numbers."""
            return "BigIntegerField"

        def get_db_prep_value(
            self, value: Any, connection: Any, prepared: bool = False
        ) -> Any:
            """Convert a time, not an expression, to its number."""
            if not prepared:
                value = self.get_prep_value(value)
            return as_stored(value) if isinstance(value, datetime) else value

        def from_db_value(self, value: int | None, *_: object) -> datetime | None:
            """Convert a number to its time."""
            return None if value is None else moment_of(value)


def in_numbers(table: str, *columns: str) -> RunSQL:
    """Return the step of a migration that makes numbers of a table's times in text."""
    number = (
        "CAST(strftime('%s', substr({0}, 1, 19)) AS INTEGER) * 1000000"
        " + CAST(substr(substr({0}, 21) || '000000', 1, 6) AS INTEGER)"
    )
    changed = ", ".join(f"{name} = {number.format(name)}" for name in columns)
    return RunSQL(f"UPDATE {table} SET {changed}", RunSQL.noop)
