"""Helpers for hand-written SQL: table names, stored times.

Drivers differ in the type they return for a time.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.db import connection
from django.db.models import Model


def table_of(model: type[Model]) -> str:
    """Return a model's table name, quoted."""
    return quoted(model._meta.db_table)


def quoted(name: str) -> str:
    """Quote the name of a table or column."""
    return connection.ops.quote_name(name)


def moment_of(stored: datetime | str) -> datetime:
    """Convert a time returned by a statement to a datetime, UTC if naive."""
    found = stored if isinstance(stored, datetime) else datetime.fromisoformat(stored)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def as_stored(moment: datetime) -> Any:
    """Convert a time for comparison with stored ones."""
    return connection.ops.adapt_datetimefield_value(moment)
