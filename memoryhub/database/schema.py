"""Schema check: keeps the database's tables at this version.

Django's migration loader costs more than a sync without changes, so the database stores
a number for its migrations. Running all of them takes seconds, so an empty database
gets the tables that they make from `tables.sql`, which `python -m tests.tables` writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from sqlite3 import Connection
from zlib import crc32

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model

from memoryhub.backups.taking import Source
from memoryhub.database.data_folder import make_private, prepare
from memoryhub.database.founding import ensure_hub
from memoryhub.database.secret_key import keep_secret_key
from memoryhub.disk.files import locked

#: What all migrations make of an empty database; its first line has their number.
TABLES = Path(__file__).with_name("tables.sql")

_WAY_OUT = (
    "Use the version that wrote it, or a later one; or set MEMORYHUB_DATA to a new"
    " folder and memoryhub add the workspaces: their files have the memory, the old"
    " folder keeps the history"
)


class OtherVersion(Exception):
    """The database is of a different version of the hub than this program."""

    def __str__(self) -> str:
        return (
            f"the database in {settings.MEMORYHUB_DATA} is of another version of"
            f" MemoryHub: {self.args[0]}"
        )


def ensure_schema(*, begins: bool = True) -> None:
    """Migrate a database of an earlier version; quick if it is current.

    No agent's call runs meanwhile. A missing hub is created if `begins`.

    Raises:
        NoHub: there is none, or (`LostHub`) its database is gone or empty.
        OtherVersion: it is of a later version, or of an unreleased one.
    """
    source = hub_source()
    prepare(source.data, make=begins)
    ensure_hub(source.database, source.data, begins=begins)
    settings.SECRET_KEY = keep_secret_key(source.data, settings.SECRET_KEY)
    if is_current():
        return
    with turn():
        if later := _later_migrations():
            raise OtherVersion(f"it has {later[0]}. {_WAY_OUT}")
        if not _made_at_once(connection.connection):
            call_command("migrate", verbosity=0)
        # SQLite created its files with default permissions.
        make_private(source.data)
        if different := _different_tables():
            table = different[0]
            raise OtherVersion(f"its table {table} is not this version's. {_WAY_OUT}")


def ensure_current() -> None:
    """Check that the database is still of this version.

    Raises:
        OtherVersion: another program migrated it while this one ran.
    """
    if not is_current():
        raise OtherVersion("it was migrated while this program ran; start it again")


def note_version(**_: object) -> None:
    """Set the database's version number if it has this version's tables.

    Called at the end of each migration.
    """
    if not is_current() and not _different_tables():
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA user_version = {schema_number()}")


def hub_source() -> Source:
    """Return the source of a backup: the data folder and the database in use."""
    database = connection.settings_dict["NAME"]
    return Source(Path(settings.MEMORYHUB_DATA), Path(database))


@contextmanager
def turn(*, together: bool = False) -> Iterator[None]:
    """Hold the lock that serialises writing calls, in their order of arrival.

    Calls `together` share it. An exclusive caller waits for the holders and is not
    overtaken.
    """
    locks = Path(settings.MEMORYHUB_DATA) / "locks"
    with ExitStack() as held:
        with locked(locks / "turn-gate"):
            held.enter_context(locked(locks / "turn", shared=together))
        yield


def is_current() -> bool:
    """Return whether the database's number is this version's.

    Bypasses Django's statement handling, as each call, page and sync needs it.

    Raises:
        DatabaseError: the database cannot be read.
    """
    connection.ensure_connection()
    with connection.wrap_database_errors:
        (stored,) = connection.connection.execute("PRAGMA user_version").fetchone()
    return bool(stored == schema_number())


@cache
def schema_number() -> int:
    """Return a checksum of all migrations of this version.

    Cached: it stays that of the running program when its files are replaced.
    """
    files = [
        (f"{config.label}/{path.name}\n", path.read_bytes())
        for config in apps.get_app_configs()
        for path in Path(config.path, "migrations").glob("[0-9]*.py")
    ]
    return crc32(b"".join(name.encode() + data for name, data in sorted(files))) >> 1


def known_migrations() -> frozenset[tuple[str, str]]:
    """Return app and name of this version's migrations, and of those they replace."""
    return frozenset({*_on_disk(), *(old for olds in _replaced() for old in olds)})


def _made_at_once(database: Connection) -> bool:
    """Make all tables of an empty database; False if migrations have to."""
    is_empty = not database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    script = TABLES.read_text() if is_empty else ""
    if not script.startswith(numbered(schema_number())):
        return False
    database.executescript(script)
    return True


def note_migrations(database: Connection) -> None:
    """Record all migrations as applied, in a copy of a database of this version.

    Rows of migrations can be lost with a damaged page; what they made is there.
    """
    database.execute("DELETE FROM django_migrations")
    for line in TABLES.read_text().splitlines():
        if line.startswith('INSERT INTO "django_migrations"'):
            database.execute(line)
    database.execute("UPDATE django_migrations SET applied = datetime('now')")


def numbered(number: int) -> str:
    """Return the first line of `tables.sql` for migrations of a number."""
    return f"-- migrations {number}\n"


def _later_migrations() -> list[str]:
    """Return the database's migrations that this version does not have.

    Of migrations that one of this version replaces, all or none have to be applied.
    """
    applied = set(MigrationRecorder(connection).applied_migrations())
    unknown = applied - known_migrations()
    for olds in _replaced():
        if not applied.issuperset(olds):
            unknown |= applied & olds
    return sorted(f"{app}.{name}" for app, name in unknown)


@cache
def _on_disk() -> Mapping[tuple[str, str], Migration]:
    found: Mapping[tuple[str, str], Migration] = MigrationLoader(None).disk_migrations
    return found


def _replaced() -> list[frozenset[tuple[str, str]]]:
    """Return the migrations that each one of this version replaces."""
    return [
        frozenset((app, name) for app, name in one.replaces)
        for one in _on_disk().values()
        if one.replaces
    ]


def _different_tables() -> list[str]:
    """Return the tables whose columns differ from this version's models."""
    models = apps.get_models(include_auto_created=True)
    with connection.cursor() as cursor:
        return [
            model._meta.db_table
            for model in models
            if _columns_of(model) != _columns_in(cursor, model._meta.db_table)
        ]


def _columns_in(cursor: CursorWrapper, table: str) -> set[str]:
    """Return the names of a table's columns; none if there is no such table."""
    cursor.execute("SELECT name FROM pragma_table_xinfo(%s)", [table])
    return {name for (name,) in cursor.fetchall()}


def _columns_of(model: type[Model]) -> set[str]:
    return {field.column for field in model._meta.concrete_fields if field.column}
