"""Decisions and their sign-offs after a rebuild, whatever became of their files."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.journal.models import Operation
from memoryhub.sync.record import projection
from tests.conftest import MakeWorkspace
from tests.handoffs.stories import Story
from tests.writing import assert_a_rebuild_changes_nothing


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(30))
def test_a_rebuild_gives_equal_sign_offs_after_random_changes(
    tmp_path: Path,
    make_workspace: MakeWorkspace,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    monkeypatch.setattr(projection, "_REPLAY_BATCH", (200, 7)[seed % 3 // 2])
    roots = tmp_path / "shop", tmp_path / "mill"
    for root in roots:
        root.mkdir()
    workspaces = [make_workspace(root) for root in roots[: 1 + seed % 2]]
    story = Story(workspaces, seed)

    for _ in range(5):
        story.run(rounds=5)
        for workspace in workspaces:
            workspace.refresh_from_db()
            assert_a_rebuild_changes_nothing(workspace)

    assert Operation.objects.filter(verb="sign_handoff").exists()
