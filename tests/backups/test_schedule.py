"""Backups that the server takes by itself."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memoryhub.backups.ledger import known_backups
from memoryhub.backups.schedule import Schedule
from memoryhub.backups.taking import Source, Wish
from tests.browser.hub import serving_hub
from tests.waiting import wait_for

#: Backups are in the audit log.
pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)


class Clock:
    now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def schedule(hub: Path, to: Path, clock: Clock) -> Schedule:
    source = Source(hub, hub / "memoryhub.sqlite3")
    wish = Wish(to, keep=2)
    return Schedule(threading.Event(), source, wish, timedelta(hours=24), clock)


def test_one_is_taken_when_the_last_is_old(
    hub: Path, tmp_path: Path, clock: Clock
) -> None:
    planned = schedule(hub, tmp_path / "out", clock)

    assert planned.look() and not planned.look()
    clock.now += timedelta(hours=24)
    assert planned.look()
    clock.now += timedelta(hours=24)
    assert planned.look() and len(list((tmp_path / "out").iterdir())) == 2


def test_one_that_was_deleted_is_taken_again(
    hub: Path, tmp_path: Path, clock: Clock
) -> None:
    planned = schedule(hub, tmp_path / "out", clock)
    planned.look()
    last = known_backups(hub).last
    assert last
    last.path.unlink()

    assert planned.look()


def test_a_failure_is_told_and_tried_again_after_an_hour(
    hub: Path, tmp_path: Path, clock: Clock
) -> None:
    (tmp_path / "out").write_text("no folder")
    planned = schedule(hub, tmp_path / "out", clock)
    assert not planned.look()
    failed = known_backups(hub).failed
    assert failed and "out" in failed.error and not planned.is_due()

    (tmp_path / "out").unlink()
    clock.now += timedelta(hours=1)
    assert planned.look() and known_backups(hub).failed is None


def test_the_server_takes_them(
    hub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYHUB_BACKUP_DIR", str(tmp_path / "out"))

    with serving_hub(hub.parent):
        wait_for(lambda: list((tmp_path / "out").glob("memoryhub-*.tar.gz")))


def test_the_first_one_is_not_of_an_empty_hub(
    hub: Path, tmp_path: Path, clock: Clock
) -> None:
    with closing(sqlite3.connect(hub / "memoryhub.sqlite3")) as database, database:
        database.execute("UPDATE workspaces_workspace SET last_seq = 0")
    planned = schedule(hub, tmp_path / "out", clock)
    assert not planned.look()

    with closing(sqlite3.connect(hub / "memoryhub.sqlite3")) as database, database:
        database.execute("UPDATE workspaces_workspace SET last_seq = 1")
    assert planned.look()
