"""Readable rows of a damaged database, table by table.

Tables are walked from their root pages. If a page on the way is damaged, unreferenced
leaf pages are assigned to the table they fit.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import memoryhub
from memoryhub.database.schema import note_migrations, schema_number
from memoryhub.repair.pages import Pages, Row, Unreadable, Value

_SCHEMA_COLUMNS = 5
#: Kind, name and statement of tables and indexes.
Declared = Sequence[tuple[str, str, str]]
_NEEDED = "workspaces_revision"
_SCHEMA = """
import json, sqlite3, sys
import django; django.setup()
from memoryhub.database.schema import ensure_schema, hub_source
ensure_schema()
with sqlite3.connect(hub_source().database) as hub:
    rows = hub.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql NOTNULL")
    print(json.dumps(list(rows)))
"""


@dataclass(frozen=True, slots=True)
class Column:
    """A column as declared by its table."""

    name: str
    kind: str
    required: bool
    is_rowid: bool


@dataclass(slots=True)
class Table:
    """A table: columns, root page, and result of reading.

    `damaged` counts the unreadable pages on the way to rows, whose rows cannot be
    counted; `lost` counts the rows found but not readable, `copied` those copied.
    """

    name: str
    sql: str
    root: int
    columns: tuple[Column, ...]
    pages: list[int] = field(default_factory=list)
    damaged: int = 0
    lost: int = 0
    copied: int = 0

    def fits(self, row: Row) -> bool:
        """Return whether a row can belong to this table."""
        _, values = row
        return len(values) <= len(self.columns) and all(
            _is_of(column, value)
            for column, value in zip(self.columns, values, strict=False)
        )

    def complete(self, row: Row) -> tuple[Value, ...]:
        """Return the values of a row, with the rowid in its integer primary key."""
        rowid, values = row
        return tuple(
            rowid if column.is_rowid and value is None else value
            for column, value in zip(self.columns, values, strict=False)
        )


class Salvage:
    """A damaged database, opened read-only."""

    def __init__(self, database: Path, known: Declared = ()) -> None:
        self.declares_all = True
        self._pages = Pages(database)
        self._free = self._pages.free()
        self._seen: set[int] = set()
        self.version = self._pages.version
        self.indexes: list[str] = []
        self.tables = {table.name: table for table in self._schema(known)}
        for table in self.tables.values():
            table.pages = list(self._walked(table.root, table))
        self._adopt()

    def close(self) -> None:
        """Close the file."""
        self._pages.close()

    def rows(self, table: Table) -> Iterator[tuple[Value, ...]]:
        """Yield the readable rows of a table, each once."""
        given: set[int] = set()
        for number in table.pages:
            try:
                rows, lost = self._pages.leaf(number)
            except Unreadable:
                table.damaged += 1
                continue
            table.lost += lost
            for row in rows:
                if row[0] not in given and table.fits(row):
                    given.add(row[0])
                    yield table.complete(row)
                else:
                    table.lost += 1

    def _schema(self, known: Declared) -> Iterator[Table]:
        """Yield the tables that the file declares, and missing ones of this version."""
        found: dict[str, tuple[int, str]] = {}
        for values in self._schema_rows():
            kind, name, _, root, sql = values
            if isinstance(sql, str) and isinstance(root, int):
                if kind == "table":
                    found[str(name)] = (root, sql)
                elif kind == "index":
                    self.indexes.append(sql)
        for kind, name, sql in known:
            if kind == "table":
                found.setdefault(name, (0, sql))
            else:
                self.indexes.append(sql)
        for name, (root, sql) in found.items():
            if not name.startswith("sqlite_"):
                yield Table(name, sql, root, columns_of(name, sql))

    def _schema_rows(self) -> Iterator[tuple[Value, ...]]:
        master = Table("sqlite_schema", "", 1, ())
        pages = list(self._walked(1, master))
        if master.damaged:
            self.declares_all = False
            pages = [n for n in range(1, self._pages.count + 1) if self._declares(n)]
        self._seen.update(pages)
        for number in pages:
            yield from (
                values
                for _, values in self._pages.leaf(number)[0]
                if len(values) == _SCHEMA_COLUMNS
            )

    def _declares(self, number: int) -> bool:
        """Return whether a page holds declarations of tables and indexes."""
        if number in self._free:
            return False
        try:
            rows = self._pages.leaf(number)[0]
        except (Unreadable, IndexError):
            return False
        return bool(rows) and all(
            len(values) == _SCHEMA_COLUMNS and values[0] in ("table", "index")
            for _, values in rows
        )

    def _walked(self, root: int, table: Table) -> Iterator[int]:
        """Yield the leaf pages below a root; damaged pages are counted."""
        waiting = [root]
        while waiting:
            number = waiting.pop()
            if number in self._seen:
                table.damaged += 1
                continue
            try:
                if self._pages.is_leaf(number):
                    _refuse_others(table, self._pages.leaf(number)[0])
                    self._seen.add(number)
                    yield number
                else:
                    below = self._pages.children(number)
                    self._seen.add(number)
                    waiting += reversed(below)
            except (Unreadable, IndexError):
                table.damaged += 1

    def _adopt(self) -> None:
        """Assign unreferenced leaf pages to the damaged tables they fit."""
        damaged = [table for table in self.tables.values() if table.damaged]
        if not damaged:
            return
        for number in range(2, self._pages.count + 1):
            if number in self._seen or number in self._free:
                continue
            try:
                rows = self._pages.leaf(number)[0]
            except (Unreadable, IndexError):
                continue
            if owner := _owner(damaged, rows):
                self._seen.add(number)
                owner.pages.append(number)


def _owner(tables: Iterable[Table], rows: Iterable[Row]) -> Table | None:
    """Return the best fitting table of rows: the one with the fewest extra columns."""
    rows = list(rows)
    fitting = [table for table in tables if rows and all(map(table.fits, rows))]
    width = max((len(values) for _, values in rows), default=0)
    return min(fitting, key=lambda table: len(table.columns) - width, default=None)


def _refuse_others(table: Table, rows: Sequence[Row]) -> None:
    """Reject a page of another table, to which a damaged page may lead.

    Raises:
        Unreadable: less than half of its rows fit.
    """
    if table.columns and sum(map(table.fits, rows)) * 2 < len(rows):
        raise Unreadable("a page is another table's")


def columns_of(name: str, sql: str) -> tuple[Column, ...]:
    """Return the columns that a statement declares, as parsed by SQLite."""
    with closing(sqlite3.connect(":memory:")) as memory:
        try:
            memory.execute(sql)
            rows = memory.execute(f'PRAGMA table_info("{name}")').fetchall()
        except sqlite3.Error:
            return ()
    keys = sum(bool(row[5]) for row in rows)
    return tuple(
        Column(row[1], row[2].lower(), bool(row[3]), _is_rowid(row, keys))
        for row in rows
    )


def _is_rowid(row: tuple[object, ...], keys: int) -> bool:
    return keys == 1 and bool(row[5]) and str(row[2]).upper() == "INTEGER"


def _is_of(column: Column, value: Value) -> bool:
    if value is None:
        return column.is_rowid or not column.required
    kind = column.kind
    if "int" in kind or "bool" in kind:
        return isinstance(value, int)
    if "char" in kind or "text" in kind or "date" in kind or "time" in kind:
        return isinstance(value, str)
    if "blob" in kind:
        return isinstance(value, bytes)
    return True


def copy_readable(damaged: Path, to: Path, left_out: Collection[str]) -> list[Table]:
    """Copy the readable rows into a new database; return the tables copied.

    Rows of tables `left_out` are rebuilt elsewhere.
    """
    salvage = Salvage(damaged)
    if not salvage.declares_all or _NEEDED not in salvage.tables:
        salvage.close()
        salvage = Salvage(damaged, _own_schema())
    try:
        with closing(sqlite3.connect(to)) as new, new:
            new.execute("PRAGMA foreign_keys=OFF")
            for table in salvage.tables.values():
                if table.columns:
                    new.execute(table.sql)
            for sql in salvage.indexes:
                try:
                    new.execute(sql)
                except sqlite3.Error:  # its table is missing; a rebuild needs no index
                    continue
            chosen = [
                table
                for table in salvage.tables.values()
                if table.columns and table.name not in left_out
            ]
            for table in chosen:
                _copy_table(new, salvage, table)
            if salvage.version == schema_number():
                note_migrations(new)
            return chosen
    finally:
        salvage.close()


def _copy_table(new: sqlite3.Connection, salvage: Salvage, table: Table) -> None:
    for values in salvage.rows(table):
        names = ", ".join(f'"{column.name}"' for column in table.columns[: len(values)])
        marks = ", ".join("?" * len(values))
        statement = f'INSERT OR IGNORE INTO "{table.name}" ({names}) VALUES ({marks})'
        done = new.execute(statement, values).rowcount
        table.copied += done
        table.lost += not done


def _own_schema() -> Declared:
    """Return this version's tables and indexes, made in a child process."""
    with tempfile.TemporaryDirectory(prefix="memoryhub-repair-") as folder:
        done = subprocess.run(
            [sys.executable, "-c", _SCHEMA],
            env={
                **os.environ,
                "DJANGO_SETTINGS_MODULE": "memoryhub.settings",
                "MEMORYHUB_DATA": folder,
                "PYTHONPATH": str(Path(memoryhub.__path__[0]).parent),
            },
            capture_output=True,
            text=True,
            check=True,
        )
    return [(kind, name, sql) for kind, name, sql in json.loads(done.stdout)]
