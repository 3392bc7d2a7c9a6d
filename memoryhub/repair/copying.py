"""Copy of all readable rows of a damaged database into a new one."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import memoryhub
from memoryhub.repair.salvage import Declared, Salvage, Table

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
class Copied:
    """Result of a table's copy: rows, rows lost, damaged pages.

    Rows behind a damaged page cannot be counted.
    """

    table: str
    rows: int
    lost: int
    damaged: int


def copy_readable(
    damaged: Path, to: Path, left_out: Collection[str]
) -> tuple[Copied, ...]:
    """Copy the readable rows into a new database; return the result of each table.

    Rows of tables `left_out` are rebuilt elsewhere.
    """
    salvage = Salvage(damaged)
    if not salvage.declares_all or _NEEDED not in salvage.tables:
        salvage.close()
        salvage = Salvage(damaged, _own_schema())
    try:
        with closing(sqlite3.connect(to)) as new, new:
            return tuple(_copied(new, salvage, left_out))
    finally:
        salvage.close()


def _copied(
    new: sqlite3.Connection, salvage: Salvage, left_out: Collection[str]
) -> list[Copied]:
    new.execute("PRAGMA foreign_keys=OFF")
    for table in salvage.tables.values():
        if table.columns:
            new.execute(table.sql)
    for sql in salvage.indexes:
        try:
            new.execute(sql)
        except sqlite3.Error:  # its table is missing; a rebuild needs no index
            continue
    return [
        _copy_table(new, salvage, table)
        for table in salvage.tables.values()
        if table.columns and table.name not in left_out
    ]


def _copy_table(new: sqlite3.Connection, salvage: Salvage, table: Table) -> Copied:
    written = 0
    for values in salvage.rows(table):
        names = ", ".join(f'"{column.name}"' for column in table.columns[: len(values)])
        marks = ", ".join("?" * len(values))
        statement = f'INSERT OR IGNORE INTO "{table.name}" ({names}) VALUES ({marks})'
        done = new.execute(statement, values).rowcount
        written += done
        table.lost += not done
    return Copied(table.name, written, table.lost, table.damaged)


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
