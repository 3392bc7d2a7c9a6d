"""Files of a first import, prepared by a second process: in order, if it dies, too."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest

from memoryhub.disk.places import Place
from memoryhub.sync.read import preparing
from memoryhub.sync.read.preparing import Prepared, prepare_apart

_FILES, _IN_A_CHUNK = 60, 5


@pytest.fixture
def chunks(tmp_path: Path) -> list[list[Place]]:
    """Return chunks of logs."""
    for number in range(_FILES):
        day = f"2026-{number // 28 + 1:02}-{number % 28 + 1:02}"
        text = f"## 09:15 Pump {number}\n\n- We decided to keep pump {number}.\n\n"
        (tmp_path / f"{day}.md").write_text(text * 40)
    places = [Place(tmp_path, path.name) for path in sorted(tmp_path.iterdir())]
    return [places[at : at + _IN_A_CHUNK] for at in range(0, _FILES, _IN_A_CHUNK)]


def paths_of(outcomes: Sequence[preparing.Outcome]) -> list[str]:
    assert all(isinstance(one, Prepared) for one in outcomes)
    return [str(one.reading.path) for one in outcomes if isinstance(one, Prepared)]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the ids of second processes, as they are started."""
    ids: list[int] = []

    def noted(*args: Any, **options: Any) -> Popen[bytes]:
        child = Popen(*args, **options)
        ids.append(child.pid)
        return child

    monkeypatch.setattr(preparing, "Popen", noted)
    return ids


def test_outcomes_come_in_the_order_of_the_files(
    chunks: list[list[Place]], started: list[int]
) -> None:
    found = [paths_of(outcomes) for outcomes in prepare_apart(chunks, 10**6)]
    assert found == [[place.path for place in chunk] for chunk in chunks]
    assert len(started) == 1


@pytest.mark.parametrize("dies_after", [0, 1, 4])
def test_files_of_a_dead_process_are_prepared_here(
    chunks: list[list[Place]], dies_after: int, started: list[int]
) -> None:
    found: list[str] = []
    for number, outcomes in enumerate(prepare_apart(chunks, 10**6)):
        found += paths_of(outcomes)
        if number == dies_after:
            os.kill(started[0], signal.SIGKILL)
    assert found == [place.path for chunk in chunks for place in chunk]
