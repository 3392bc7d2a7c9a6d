"""Where a list goes on, as an opaque text."""

from __future__ import annotations

import base64
import binascii
import json
from datetime import UTC, datetime

from django.utils.dateparse import parse_datetime

from memoryhub.errors.base import ToolError
from memoryhub.values.identity import code_of, id_of
from topics.queries.decisions import Place

#: No cursor is longer: the longest holds a path.
LENGTH = 8_000


def cursor_of(*parts: str) -> str:
    """Return the cursor of a place in a list, from what the list is ordered by."""
    said = json.dumps(parts, ensure_ascii=False).encode()
    return base64.urlsafe_b64encode(said).decode().rstrip("=")


def parts_of(cursor: str, number: int) -> list[str]:
    """Return what `cursor_of` was given.

    Raises:
        ToolError: ``cursor-invalid``, this list gives no such cursor.
    """
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        parts = json.loads(base64.b64decode(padded, b"-_", validate=True))
        # An escaped lone surrogate is none that we gave.
        "".join(parts).encode()
    except (binascii.Error, ValueError, TypeError, RecursionError) as error:
        raise ToolError("cursor-invalid") from error
    if not isinstance(parts, list) or len(parts) != number:
        raise ToolError("cursor-invalid")
    return parts


def cursor_at(moment: datetime, row_id: int) -> str:
    """Return the cursor of a row in a list by time."""
    return cursor_of(moment.isoformat(), code_of(row_id))


def place_of(cursor: str) -> Place | None:
    """Return the place that a cursor of a list by time names; None for the beginning.

    Raises:
        ToolError: ``cursor-invalid``.
    """
    if not cursor:
        return None
    at, code = parts_of(cursor, 2)
    try:
        moment, row_id = parse_datetime(at), id_of(code)
        if moment is not None and moment.tzinfo is not None:
            return moment.astimezone(UTC), row_id
    except (ValueError, OverflowError) as error:
        raise ToolError("cursor-invalid") from error
    raise ToolError("cursor-invalid")
