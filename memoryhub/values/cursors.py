"""Opaque cursors for pagination, the same for pages, queries and the API."""

from __future__ import annotations

import base64
import binascii
import json
from datetime import UTC, datetime

#: Longest cursor: the longest contain a path.
MAX_LENGTH = 8_000
_MAX_INTEGER = 1 << 63

#: Sort key of a row in a list by time: its moment and id.
TimeKey = tuple[datetime, int]


def encode_cursor(*key: datetime | int | str) -> str:
    """Encode the sort key of a page's last row."""
    parts = [part.isoformat() if isinstance(part, datetime) else part for part in key]
    data = json.dumps(parts, ensure_ascii=False, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def decode_cursor(cursor: str, *types: type) -> list[datetime | int | str]:
    """Decode a cursor to its key.

    Raises:
        ValueError: Not a cursor with parts of these types.
    """
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        parts = json.loads(base64.b64decode(padded, b"-_", validate=True))
    except (binascii.Error, RecursionError) as error:
        raise ValueError(cursor) from error
    if not isinstance(parts, list) or len(parts) != len(types):
        raise ValueError(cursor)
    return [_part(part, kind) for part, kind in zip(parts, types, strict=True)]


def _part(part: object, kind: type) -> datetime | int | str:
    if kind is datetime and isinstance(part, str):
        moment = datetime.fromisoformat(part)
        if moment.tzinfo is None:
            raise ValueError(part)
        try:
            return moment.astimezone(UTC)
        except OverflowError as error:
            raise ValueError(part) from error
    if type(part) is int and kind is int and abs(part) < _MAX_INTEGER:
        return part
    if isinstance(part, str) and kind is str:
        part.encode()  # No text of a file holds a lone surrogate.
        return part
    raise ValueError(part)


def decode_time_key(cursor: str) -> TimeKey:
    """Decode the cursor of a list by time.

    Raises:
        ValueError: Not such a cursor.
    """
    moment, row_id = decode_cursor(cursor, datetime, int)
    assert isinstance(moment, datetime) and isinstance(row_id, int)
    return moment, row_id
