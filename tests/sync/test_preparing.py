"""Files of a first import, prepared by several processes: in order, whoever dies."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path
from subprocess import Popen
from threading import Timer
from typing import Any

import pytest

from memoryhub.disk.places import Place
from memoryhub.sync.read import preparing
from memoryhub.sync.read.preparing import Prepared, prepare, prepare_apart

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


@pytest.fixture(params=[1, 3])
def cores_left(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run as on a machine that leaves so many cores to other processes."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {*range(request.param + 1)})
    return int(request.param)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the ids of the second processes, as they are started."""
    ids: list[int] = []

    def noted(*args: Any, **options: Any) -> Popen[bytes]:
        child = Popen(*args, **options)
        ids.append(child.pid)
        return child

    monkeypatch.setattr(preparing, "Popen", noted)
    return ids


def test_outcomes_come_in_the_order_of_the_files(
    chunks: list[list[Place]], cores_left: int, started: list[int]
) -> None:
    found = [paths_of(outcomes) for outcomes in prepare_apart(chunks, 10**6)]
    assert found == [[place.path for place in chunk] for chunk in chunks]
    assert len(started) == cores_left


@pytest.mark.parametrize("dies_after", [0, 1, 4])
def test_files_of_a_dead_process_are_prepared_here(
    chunks: list[list[Place]], dies_after: int, cores_left: int, started: list[int]
) -> None:
    found: list[str] = []
    for number, outcomes in enumerate(prepare_apart(chunks, 10**6)):
        found += paths_of(outcomes)
        if number == dies_after:
            for process in started[: max(1, cores_left - 1)]:
                os.kill(process, signal.SIGKILL)
    assert found == [place.path for chunk in chunks for place in chunk]


def test_files_are_prepared_here_while_the_other_process_is_waited_for(
    chunks: list[list[Place]], started: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    here: list[str] = []
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})

    def noted(place: Place, limit: int) -> preparing.Outcome:
        here.append(place.path)
        return prepare(place, limit)

    monkeypatch.setattr(preparing, "prepare", noted)
    outcomes = prepare_apart(chunks, 10**6)
    found = paths_of(next(outcomes))
    assert len(started) == 1
    os.kill(started[0], signal.SIGSTOP)
    Timer(1, os.kill, (started[0], signal.SIGCONT)).start()
    found += [path for one in outcomes for path in paths_of(one)]
    assert found == [place.path for chunk in chunks for place in chunk]
    assert len(here) > _IN_A_CHUNK
