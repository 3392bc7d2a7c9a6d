"""Opaque cursors for pagination."""

from __future__ import annotations

import base64
import binascii
import json
from datetime import UTC, datetime

from django.utils.dateparse import parse_datetime

from memoryhub.errors.base import ToolError
from memoryhub.values.identity import code_of, id_of
from topics.queries.decisions import Place

#: Longest cursor: the longest contain a path.
LENGTH = 8_000


def cursor_of(*parts: str) -> str:
    """Encode the sort key of a row as a cursor."""
    said = json.dumps(parts, ensure_ascii=False).encode()
    return base64.urlsafe_b64encode(said).decode().rstrip("=")


def parts_of(cursor: str, number: int) -> list[str]:
    """Decode a cursor to its parts.

    Raises:
        ToolError: ``cursor-invalid``, not a cursor of this list.
    """
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        parts = json.loads(base64.b64decode(padded, b"-_", validate=True))
        # No cursor contains an escaped lone surrogate.
        "".join(parts).encode()
    except (binascii.Error, ValueError, TypeError, RecursionError) as error:
        raise ToolError("cursor-invalid") from error
    if not isinstance(parts, list) or len(parts) != number:
        raise ToolError("cursor-invalid")
    return parts


def cursor_at(moment: datetime, row_id: int) -> str:
    """Return the cursor of a row in a list ordered by time."""
    return cursor_of(moment.isoformat(), code_of(row_id))


def place_of(cursor: str) -> Place | None:
    """Decode the cursor of a list ordered by time; None for the first page.

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
