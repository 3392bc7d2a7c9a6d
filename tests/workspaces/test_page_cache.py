"""The cache of pages' values: what is found again, and what is made anew."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached
from tests.factories import imported


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    return imported(workspace_root, {"notes.md": "x\n"})


def makes_anew(workspace: Workspace) -> bool:
    """Return whether a value is made, and not found in the cache."""
    made: list[Workspace] = []
    cached(workspace, "test", lambda: made.append(workspace))
    return bool(made)


def test_a_value_is_made_once(workspace: Workspace) -> None:
    assert makes_anew(workspace)
    assert not makes_anew(workspace)
    assert not makes_anew(Workspace.objects.get(pk=workspace.pk))


@pytest.mark.parametrize("field", ["projected_seq", "last_seq", "projection_version"])
def test_a_value_is_made_anew_when_the_journal_has_grown(
    workspace: Workspace, field: str
) -> None:
    makes_anew(workspace)
    setattr(workspace, field, getattr(workspace, field) + 1)

    assert makes_anew(workspace)


def test_a_value_is_made_anew_when_the_folder_was_looked_at(
    workspace: Workspace,
) -> None:
    workspace.checked_at = timezone.now()
    makes_anew(workspace)
    workspace.checked_at += timedelta(seconds=30)

    assert makes_anew(workspace)


def test_nothing_is_cached_before_the_first_import(workspace: Workspace) -> None:
    workspace.projected_seq = 0
    makes_anew(workspace)

    assert makes_anew(workspace)
