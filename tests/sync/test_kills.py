from __future__ import annotations

import os
import sqlite3
import subprocess
from pathlib import Path

import pytest
from django.db import connection

from memoryhub.sync.record.projection import projected
from tests.every_dialect import Changer, write_every_dialect
from tests.warm import python

CHECKOUT = Path(__file__).parents[2]
#: What differs between one run and several: their numbers, and their own events.
_OF_RUNS = {"run_number"}
_FACTS = {"timeline_event": "kind != 'import'", "workspaces_problem": "seq NOT NULL"}


class Hub:
    """A hub with a database of its own, run in other processes."""

    def __init__(self, data: Path) -> None:
        self.data = data
        data.mkdir()
        self._database = data / "memoryhub.sqlite3"
        migrated = sqlite3.connect(str(connection.settings_dict["NAME"]))
        migrated.backup(sqlite3.connect(self._database))

    def run(self, what: str, root: Path, seed: int = 0) -> int:
        """Do something with a workspace; return how often it was killed on the way."""
        done = subprocess.run(
            python("-m", "tests.killing", what, root, seed),
            cwd=CHECKOUT,
            env={
                **os.environ,
                "MEMORYHUB_DATA": str(self.data),
                "DJANGO_SETTINGS_MODULE": "memoryhub.settings",
            },
            check=True,
            timeout=300,
            stdout=subprocess.PIPE,
        )
        return int(done.stdout or 0)

    def rows(self) -> dict[str, set[tuple[object, ...]]]:
        """Return the rows of every projected table, and of the journal."""
        tables = [model._meta.db_table for model in projected()]
        found = {name: self._table(name) for name in [*tables, "workspaces_problem"]}
        found["revisions"] = self._select(
            "SELECT seq, kind, path, moved_from, mtime_ns, b.sha256"
            " FROM workspaces_revision LEFT JOIN workspaces_blob b ON b.id = blob_id"
        )
        return found

    def _table(self, name: str) -> set[tuple[object, ...]]:
        columns = [row[1] for row in self._select(f"PRAGMA table_info({name})")]
        listed = ", ".join(c for c in sorted(map(str, columns)) if c not in _OF_RUNS)
        return self._select(f"SELECT {listed} FROM {name} WHERE {_FACTS.get(name, 1)}")

    def _select(self, query: str) -> set[tuple[object, ...]]:
        database = sqlite3.connect(self._database)
        try:
            return set(database.execute(query))
        finally:
            database.close()


@pytest.fixture
def hubs(tmp_path: Path, transactional_db: None) -> tuple[Hub, Hub]:
    """Return a hub to leave in peace and one to kill."""
    return Hub(tmp_path / "peaceful"), Hub(tmp_path / "killed")


def assert_same_facts(peaceful: Hub, killed: Hub) -> None:
    expected, found = peaceful.rows(), killed.rows()
    for name, rows in expected.items():
        assert found[name] - rows == set(), name
        assert rows - found[name] == set(), name


def import_and_change(hubs: tuple[Hub, Hub], root: Path, seed: int, rounds: int) -> int:
    """Import a workspace and changes to it in both; return how many were killed."""
    peaceful, killed = hubs
    write_every_dialect(root, small=rounds == 2)
    changer, kills = Changer(root, seed), 0
    for number in range(rounds):
        peaceful.run("sync", root)
        kills += killed.run("sync", root, seed * 100 + number + 1)
        for _ in range(12):
            changer.change()
    return kills


def test_killed_imports_lose_nothing_and_repeat_nothing(
    hubs: tuple[Hub, Hub], workspace_root: Path
) -> None:
    kills = import_and_change(hubs, workspace_root, seed=1, rounds=2)

    assert kills > 8
    assert_same_facts(*hubs)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 12))
def test_imports_killed_at_many_points_lose_nothing(
    hubs: tuple[Hub, Hub], workspace_root: Path, seed: int
) -> None:
    kills = import_and_change(hubs, workspace_root, seed=seed, rounds=6)

    assert kills > 30
    assert_same_facts(*hubs)


def test_a_killed_rebuild_goes_on_where_it_stopped(
    hubs: tuple[Hub, Hub], workspace_root: Path
) -> None:
    peaceful, killed = hubs
    write_every_dialect(workspace_root, small=True)
    for hub in hubs:
        hub.run("sync", workspace_root)

    kills = killed.run("rebuild", workspace_root, seed=3)

    assert kills > 3
    assert_same_facts(peaceful, killed)


def test_three_syncs_at_once_import_everything_once(
    hubs: tuple[Hub, Hub], workspace_root: Path
) -> None:
    peaceful, hurried = hubs
    write_every_dialect(workspace_root)
    peaceful.run("sync", workspace_root)

    hurried.run("together", workspace_root)

    assert_same_facts(peaceful, hurried)
