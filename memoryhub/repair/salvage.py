"""Readable rows of a damaged database, table by table.

SQLite gives up at the first damaged page of a table, so it is given one page at a time:
in a copy with a sound first page a table is declared whose root is a leaf page. Only
the way to the leaves is walked here (https://sqlite.org/fileformat2.html). If a page on
the way is damaged, unreferenced leaf pages are assigned to the table they fit.

The program `sqlite3` has `.recover` for this. It needs the module `dbpage`, which
Debian's SQLite is built without.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from memoryhub.database.schema import TABLES, note_migrations, schema_number

_LEAF, _INTERIOR = 13, 5
_HEADER = 100
_DEFAULT_SIZE = 4096
#: Sizes of pages as a header gives them: 1 stands for 65,536.
_SIZES = {1, *(1 << power for power in range(9, 16))}
#: Columns of the table that reads any leaf; no table of a hub has more.
_WIDE = 100
_NEEDED = "workspaces_revision"
_SCHEMA_COLUMNS = 5
_SCHEMA = "CREATE TABLE s(type text, name text, tbl_name text, rootpage int, sql text)"
_DECLARED = "SELECT type, name, 0, sql FROM sqlite_schema"
_TYPES = {"int": int, "bool": int, "blob": bytes}
_TYPES |= dict.fromkeys(("char", "text", "date", "time"), str)

#: The rowid, then the values of `_WIDE` columns.
Row = tuple[Any, ...]


class Pages:
    """A copy of a damaged database with its log, of which SQLite reads leaf pages."""

    def __init__(self, damaged: Path, copy: Path) -> None:
        for ending in ("", "-wal"):
            with suppress(FileNotFoundError):
                shutil.copyfile(f"{damaged}{ending}", f"{copy}{ending}")
        self._size = _merged(copy)
        self._file = os.open(copy, os.O_RDWR)
        self.count = os.fstat(self._file).st_size // self._size
        first = self[1]
        self.version = _u32(first, 60)
        self.free = self._free(_u32(first, 32))
        # The root of the schema is behind the header, which SQLite needs whole.
        self.schema = self.count + 1
        cells = 12 + 2 * int.from_bytes(first[_HEADER + 3 : _HEADER + 5], "big")
        root = first[_HEADER : _HEADER + cells]
        self._write(self.schema, root + first[len(root) :])
        self._write(1, _sound_page(self._size, self.schema))
        self._reader = sqlite3.connect(copy, isolation_level=None)
        for name in ("synchronous = OFF", "journal_mode = OFF", "writable_schema = ON"):
            self._reader.execute(f"PRAGMA {name}")

    def drop_schema(self) -> None:
        """Take the schema's root away: no damaged number must lead to it."""
        os.ftruncate(self._file, self.count * self._size)
        os.pwrite(self._file, self.count.to_bytes(4, "big"), 28)

    def close(self) -> None:
        """Close the copy."""
        self._reader.close()
        os.close(self._file)

    def __getitem__(self, number: int) -> bytes:
        """Return a page by its number, from 1; a missing page is all zeros."""
        place = max(number - 1, 0) * self._size
        page = os.pread(self._file, self._size, place) if number else b""
        return page if len(page) == self._size else bytes(self._size)

    def children(self, number: int) -> list[int]:
        """Return the pages below an interior page of a table."""
        page = self[number]
        end = min(12 + 2 * int.from_bytes(page[3:5], "big"), self._size - 1)
        places = [int.from_bytes(page[at : at + 2], "big") for at in range(12, end, 2)]
        return [*(_u32(page, at) for at in places), _u32(page, 8)]

    def rows(self, number: int) -> tuple[list[Row], int]:
        """Return the rows of a leaf page, and the number of unreadable ones."""
        read = self._reader.execute
        version = read("PRAGMA schema_version").fetchone()[0]
        read("UPDATE sqlite_schema SET rootpage = ?", (number,))
        read(f"PRAGMA schema_version = {version + 1}")
        with suppress(sqlite3.DatabaseError):
            return read("SELECT rowid, * FROM leaf").fetchall(), 0
        rows: list[Row] = []
        count = int.from_bytes(self[number][3:5], "big")
        for place in range(min(count, self._size // 4)):
            with suppress(sqlite3.DatabaseError):
                one = read(f"SELECT rowid, * FROM leaf LIMIT 1 OFFSET {place}")
                rows += one.fetchall()
        return rows, count - len(rows)

    def _write(self, number: int, page: bytes) -> None:
        os.pwrite(self._file, page, (number - 1) * self._size)

    def _free(self, trunk: int) -> set[int]:
        """Return the pages of the free list, which hold deleted data."""
        found: set[int] = set()
        while trunk and trunk not in found:
            page = self[trunk]
            leaves = min(_u32(page, 4), self._size // 4 - 2)
            found |= {trunk, *(_u32(page, 8 + 4 * place) for place in range(leaves))}
            trunk = _u32(page, 0)
        return found


def _u32(page: bytes, at: int) -> int:
    return int.from_bytes(page[at : at + 4], "big")


def _merged(database: Path) -> int:
    """Merge the log of a copy into it; return the size of its pages.

    A header that SQLite does not take is replaced.
    """
    with database.open("r+b") as file:
        header = file.read(_HEADER)
        size = int.from_bytes(header[16:18], "big")
        if not header.startswith(b"SQLite format 3\0") or size not in _SIZES:
            size = _DEFAULT_SIZE
            file.seek(0)
            # As of a database with a log, and of unknown length.
            sound = _sound_page(size, 0)[:_HEADER]
            file.write(sound[:18] + b"\2\2" + sound[20:92] + bytes(4) + sound[96:])
    with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(database)) as opened:
        opened.execute("PRAGMA user_version").fetchone()
    return 65_536 if size == 1 else size


def _sound_page(size: int, count: int) -> bytes:
    """Return the first page of a database of `count` pages with the table `leaf`."""
    with closing(sqlite3.connect(":memory:")) as memory:
        memory.execute(f"PRAGMA page_size = {size}")
        columns = ", ".join(f"c{number}" for number in range(_WIDE))
        memory.execute(f"CREATE TABLE leaf({columns})")
        page = memory.serialize()[:size]
    return page[:28] + count.to_bytes(4, "big") + page[32:]


class Column(NamedTuple):
    """A column as declared by its table; `types` are those of its values."""

    name: str
    types: tuple[type, ...]
    required: bool
    is_rowid: bool

    def takes(self, value: Any) -> bool:
        """Return whether a value can be of this column."""
        if value is None:
            return self.is_rowid or not self.required
        return not self.types or isinstance(value, self.types)


@dataclass(slots=True, eq=False)
class Table:
    """A table: columns, root page, and result of reading.

    `damaged` counts the unreadable pages on the way to rows, whose rows cannot be
    counted; `lost` counts the rows found but not readable, `copied` those copied.
    """

    name: str
    sql: str
    root: int
    columns: tuple[Column, ...]
    damaged: int = 0
    lost: int = 0
    copied: int = 0

    def fits(self, row: Row) -> bool:
        """Return whether a row can belong to this table."""
        own, behind = row[1 : len(self.columns) + 1], row[len(self.columns) + 1 :]
        return all(map(Column.takes, self.columns, own)) and not any(
            value is not None for value in behind
        )

    def complete(self, row: Row) -> Row:
        """Return the values of a row, with the rowid in its integer primary key."""
        return tuple(
            row[0] if column.is_rowid and value is None else value
            for column, value in zip(self.columns, row[1:], strict=False)
        )


class Salvage:
    """The tables of a damaged database, of which a copy is made to be read."""

    def __init__(self, damaged: Path, copy: Path) -> None:
        self._pages = Pages(damaged, copy)
        self._seen = {1}
        self.version = self._pages.version
        self.indexes: list[str] = []
        self.tables: dict[str, Table] = {}
        self._find_tables()

    def close(self) -> None:
        """Close the copy."""
        self._pages.close()

    def rows(self) -> Iterator[tuple[Table, Row]]:
        """Yield the values of every readable row with its table.

        Rows without a known table follow at the end.
        """
        for table in self.tables.values():
            yield from ((table, values) for values in self._fitting(table))
        damaged = [table for table in self.tables.values() if table.damaged]
        for number in self._unseen() if damaged else ():
            rows, _ = self._pages.rows(number)
            owners = [table for table in damaged if all(map(table.fits, rows))]
            if rows and owners:
                # No values are left over, few columns stay empty: a likely owner.
                owner = min(owners, key=lambda table: len(table.columns))
                yield from ((owner, owner.complete(row)) for row in rows)

    def _fitting(self, table: Table) -> Iterator[Row]:
        """Yield the values of a table's rows; others are counted as lost."""
        for rows, lost in self._walked(table):
            table.lost += lost
            for row in rows:
                if table.fits(row):
                    yield table.complete(row)
                else:
                    table.lost += 1

    def _find_tables(self) -> None:
        """Find the tables that the file declares, else those of this version too."""
        schema = Table("s", _SCHEMA, self._pages.schema, columns_of("s", _SCHEMA))
        found = list(self._fitting(schema))
        if schema.damaged:
            found += [row for page in self._unseen() for row in self._declared(page)]
        for kind, name, _, root, sql in found:
            self._declare(kind, name, root, sql)
        self._pages.drop_schema()
        if schema.damaged or _NEEDED not in self.tables:
            with closing(sqlite3.connect(":memory:")) as memory:
                memory.executescript(TABLES.read_text())
                for declared in memory.execute(_DECLARED).fetchall():
                    self._declare(*declared)

    def _declare(
        self, kind: str, name: str | None, root: int | None, sql: str | None
    ) -> None:
        if name is None or root is None or sql is None or name.startswith("sqlite_"):
            return
        if kind == "index":
            self.indexes.append(sql)
        elif kind == "table":
            columns = columns_of(name, sql)
            self.tables.setdefault(name, Table(name, sql, root, columns))

    def _unseen(self) -> Iterator[int]:
        """Yield the leaf pages to which nothing led yet, without deleted ones."""
        for number in range(2, self._pages.count + 1):
            is_known = number in self._seen or number in self._pages.free
            if not is_known and self._pages[number][0] == _LEAF:
                yield number

    def _declared(self, number: int) -> list[Row]:
        """Return the declarations of tables and indexes on a page; none on others."""
        rows, _ = self._pages.rows(number)
        if not {row[1] for row in rows} <= {"table", "index"}:
            return []
        self._seen.add(number)
        return [row[1 : _SCHEMA_COLUMNS + 1] for row in rows]

    def _walked(self, table: Table) -> Iterator[tuple[list[Row], int]]:
        """Yield the rows of each leaf page below a table's root, and how many are lost.

        Damaged pages are counted. They may lead to another table's page, most of whose
        rows do not fit.
        """
        waiting = [table.root]
        while waiting:
            number = waiting.pop()
            kind = self._pages[number][0]
            if number in self._seen or kind not in (_LEAF, _INTERIOR):
                table.damaged += 1
                continue
            if kind == _INTERIOR:
                waiting += reversed(self._pages.children(number))
            else:
                rows, lost = self._pages.rows(number)
                if sum(map(table.fits, rows)) * 2 < len(rows):
                    table.damaged += 1
                    continue
                yield rows, lost
            self._seen.add(number)


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
        Column(
            name=name,
            types=tuple(_TYPES[word] for word in _TYPES if word in kind.lower()),
            required=bool(required),
            is_rowid=keys == 1 and bool(key) and kind.upper() == "INTEGER",
        )
        for _, name, kind, required, _, key in rows
    )


def copy_readable(damaged: Path, to: Path, left_out: Collection[str]) -> list[Table]:
    """Copy the readable rows into a new database; return the tables copied.

    Rows of tables `left_out` are rebuilt elsewhere.
    """
    with (
        closing(Salvage(damaged, to.with_name("damaged.sqlite3"))) as salvage,
        closing(sqlite3.connect(to)) as new,
        new,
    ):
        new.execute("PRAGMA foreign_keys=OFF")
        tables = [table for table in salvage.tables.values() if table.columns]
        for sql in (*(table.sql for table in tables), *salvage.indexes):
            # An index may lack its table, or be of this version and of the file.
            with suppress(sqlite3.Error):
                new.execute(sql)
        chosen = [table for table in tables if table.name not in left_out]
        for table, values in salvage.rows():
            if table in chosen:
                names = ", ".join(f'"{column.name}"' for column in table.columns)
                marks = ", ".join("?" * len(table.columns))
                into = (
                    f'INSERT OR IGNORE INTO "{table.name}" ({names}) VALUES ({marks})'
                )
                done = new.execute(into, values).rowcount
                table.copied += done
                table.lost += not done
        if salvage.version == schema_number():
            note_migrations(new)
        return chosen
