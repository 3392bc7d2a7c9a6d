"""Fixtures of the audit log."""

from __future__ import annotations

import pytest
from django.db import connection


@pytest.fixture(autouse=True)
def numbered_from_one(db: None) -> None:
    """Number entries from 1, also behind tests whose entries were flushed."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM sqlite_sequence WHERE name = 'audit_auditentry'")
