"""Cursors of all lists: what is encoded comes back, anything else is refused."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.values.cursors import decode_cursor, decode_time_key, encode_cursor

_MOMENTS = st.datetimes(timezones=st.just(UTC))
_NUMBERS = st.integers(-(2**63) + 1, 2**63 - 1)


@given(_MOMENTS, _NUMBERS)
def test_a_time_key_comes_back(moment: datetime, row_id: int) -> None:
    assert decode_time_key(encode_cursor(moment, row_id)) == (moment, row_id)


@given(st.text(st.characters(codec="utf-8")))
def test_a_path_comes_back(path: str) -> None:
    assert decode_cursor(encode_cursor(path), str) == [path]


@given(st.text() | st.builds(encode_cursor, st.integers(), st.integers()))
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        decode_time_key(text)


@pytest.mark.parametrize(
    "cursor",
    [
        encode_cursor("2026-11-20T10:00:00", 1),
        encode_cursor("0001-01-01T00:00:00+23:00", 1),
        encode_cursor("2026-11-20T10:00:00Z", 2**63),
        encode_cursor("2026-11-20T10:00:00Z", True),
        encode_cursor("2026-11-20T10:00:00Z"),
    ],
)
def test_no_key_of_a_row_is_refused(cursor: str) -> None:
    with pytest.raises(ValueError):
        decode_time_key(cursor)
