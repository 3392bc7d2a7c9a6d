"""Keeps the database's tables those of this version, for every command.

Asking Django's migration loader costs more than a sync that finds nothing, so the
database carries a number that says which migrations it has.
"""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection


def ensure_schema() -> None:
    """Migrate the database where it is not of this version; quick where it is."""
    Path(settings.MEMORYHUB_DATA).mkdir(parents=True, exist_ok=True, mode=0o700)
    expected = schema_number()
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA user_version")
        (stored,) = cursor.fetchone()
        if stored != expected:
            call_command("migrate", verbosity=0)
            cursor.execute(f"PRAGMA user_version = {expected}")


def schema_number() -> int:
    """Return a number that stands for all migrations of this version."""
    names = sorted(
        f"{config.label}/{path.name}"
        for config in apps.get_app_configs()
        for path in Path(config.path, "migrations").glob("[0-9]*.py")
    )
    return crc32("\n".join(names).encode()) >> 1
