"""The cache of pages' values: what is found again, and what is made anew."""

from __future__ import annotations

import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from memoryhub.journal import page_cache
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached, cached_by_handoffs, pinned
from memoryhub.people.policy import workspace_or_404
from memoryhub.sync.engine import sync_workspace
from tests.factories import imported
from tests.waiting import wait_for


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


def test_a_value_of_rows_alone_outlives_a_scan_that_changed_nothing(
    workspace: Workspace,
) -> None:
    workspace.checked_at = timezone.now()
    first = cached(workspace, "open work", object, scan=False)
    workspace.checked_at += timedelta(seconds=30)

    assert cached(workspace, "open work", object, scan=False) is first


class Large:
    """A value that a weak reference can follow."""


@pytest.mark.parametrize("count", ["last_seq", "handoff_changes"])
def test_values_of_outdated_states_are_let_go(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, count: str
) -> None:
    monkeypatch.setattr(page_cache, "_PINNED_FOR", 0.0)
    find = cached if count == "last_seq" else cached_by_handoffs
    made: list[weakref.ref[Large]] = []
    for state in range(1, 40):
        setattr(workspace, count, state)
        found = [find(workspace, name, Large) for name in ("lane", "board")]
        made += map(weakref.ref, found)
    del found

    assert sum(value() is not None for value in made) == 4
    assert find(workspace, "lane", Large) is made[-2]()


def test_values_that_pages_under_pressure_still_share_are_kept(
    workspace: Workspace,
) -> None:
    shared = cached(workspace, "lane", Large)
    before = workspace.last_seq
    for _ in range(40):
        workspace.last_seq += 1
        cached(workspace, "lane", Large)
    workspace.last_seq = before

    assert cached(workspace, "lane", Large) is shared


def test_nothing_is_cached_before_the_first_import(workspace: Workspace) -> None:
    workspace.projected_seq = 0
    makes_anew(workspace)

    assert makes_anew(workspace)


def shown(slug: str, since: float | None) -> int:
    """Return the position of the journal that a page of a workspace is made from."""
    with pinned(since):
        return workspace_or_404(slug).projected_seq


def test_pages_under_pressure_share_the_state_of_half_a_second(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryhub.journal.page_cache._PINNED_FOR", float("inf"))
    first = shown(workspace.slug, since=0.0)
    Path(workspace.root, "more.md").write_text("y\n")
    sync_workspace(workspace)

    assert shown(workspace.slug, since=0.0) == first
    with monkeypatch.context() as later:
        later.setattr("memoryhub.journal.page_cache._PINNED_FOR", 0.0)
        assert shown(workspace.slug, since=0.0) == first + 1


def test_what_a_person_changed_is_shown_at_once_and_without_pressure_all_is(
    workspace: Workspace,
) -> None:
    first = shown(workspace.slug, since=0.0)
    Path(workspace.root, "more.md").write_text("y\n")
    sync_workspace(workspace)
    changed_at = time.monotonic()

    assert shown(workspace.slug, since=changed_at) == first + 1
    Path(workspace.root, "more.md").write_text("z\n")
    sync_workspace(workspace)
    assert shown(workspace.slug, since=None) == first + 2


def test_requests_at_once_make_a_value_once(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    made: list[int] = []
    monkeypatch.setattr("memoryhub.journal.page_cache._PATIENCE", 60.0)

    def make() -> int:
        made.append(1)
        wait_for(lambda: len(asked) == 4)
        return len(made)

    def page(number: int) -> int:
        asked.append(number)
        return cached(workspace, "slow", make)

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(page, range(4))) == {1}
