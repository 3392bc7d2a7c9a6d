"""The tables of an empty hub, as migrations make them.

`python -m tests.tables` writes them into the product after a new migration.
"""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import tempfile
from contextlib import closing
from pathlib import Path

from memoryhub.database import schema
from tests.migrated import DATABASE
from tests.warm import python

ROOT = Path(__file__).parents[1]
#: Django writes the names of JSON's values in another order each time.
_WORDS = re.compile(r"'(?:true|false|null)'(?:,'(?:true|false|null)'){2}")
_BY_MIGRATIONS = """
from pathlib import Path
from memoryhub.database import schema
schema.TABLES = Path("{other}")
schema.ensure_schema()
"""


def migrated_script(folder: Path) -> str:
    """Return the script for what migrations make, run one by one in a data folder."""
    other = folder / "other.sql"
    other.touch()
    subprocess.run(
        python(ROOT / "manage.py", "shell", "-c", _BY_MIGRATIONS.format(other=other)),
        env={**os.environ, "MEMORYHUB_DATA": str(folder / "data")},
        check=True,
        capture_output=True,
    )
    return script_of((folder / "data" / DATABASE).read_bytes())


def script_of(database: bytes) -> str:
    """Return the script that makes a database; its migrations are of when it runs."""
    with closing(sqlite3.connect(":memory:")) as hub:
        # A log of its own is nothing for memory.
        hub.deserialize(database[:18] + b"\1\1" + database[20:])
        (number,) = hub.execute("PRAGMA user_version").fetchone()
        _sort_migrations(hub)
        hub.commit()
        begin, *statements, commit = hub.iterdump()
    # Rows name rows of later tables.
    statements.sort(key=lambda statement: not statement.startswith("CREATE TABLE"))
    dated = "UPDATE django_migrations SET applied = datetime('now');"
    version = f"PRAGMA user_version = {number};"
    lines = [begin, *statements, dated, version, commit, ""]
    return schema.numbered(number) + _WORDS.sub(_in_order, "\n".join(lines))


def _sort_migrations(hub: sqlite3.Connection) -> None:
    """Number the migrations by name: Django notes those replaced in any order."""
    names = hub.execute("SELECT app, name FROM django_migrations ORDER BY app, name")
    rows = [(number, *row, "") for number, row in enumerate(names.fetchall(), 1)]
    hub.execute("DELETE FROM django_migrations")
    hub.executemany("INSERT INTO django_migrations VALUES (?, ?, ?, ?)", rows)


def _in_order(found: re.Match[str]) -> str:
    return ",".join(sorted(found[0].split(",")))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        schema.TABLES.write_text(migrated_script(Path(folder)))
