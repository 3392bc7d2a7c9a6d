"""`memoryhub doctor --repair`, in real processes on real damage."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from tests.browser.hub import cookie_of, serving_hub
from tests.repair.conftest import FILES, VERSIONS, doctor_command, doctored
from tests.running import ROOT, done, refused, run
from tests.waiting import wait_for

PAGE = 4096
DATABASE = "memoryhub.sqlite3"


def pages_of(data: Path, name: str) -> list[int]:
    """Return the pages of a table or an index, its root first."""
    with closing(sqlite3.connect(data / DATABASE)) as hub:
        statement = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
        (root,) = hub.execute(statement, (name,)).fetchone()
        page = hub.execute("PRAGMA page_count").fetchone()[0]
    bytes_ = (data / DATABASE).read_bytes()
    return [root, *_below(bytes_, root, page)]


def _below(data: bytes, root: int, count: int) -> list[int]:
    page = data[(root - 1) * PAGE : root * PAGE]
    if page[0] not in (2, 5):
        return []
    cells = int.from_bytes(page[3:5], "big")
    places = [
        int.from_bytes(page[12 + 2 * n : 14 + 2 * n], "big") for n in range(cells)
    ]
    found = [int.from_bytes(page[at : at + 4], "big") for at in places]
    return [*found, int.from_bytes(page[8:12], "big")]


def damage(data: Path, *numbers: int) -> None:
    with (data / DATABASE).open("r+b") as file:
        for number in numbers:
            file.seek((number - 1) * PAGE)
            file.write(b"\xa5" * PAGE)


def repaired(data: Path) -> str:
    """Repair a hub, and see that everything holds then; return what was told."""
    ended = doctored(data)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "A new database was made" in ended.stdout, ended.stdout
    report = json.loads(done(data, "sync", "--json"))
    assert report["files"] == FILES
    (told,) = json.loads(done(data, "status", "--json"))["workspaces"]
    assert (told["files"], told["rows_behind"]) == (FILES, 0)
    assert len(list(data.glob(f"{DATABASE}.damaged-*"))) == 1
    return ended.stdout


def test_a_sound_database_is_left_alone(hub: Path) -> None:
    before = (hub / DATABASE).read_bytes()

    assert "sound: nothing to repair" in done(hub, "doctor", "--repair")
    assert (hub / DATABASE).read_bytes() == before


@pytest.mark.parametrize(
    "table", ["workspaces_revision", "workspaces_blob", "topics_decision"]
)
def test_damaged_tables_are_made_anew(hub: Path, table: str) -> None:
    damage(hub, *pages_of(hub, table)[:3])

    told = repaired(hub)

    assert table in told or table == "topics_decision"


def test_a_damaged_index_costs_nothing(hub: Path) -> None:
    damage(hub, *pages_of(hub, "revision_path")[:2])

    assert "gone" not in repaired(hub)
    assert f"{FILES * VERSIONS} journal entries" in done(hub, "status")


def test_a_damaged_header_costs_nothing(hub: Path) -> None:
    with (hub / DATABASE).open("r+b") as file:
        file.write(b"\x00" * 100)

    assert "gone" not in repaired(hub)
    assert f"{FILES * VERSIONS} journal entries" in done(hub, "status")


def test_a_lost_first_page_costs_no_version(hub: Path) -> None:
    damage(hub, 1)

    assert "gone" not in repaired(hub)


def test_of_a_file_cut_off_the_rest_is_repaired(hub: Path) -> None:
    data = (hub / DATABASE).read_bytes()
    (hub / DATABASE).write_bytes(data[: len(data) * 2 // 3])

    ended = doctored(hub)

    assert "A new database was made" in ended.stdout, ended.stderr
    assert run(hub, "status").returncode == 0


def test_a_repair_that_was_killed_is_done_again(hub: Path) -> None:
    damage(hub, *pages_of(hub, "workspaces_blob")[1:3])
    before = (hub / DATABASE).read_bytes()
    process = subprocess.Popen(
        doctor_command(), cwd=ROOT, env={**os.environ, "MEMORYHUB_DATA": str(hub)}
    )
    wait_for(lambda: list(hub.glob(f"repair-*.draft/{DATABASE}-wal")))
    process.kill()
    process.wait()

    assert (hub / DATABASE).read_bytes() == before
    repaired(hub)
    assert not list(hub.glob("*.draft"))


def test_a_hub_in_use_is_not_repaired(hub: Path) -> None:
    damage(hub, *pages_of(hub, "workspaces_blob")[1:2])
    with closing(sqlite3.connect(hub / DATABASE)) as other:
        other.execute("PRAGMA journal_mode=WAL")
        other.execute("SELECT count(*) FROM workspaces_workspace").fetchall()
        assert "uses the hub" in refused(hub, "doctor", "--repair")


@pytest.mark.parametrize("left", [None, 0])
def test_without_a_database_the_ways_to_get_one_are_told(
    hub: Path, left: int | None
) -> None:
    (hub / DATABASE).unlink()
    if left is not None:
        (hub / DATABASE).touch()
    line = refused(hub, "doctor", "--repair")

    assert "memoryhub restore" in line and "memoryhub add PATH --new" in line
    assert line.count("\n") <= 1


def test_where_no_hub_ever_was_there_is_nothing_to_repair(tmp_path: Path) -> None:
    assert "there is no hub" in refused(tmp_path / "data", "doctor", "--repair")


def test_a_log_that_was_cut_off_is_told(hub: Path) -> None:
    with closing(sqlite3.connect(hub / DATABASE)) as other:
        other.execute("PRAGMA journal_mode=WAL")
        other.execute("PRAGMA wal_autocheckpoint=0")
        with other:
            other.execute("UPDATE workspaces_workspace SET name = 'Other'")
        log = (hub / f"{DATABASE}-wal").read_bytes()
    (hub / f"{DATABASE}-wal").write_bytes(log[:-100])

    assert "write-ahead log" in doctored(hub).stderr
    assert "write-ahead log" not in doctored(hub).stderr


#: What the server's worker does at its start and once a day, then what Health shows.
_TIDY = """
from memoryhub.runtime.local_work import tidy
tidy()
"""


def test_the_daily_look_finds_a_damaged_page_and_health_says_what_mends_it(
    hub: Path,
) -> None:
    run(hub, "shell", "-c", _TIDY)
    sound = json.loads((hub / "checked.json").read_text())
    damage(hub, pages_of(hub, "people_savedview")[-1])
    run(hub, "shell", "-c", _TIDY)
    assert json.loads((hub / "checked.json").read_text()) == sound

    (hub / "checked.json").write_text(json.dumps(sound | {"at": "2026-01-01T00:00Z"}))
    with serving_hub(hub.parent) as address:
        wait_for(lambda: not json.loads((hub / "checked.json").read_text())["sound"])
        asked = Request(
            f"{address}/w/notes/health/", headers={"Cookie": cookie_of(address)}
        )
        with urlopen(asked, timeout=60) as page:
            assert "memoryhub doctor --repair" in page.read().decode()
    assert sound["sound"] is True
