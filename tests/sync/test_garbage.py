"""The collector runs between batches, and as before when an import is over."""

from __future__ import annotations

import gc

import pytest

from memoryhub.sync.read.garbage import collect, collected_by_batch


class _Circle:
    """Holds itself."""

    alive = 0

    def __init__(self) -> None:
        self.itself = self
        type(self).alive += 1

    def __del__(self) -> None:
        type(self).alive -= 1


def test_what_a_batch_leaves_is_collected_after_it() -> None:
    with collected_by_batch():
        for _ in range(3):
            for _ in range(2000):
                _Circle()
            assert _Circle.alive == 2000
            collect()

            assert _Circle.alive == 0


def test_an_import_that_fails_leaves_the_collector_on() -> None:
    with pytest.raises(ValueError), collected_by_batch():
        assert not gc.isenabled()
        raise ValueError

    assert gc.isenabled()


def test_one_import_within_another_leaves_it_off() -> None:
    with collected_by_batch():
        with collected_by_batch():
            pass

        assert not gc.isenabled()
