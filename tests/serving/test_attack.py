"""A page, and the memory of the hub, while all that is bounded is tried at once."""

from __future__ import annotations

import os
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.browser.hub import running_hub
from tests.serving.attack import (
    Attack,
    Visitor,
    memory_of,
    process_of,
)

#: Megabytes by which the process may grow.
_MEGABYTES = 100


def judge(hub: str, rounds: int, looks: int) -> None:
    """Assert that each page is given, as without an attack, and memory stays."""
    process = process_of(hub)
    with closing(Visitor(hub)) as visitor:
        for _ in range(20):
            visitor.look()
    before = memory_of(process)
    for _ in range(rounds):
        with Attack(hub), closing(Visitor(hub)) as visitor:
            for _ in range(looks):
                visitor.look()
    grown = memory_of(process, "VmHWM") - before
    assert grown < _MEGABYTES, f"memory grew by {grown:.0f} MB"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_attack_changes_no_page_and_takes_no_memory(tmp_path: Path) -> None:
    with running_hub(tmp_path, [_small(tmp_path)]) as hub:
        judge(hub, rounds=3, looks=40)


@pytest.mark.soak
def test_a_long_attack_changes_no_page_and_takes_no_memory(tmp_path: Path) -> None:
    seconds = int(os.environ.get("MEMORYHUB_SOAK_SECONDS", "60"))
    with running_hub(tmp_path, [_small(tmp_path)]) as hub:
        judge(hub, rounds=max(4, seconds // 5), looks=100)


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
