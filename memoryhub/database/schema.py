"""Keeps the database's tables those of this version, and tells when they are not.

Asking Django's migration loader costs more than a sync that finds nothing, so the
database carries a number that says which migrations it has.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from zlib import crc32

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.models import Model

from memoryhub.backups.taking import Source
from memoryhub.database.data_folder import make_private, prepare
from memoryhub.database.founding import ensure_hub
from memoryhub.database.secret_key import keep_secret_key
from memoryhub.disk.files import locked


class OtherVersion(Exception):
    """The database is of another version of the hub than this program."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why

    def __str__(self) -> str:
        return (
            f"the database in {settings.MEMORYHUB_DATA} is of another version of"
            f" MemoryHub, which has to be used with it: {self.why}"
        )


def ensure_schema(*, begins: bool = True) -> None:
    """Migrate the database where it is of an earlier version; quick where it is not.

    No call of an agent is under way meanwhile. Where there is no hub, one is made if
    the caller `begins` hubs.

    Raises:
        NoHub: there is none, or (`LostHub`) its database is gone or empty.
        OtherVersion: it is of a later version, or of one that never was released.
    """
    source = hub_source()
    prepare(source.data, make=begins)
    ensure_hub(source.database, source.data, begins=begins)
    settings.SECRET_KEY = keep_secret_key(source.data, settings.SECRET_KEY)
    if is_current():
        return
    with turn():
        if later := _later_migrations():
            raise OtherVersion(f"it has {later[0]}")
        call_command("migrate", verbosity=0)
        # SQLite made its files as it makes any.
        make_private(source.data)
        if different := _different_tables():
            raise OtherVersion(f"its table {different[0]} is not this version's")


def ensure_current() -> None:
    """Do nothing where the database is still of this version.

    Raises:
        OtherVersion: another program migrated it while this one ran.
    """
    if not is_current():
        raise OtherVersion("it was migrated while this program ran; start it again")


def note_version(**_: object) -> None:
    """Give the database this version's number, where it has its tables.

    Whatever migrates it does so at the end.
    """
    if not is_current() and not _different_tables():
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA user_version = {schema_number()}")


def hub_source() -> Source:
    """Return what a backup is taken of: the data folder and the database in use."""
    database = connection.settings_dict["NAME"]
    return Source(Path(settings.MEMORYHUB_DATA), Path(database))


@contextmanager
def turn(*, together: bool = False) -> Iterator[None]:
    """Hold the lock that calls wait for before they write, in the order they came.

    Calls `together` hold it at the same time. Whoever wants it alone waits for those
    who have it and lets nobody in before.
    """
    locks = Path(settings.MEMORYHUB_DATA) / "locks"
    with ExitStack() as held:
        with locked(locks / "turn-gate"):
            held.enter_context(locked(locks / "turn", shared=together))
        yield


def is_current() -> bool:
    """Tell whether the database has the tables of this version, by its number.

    Asked at each call, page and sync, so without what Django does around a statement.

    Raises:
        DatabaseError: it cannot be read.
    """
    connection.ensure_connection()
    with connection.wrap_database_errors:
        (stored,) = connection.connection.execute("PRAGMA user_version").fetchone()
    return bool(stored == schema_number())


@cache
def schema_number() -> int:
    """Return a number that stands for all migrations of this version.

    It is that of the program that runs, also when its files are exchanged.
    """
    files = [
        (f"{config.label}/{path.name}\n", path.read_bytes())
        for config in apps.get_app_configs()
        for path in Path(config.path, "migrations").glob("[0-9]*.py")
    ]
    return crc32(b"".join(name.encode() + data for name, data in sorted(files))) >> 1


def _later_migrations() -> list[str]:
    """Return the migrations that the database has and this version does not."""
    loader = MigrationLoader(connection)
    unknown = set(loader.applied_migrations) - set(loader.disk_migrations)
    return sorted(f"{app}.{name}" for app, name in unknown)


def _different_tables() -> list[str]:
    """Return the tables that have other columns than this version's models."""
    with connection.cursor() as cursor:
        names = connection.introspection.table_names(cursor)
        return [
            model._meta.db_table
            for model in apps.get_models(include_auto_created=True)
            if model._meta.db_table not in names
            or _columns_of(model)
            != {
                column.name
                for column in connection.introspection.get_table_description(
                    cursor, model._meta.db_table
                )
            }
        ]


def _columns_of(model: type[Model]) -> set[str]:
    return {field.column for field in model._meta.concrete_fields if field.column}
