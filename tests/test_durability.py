"""Commits that are synced before somebody is told of them."""

from __future__ import annotations

import threading

import pytest

from memoryhub.database.durability import SharedSync
from tests.waiting import wait_for

pytestmark = pytest.mark.django_db


class Disk:
    """A disk whose syncs last until they are let go."""

    def __init__(self) -> None:
        self.begun, self.go = 0, threading.Semaphore(0)

    def sync(self) -> None:
        self.begun += 1
        assert self.go.acquire(timeout=30)


def test_those_who_wait_at_the_same_time_share_a_sync() -> None:
    disk = Disk()
    synced = SharedSync(disk.sync)
    first = threading.Thread(target=synced)
    first.start()
    wait_for(lambda: disk.begun == 1)
    others = [threading.Thread(target=synced) for _ in range(49)]
    for thread in others:
        thread.start()
    disk.go.release(2)

    for thread in (first, *others):
        thread.join(30)

    # What they committed after the first began is in none but a second, or a third
    # for those that came while that one ran.
    assert 2 <= disk.begun <= 3


def test_a_sync_that_fails_is_told_to_nobody_as_done() -> None:
    fails = [True, False]

    def sync() -> None:
        if fails.pop(0):
            raise OSError(5, "Input/output error")

    synced = SharedSync(sync)
    with pytest.raises(OSError, match="Input/output"):
        synced()
    synced()

    assert not fails
