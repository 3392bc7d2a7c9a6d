"""Times as statements without a model give them back and compare them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memoryhub.journal.rows import as_stored, moment_of

AT = datetime(2026, 11, 20, 8, 5, 1, 250_000, UTC)


@pytest.mark.parametrize(
    "stored",
    [
        "2026-11-20 08:05:01.250000",
        "2026-11-20 08:05:01.250000+00:00",
        AT,
        AT.replace(tzinfo=None),
    ],
)
def test_a_stored_time_is_one_of_utc_in_whatever_form(stored: datetime | str) -> None:
    assert moment_of(stored) == AT


def test_a_time_comes_back_from_what_it_is_stored_as() -> None:
    assert moment_of(as_stored(AT)) == AT
