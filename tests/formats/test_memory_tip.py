from __future__ import annotations

import datetime
from pathlib import Path, PurePosixPath

from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.ccw.memory_tip import TITLES, matches, parse

TEXT = (Path(__file__).parents[1] / "corpus" / "memory_tip" / "tip.md").read_text(
    "utf-8"
)


def test_it_reads_a_tip() -> None:
    tip = parse(TEXT)

    assert tip.tip_id == "TIP-20260310-140500"
    assert tip.timestamp == datetime.datetime(2026, 3, 10, 14, 5, tzinfo=datetime.UTC)
    assert tip.content.startswith("Run the tests") and "my own" in tip.content
    assert (tip.tags, tip.context) == (("testing", "speed"), "")
    assert (tip.session_link, tip.detected_context) == ("WFS-cursors", "branch main")


def test_it_matches_by_the_id() -> None:
    assert matches(PurePosixPath("a.md"), TEXT)
    assert not matches(PurePosixPath("a.md"), TEXT.replace("TIP-", "T-"))
    assert not matches(PurePosixPath("a.md"), "# Notes\n")


@given(st.lists(st.sampled_from(TITLES).map("## {}".format) | st.text()).map("\n".join))
def test_it_gives_back_every_text(text: str) -> None:
    assert parse(text).render() == text
