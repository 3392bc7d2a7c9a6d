"""What is read from a file follows its role: pointers and settings give it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memoryhub.journal.models import SourceFile, Workspace
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Decision

NOTE = "# Boiler\n\n## Decisions\n\n- We keep the valve\n"
POINTER = "# Memory\n\n- [Boiler](house/boiler.md) — what was decided\n"


@pytest.fixture
def workspace(
    make_workspace: Callable[[Path], Workspace], workspace_root: Path
) -> Workspace:
    return make_workspace(workspace_root)


def _role(workspace: Workspace, path: str) -> str:
    return SourceFile.objects.get(workspace=workspace, path=path, present=True).role


def _decided(workspace: Workspace) -> list[str]:
    rows = Decision.objects.filter(workspace=workspace, open_sources__gt=0)
    return list(rows.values_list("text", flat=True))


def test_a_note_elsewhere_is_a_document_of_which_nothing_is_read(
    workspace: Workspace,
) -> None:
    say(workspace, {"house/boiler.md": NOTE})

    assert _role(workspace, "house/boiler.md") == "document"
    assert _decided(workspace) == []


def test_a_note_that_memory_points_to_is_memory(workspace: Workspace) -> None:
    say(workspace, {"house/boiler.md": NOTE, "MEMORY.md": POINTER})

    assert _role(workspace, "house/boiler.md") == "memory"
    assert _decided(workspace) == ["We keep the valve"]


def test_a_pointer_added_later_counts_at_once_and_one_taken_away_too(
    workspace: Workspace,
) -> None:
    say(workspace, {"house/boiler.md": NOTE})
    say(workspace, {"MEMORY.md": POINTER})
    assert _decided(workspace) == ["We keep the valve"]
    assert_a_rebuild_changes_nothing(workspace)

    say(workspace, {"MEMORY.md": "# Memory\n\nNothing.\n"})
    assert _role(workspace, "house/boiler.md") == "document"
    assert _decided(workspace) == []


def test_a_pattern_in_the_settings_gives_files_their_role(workspace: Workspace) -> None:
    workspace.roles = [["house/*", "memory"]]
    workspace.save()
    say(workspace, {"house/boiler.md": NOTE})

    assert _role(workspace, "house/boiler.md") == "memory"
    assert _decided(workspace) == ["We keep the valve"]
