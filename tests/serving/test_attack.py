"""A page, and the memory of the hub, while all that is bounded is tried at once."""

from __future__ import annotations

import os
import sys
from contextlib import closing
from itertools import chain
from pathlib import Path

import pytest

from tests.browser.hub import running_hub
from tests.serving.attack import (
    Attack,
    Visitor,
    memory_of,
    percentile,
    process_of,
)

#: Seconds that a page may always take, whatever it takes alone: with the machine busy
#: with other tests, and with itself.
_BUSY, _QUIET = 2.0, 0.1
_MEGABYTES = 100


def measured(
    hub: str, process: int, rounds: int, looks: int
) -> tuple[list[float], list[float], float]:
    """Return how long pages took without and with an attack, and the memory it took.

    Both take turns, so that what else the machine does weighs on both.
    """
    alone: list[list[float]] = []
    attacked: list[list[float]] = []
    with closing(Visitor(hub)) as visitor:
        for _ in range(20):
            visitor.look()
    before = memory_of(process)
    for _ in range(rounds):
        with closing(Visitor(hub)) as visitor:
            alone.append([visitor.look() for _ in range(looks)])
        with Attack(hub), closing(Visitor(hub)) as visitor:
            attacked.append([visitor.look() for _ in range(looks)])
    grown = memory_of(process, "VmHWM") - before
    return list(chain(*alone)), list(chain(*attacked)), grown


def judge(hub: str, rounds: int, looks: int, floor: float) -> str:
    """Assert that pages take less than double, and memory stays; return the figures."""
    alone, attacked, grown = measured(hub, process_of(hub), rounds, looks)
    figures = [
        percentile(times, share) for times in (alone, attacked) for share in (0.5, 0.99)
    ]
    told = "alone p50 {:.3f} p99 {:.3f}, attacked p50 {:.3f} p99 {:.3f} s".format(
        *figures
    )
    assert figures[3] < max(2 * figures[1], floor), told
    assert grown < _MEGABYTES, f"memory grew by {grown:.0f} MB"
    return f"{told}, memory +{grown:.0f} MB"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_attack_changes_no_page_and_takes_no_memory(tmp_path: Path) -> None:
    with running_hub(tmp_path, [_small(tmp_path)]) as hub:
        judge(hub, rounds=3, looks=40, floor=_BUSY)


@pytest.mark.soak
def test_a_long_attack_changes_no_page_and_takes_no_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seconds = int(os.environ.get("MEMORYHUB_SOAK_SECONDS", "60"))
    with running_hub(tmp_path, [_small(tmp_path)]) as hub:
        figures = judge(hub, rounds=max(4, seconds // 5), looks=100, floor=_QUIET)
    with capsys.disabled():
        sys.stdout.write(f"\n{figures}\n")


def _small(folder: Path) -> Path:
    """Write a workspace with 5,000 words, none of which is asked for."""
    memory = folder / "small/memory"
    memory.mkdir(parents=True)
    for day in range(1, 4):
        words = (f"w{number:x}y" for number in range(day * 5_000, day * 5_000 + 1_700))
        lines = "\n".join(
            f"- {' '.join(ten)}" for ten in zip(*[words] * 10, strict=True)
        )
        (memory / f"2026-11-0{day}.md").write_text(f"# 2026-11-0{day}\n\n{lines}\n")
    return folder / "small"
