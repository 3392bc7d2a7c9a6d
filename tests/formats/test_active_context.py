from __future__ import annotations

from pathlib import PurePosixPath

from memoryhub.dialects.active_context import matches


def test_it_matches_by_place() -> None:
    assert matches(PurePosixPath("memories/context.md"), "")
    assert not matches(PurePosixPath("memory/context.md"), "")
