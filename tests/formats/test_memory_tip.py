from __future__ import annotations

from pathlib import Path, PurePosixPath

from memoryhub.dialects.memory_tip import matches

SAMPLES = Path(__file__).parents[2] / "memoryhub/dialects/memory_tip/samples"
TEXT = (SAMPLES / "tip.md").read_text("utf-8")


def test_it_matches_by_the_id() -> None:
    assert matches(PurePosixPath("a.md"), TEXT)
    assert not matches(PurePosixPath("a.md"), TEXT.replace("TIP-", "T-"))
    assert not matches(PurePosixPath("a.md"), "# Notes\n")
