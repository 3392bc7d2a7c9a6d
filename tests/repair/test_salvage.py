"""What can be read of a damaged database, page by page."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memoryhub.database.schema import TABLES
from memoryhub.repair.salvage import _WIDE, Salvage

PAGE = 4096


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a database of two tables, with long rows, an index and free pages."""
    path = tmp_path_factory.mktemp("made") / "made.sqlite3"
    chance = random.Random(7)
    with closing(sqlite3.connect(path)) as hub, hub:
        hub.execute("CREATE TABLE notes(id integer PRIMARY KEY, text text NOT NULL)")
        hub.execute("CREATE TABLE blobs(sha varchar(9) NOT NULL, data BLOB NOT NULL)")
        hub.execute("CREATE INDEX notes_text ON notes(text)")
        for number in range(3000):
            hub.execute("INSERT INTO notes VALUES (?, ?)", (number, f"note {number}"))
        for number in range(60):
            data = chance.randbytes(chance.randrange(20_000))
            hub.execute("INSERT INTO blobs VALUES (?, ?)", (f"b{number}", data))
        hub.execute("DELETE FROM notes WHERE id % 3 = 0 OR id BETWEEN 500 AND 999")
    return path


def rows_of(path: Path) -> dict[str, set[tuple[object, ...]]]:
    with closing(sqlite3.connect(path)) as hub:
        names = ("notes", "blobs")
        return {name: set(hub.execute(f"SELECT * FROM {name}")) for name in names}


def salvaged(path: Path) -> dict[str, set[tuple[object, ...]]]:
    salvage = Salvage(path, path.with_name("copy"))
    found: dict[str, set[tuple[object, ...]]] = {"notes": set(), "blobs": set()}
    try:
        for table, values in salvage.rows():
            found.setdefault(table.name, set()).add(values)
        return found
    finally:
        salvage.close()


def damaged(made: Path, to: Path, *numbers: int, fill: bytes = b"\xff") -> Path:
    shutil.copyfile(made, to)
    with to.open("r+b") as file:
        for number in numbers:
            file.seek((number - 1) * PAGE)
            file.write(fill * PAGE)
    return to


def test_of_a_sound_database_everything_is_read(made: Path) -> None:
    assert salvaged(made) == rows_of(made)


def test_what_the_log_holds_is_read_up_to_its_last_whole_transaction(
    made: Path, tmp_path: Path
) -> None:
    live, copy = tmp_path / "live.sqlite3", tmp_path / "copy.sqlite3"
    shutil.copyfile(made, live)
    with closing(sqlite3.connect(live, isolation_level=None)) as hub:
        hub.execute("PRAGMA journal_mode=WAL")
        hub.execute("PRAGMA wal_autocheckpoint=0")
        hub.execute("UPDATE notes SET text = 'first' WHERE id = 1")
        shutil.copyfile(live, copy)
        log = Path(f"{live}-wal").read_bytes()
        hub.execute("UPDATE notes SET text = 'second' WHERE id = 1")
        longer = Path(f"{live}-wal").read_bytes()

    Path(f"{copy}-wal").write_bytes(longer)
    assert (1, "second") in salvaged(copy)["notes"]
    Path(f"{copy}-wal").write_bytes(longer[:-1])
    assert (1, "first") in salvaged(copy)["notes"]
    Path(f"{copy}-wal").write_bytes(log[:40])
    assert (1, "note 1") in salvaged(copy)["notes"]


def test_any_damaged_page_costs_no_more_than_its_own_rows(
    made: Path, tmp_path: Path
) -> None:
    whole, pages = rows_of(made), made.stat().st_size // PAGE
    for number in range(1, pages + 1):
        found = salvaged(damaged(made, tmp_path / "d.sqlite3", number))
        if number == 1:
            continue
        assert found["notes"] <= whole["notes"], number
        assert len(found["notes"]) >= len(whole["notes"]) - 400, number
        # Bytes that flowed over into the page are not what they were: hashes tell.
        assert {row[0] for row in found["blobs"]} <= {row[0] for row in whole["blobs"]}
        assert len(found["blobs"]) >= len(whole["blobs"]) - 12, number


def test_without_its_header_the_tables_are_found(made: Path, tmp_path: Path) -> None:
    path = tmp_path / "d.sqlite3"
    shutil.copyfile(made, path)
    with path.open("r+b") as file:
        file.write(b"\x00" * 100)

    assert salvaged(path) == rows_of(made)


@pytest.mark.parametrize("left", [0.5, 0.9])
def test_of_a_file_cut_off_what_is_left_is_read(
    made: Path, tmp_path: Path, left: float
) -> None:
    path = tmp_path / "d.sqlite3"
    data = made.read_bytes()
    path.write_bytes(data[: int(len(data) * left)])

    found, whole = salvaged(path), rows_of(made)
    assert all(found[name] <= whole[name] for name in whole)
    assert found["notes"]


def test_pages_that_a_damaged_free_list_names_are_read(
    made: Path, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(made)) as hub:
        names = "SELECT rootpage FROM sqlite_schema WHERE name = 'notes'"
        (root,) = hub.execute(names).fetchone()
    data = made.read_bytes()
    # The page behind the last cell of an interior page is a leaf of the table.
    leaf = data[(root - 1) * PAGE + 8 : (root - 1) * PAGE + 12]
    (tmp_path / "d.sqlite3").write_bytes(data[:32] + leaf + data[36:])

    assert salvaged(tmp_path / "d.sqlite3") == rows_of(made)


@pytest.mark.parametrize("column", ["name", "rootpage", "sql"])
def test_a_table_without_a_declaration_hinders_no_other(
    made: Path, tmp_path: Path, column: str
) -> None:
    path = damaged(made, tmp_path / "d.sqlite3")
    with closing(sqlite3.connect(path)) as hub, hub:
        hub.execute("PRAGMA writable_schema=ON")
        hub.execute(f"UPDATE sqlite_schema SET {column} = NULL WHERE name = 'blobs'")

    assert salvaged(path)["notes"] == rows_of(made)["notes"]


def test_random_damage_ends_nothing(made: Path, tmp_path: Path) -> None:
    chance, data = random.Random(11), made.read_bytes()
    for _ in range(25):
        broken = bytearray(data)
        for _ in range(200):
            broken[chance.randrange(PAGE, len(data))] = chance.randrange(256)
        (tmp_path / "d.sqlite3").write_bytes(broken)
        assert len(salvaged(tmp_path / "d.sqlite3")["notes"]) > 100


def test_no_table_is_wider_than_what_reads_a_page() -> None:
    with closing(sqlite3.connect(":memory:")) as hub:
        hub.executescript(TABLES.read_text())
        names = hub.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        for (name,) in names.fetchall():
            columns = hub.execute(f'PRAGMA table_info("{name}")').fetchall()
            assert len(columns) < _WIDE * 3 / 4, name
