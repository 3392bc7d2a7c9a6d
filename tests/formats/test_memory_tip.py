from __future__ import annotations

from pathlib import Path, PurePosixPath

from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.memory_tip import TITLES, matches, parse

SAMPLES = Path(__file__).parents[2] / "memoryhub/dialects/memory_tip/samples"
TEXT = (SAMPLES / "tip.md").read_text("utf-8")


def test_it_matches_by_the_id() -> None:
    assert matches(PurePosixPath("a.md"), TEXT)
    assert not matches(PurePosixPath("a.md"), TEXT.replace("TIP-", "T-"))
    assert not matches(PurePosixPath("a.md"), "# Notes\n")


@given(st.lists(st.sampled_from(TITLES).map("## {}".format) | st.text()).map("\n".join))
def test_it_gives_back_every_text(text: str) -> None:
    assert parse(text).text == text
