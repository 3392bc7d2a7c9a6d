"""What SQL that is put together by hand needs: names of tables, stored times.

What a driver gives back for a time in such a statement is its own affair.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.db import connection
from django.db.models import Model


def table_of(model: type[Model]) -> str:
    """Return a model's table as statements name it."""
    return quoted(model._meta.db_table)


def quoted(name: str) -> str:
    """Return the name of a table or a column as statements have it."""
    return connection.ops.quote_name(name)


def moment_of(stored: datetime | str) -> datetime:
    """Return a time that a statement gave back."""
    found = stored if isinstance(stored, datetime) else datetime.fromisoformat(stored)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def as_stored(moment: datetime) -> Any:
    """Return a time as a statement compares it with stored ones."""
    return connection.ops.adapt_datetimefield_value(moment)
