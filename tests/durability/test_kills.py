"""Whatever the hub does, SIGKILL at any moment loses nothing and repeats nothing."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.browser.hub import empty_hub
from tests.durability.acts import ACTS
from tests.warm import python

#: Killed at random moments; what is written together is killed at each step instead.
BY_CHANCE = [act for act in ACTS if act != "together"]
CHECKOUT = Path(__file__).parents[2]


def killed(
    act: str, folder: Path, kills: int, seed: int, *more: str
) -> tuple[int, int]:
    """Have an act killed so often; return how many of how many rounds were."""
    root = folder / "shop"
    (root / "memory").mkdir(parents=True)
    empty_hub(folder)
    done = subprocess.run(
        python("-m", "tests.durability.kills", act, root, kills, seed, *more),
        cwd=CHECKOUT,
        env={
            **os.environ,
            "MEMORYHUB_DATA": str(folder / "data"),
            "DJANGO_SETTINGS_MODULE": "memoryhub.settings",
        },
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    count, rounds = done.stdout.split()
    return int(count), int(rounds)


@pytest.mark.parametrize("act", BY_CHANCE)
def test_a_few_kills_lose_nothing(act: str, tmp_path: Path) -> None:
    count, _ = killed(act, tmp_path, kills=3, seed=1)

    assert count == 3


@pytest.mark.parametrize("every", [pytest.param(5, marks=pytest.mark.soak), 20])
def test_edits_written_together_are_one_whole_at_every_step(
    every: int, tmp_path: Path
) -> None:
    count, rounds = killed("together", tmp_path, 1_000, 1, "--every", f"{every}")

    assert 2 < count < rounds


@pytest.mark.soak
@pytest.mark.parametrize("act", BY_CHANCE)
def test_fifty_kills_lose_nothing(act: str, tmp_path: Path) -> None:
    count, _ = killed(act, tmp_path, kills=50, seed=2)

    assert count == 50
