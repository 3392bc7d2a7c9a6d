"""A simulated crew works with a real hub: at most one write at a time, nothing lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import crew_hub
from bench.crew import Crew, run
from tests.warm import python


def test_a_small_crew_works_through_a_kill_of_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew_hub, "_MANAGE", python(*crew_hub._MANAGE[1:]))
    crew = Crew(agents=6, handoffs=16, kills=1, seconds=400, workspaces=2)

    report = run(crew, tmp_path)

    assert report.violations == ()
    assert (report.states.total(), report.kills) == (16, 1)
    assert report.states.keys() <= {"done", "failed", "withdrawn"}


@pytest.mark.soak
@pytest.mark.parametrize("workspaces", [1, 2])
def test_a_crew_works_through_kills_of_the_server(
    tmp_path: Path, workspaces: int
) -> None:
    report = run(Crew(agents=20, kills=5, workspaces=workspaces), tmp_path)

    assert report.violations == ()
    assert report.states.total() == 2_000
