"""Turns of a process's write transactions."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from memoryhub.database import write_turns
from memoryhub.database.write_turns import TurnConnection, Turns, patience
from tests.waiting import wait_for


def opened(folder: Path) -> TurnConnection:
    place = folder / "hub.sqlite3"
    made = sqlite3.connect(
        place, factory=TurnConnection, isolation_level=None, check_same_thread=False
    )
    made.execute("PRAGMA journal_mode=WAL")
    made.cursor().execute("CREATE TABLE IF NOT EXISTS note (text TEXT)")
    return made


def _are_waiting(turns: Turns, number: int) -> bool:
    return len(turns._waiting) == number


def test_turns_come_in_the_order_of_arrival() -> None:
    turns, order = Turns(), list[int]()
    assert turns.acquire(1)

    def take(number: int) -> None:
        assert turns.acquire(10)
        order.append(number)
        turns.release()

    threads = [threading.Thread(target=take, args=[n]) for n in range(5)]
    for number, thread in enumerate(threads, 1):
        thread.start()
        wait_for(partial(_are_waiting, turns, number))
    turns.release()
    for thread in threads:
        thread.join()

    assert order == [0, 1, 2, 3, 4]


def test_who_waits_too_long_fails_and_leaves_the_turn_to_the_next() -> None:
    turns = Turns()
    assert turns.acquire(1)

    assert not turns.acquire(0.01)
    turns.release()

    assert turns.acquire(1)


def test_an_impatient_statement_waits_only_for_so_long(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as first, closing(opened(tmp_path)) as second:
        first.cursor().execute("BEGIN IMMEDIATE")
        with (
            patience(second, 0.01),
            pytest.raises(sqlite3.OperationalError, match="locked"),
        ):
            second.cursor().execute("INSERT INTO note VALUES ('x')")
        first.commit()

        second.cursor().execute("INSERT INTO note VALUES ('y')")
        assert second.execute("SELECT text FROM note").fetchall() == [("y",)]


@pytest.mark.parametrize("end", ["commit", "rollback", "close"])
def test_a_turn_ends_with_its_transaction(tmp_path: Path, end: str) -> None:
    with closing(opened(tmp_path)) as first, closing(opened(tmp_path)) as second:
        first.cursor().execute("BEGIN IMMEDIATE")
        first.cursor().execute("INSERT INTO note VALUES ('one')")
        getattr(first, end)()

        second.cursor().execute("INSERT INTO note VALUES ('two')")


def test_a_statement_waits_for_a_transaction_and_a_read_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_turns, "PATIENCE", 0.05)
    with closing(opened(tmp_path)) as first, closing(opened(tmp_path)) as second:
        first.cursor().execute("BEGIN IMMEDIATE")

        assert second.cursor().execute("SELECT * FROM note").fetchall() == []
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            second.cursor().execute("INSERT INTO note VALUES ('two')")
        first.rollback()


def test_a_failed_statement_holds_no_turn(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as first, closing(opened(tmp_path)) as second:
        with pytest.raises(sqlite3.OperationalError):
            first.cursor().execute("INSERT INTO nothing VALUES ('one')")

        second.cursor().execute("INSERT INTO note VALUES ('two')")
