"""Statements that a call sends to the database."""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection
from django.test.utils import CaptureQueriesContext


def statements(ask: Callable[[], object]) -> int:
    """Return how many statements a second call sends, once values are cached."""
    ask()
    with CaptureQueriesContext(connection) as sent:
        ask()
    return len(sent)
