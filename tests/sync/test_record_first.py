"""A large import records all files first; the rows of a hundred are made at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from memoryhub.journal.models import Revision, SourceFile, Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record.projection import rebuild
from memoryhub.sync.scan.pending import read_pending
from memoryhub.sync.scan.plan import FIRST_FILES
from memoryhub.tools.freshness import read_newer
from memoryhub.workspaces.services.adding import add_workspace
from snapshots.services.snapshots import topic_of_session
from tests.factories import write
from tests.projected import differences, projected_rows
from topics.models import Decision
from topics.services.topics import bind

FILES = FIRST_FILES + 30


class Interrupted(Exception):
    pass


@pytest.fixture
def workspace(
    workspace_root: Path, hub_data: Path, transactional_db: None
) -> Workspace:
    """Return a workspace of more files than a first batch."""
    for number in range(FILES - 2):
        note = workspace_root / f"memory/note-{number:03}.md"
        note.parent.mkdir(exist_ok=True)
        note.write_text(f"# Note {number}\n\n- [ ] Order valve {number}\n")
    (workspace_root / "memory/z.md").write_text("# Z\n\nDecision: use oak.\n")
    (workspace_root / "IDENTITY.md").write_text("- **Name:** Ida\n")
    return add_workspace(workspace_root)


def interrupted(workspace: Workspace) -> None:
    """Import, and stop once all files are recorded."""

    def stop(done: int, total: int, following: str) -> None:
        if done == total:
            raise Interrupted

    with pytest.raises(Interrupted):
        sync_workspace(workspace, progress=stop)
    workspace.refresh_from_db()


def test_all_files_are_recorded_before_the_rows_of_most_are_made(
    workspace: Workspace,
) -> None:
    interrupted(workspace)

    assert Revision.objects.count() == FILES
    with_rows = {*SourceFile.objects.values_list("path", flat=True)}
    assert len(with_rows) == FIRST_FILES
    assert {"IDENTITY.md", "memory/note-000.md"} <= with_rows
    assert "memory/z.md" not in with_rows


def test_the_next_sync_makes_the_rows_that_a_rebuild_makes(
    workspace: Workspace,
) -> None:
    interrupted(workspace)

    assert sync_workspace(workspace).is_empty

    rows = projected_rows(workspace)
    assert SourceFile.objects.count() == FILES
    rebuild(workspace)
    assert differences(rows, projected_rows(workspace)) == []


def test_pages_say_how_far_reading_is(workspace: Workspace, client: Client) -> None:
    interrupted(workspace)
    address = f"/w/{workspace.slug}/"

    assert f"Reading: {FIRST_FILES} of {FILES}" in client.get(address).text

    sync_workspace(workspace)
    assert "Reading:" not in client.get(address).text


def test_an_answer_waits_for_few_rows_and_names_many_files_without_rows(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(workspace)
    monkeypatch.setattr("memoryhub.sync.scan.pending._FILES", 5)

    when = read_newer(workspace)

    assert when.at is not None
    assert len(when.newer) == FILES - FIRST_FILES
    assert "memory/z.md" in when.newer

    monkeypatch.undo()
    assert read_pending(workspace) == []
    assert SourceFile.objects.count() == FILES


def test_a_session_bound_before_the_map_is_read_has_its_topic(
    workspace: Workspace,
) -> None:
    interrupted(workspace)
    bind(workspace, "agent:main:1", "pumps", actor="Ida")
    workspace.refresh_from_db()

    assert topic_of_session(workspace, "agent:main:1") == "pumps"
    assert topic_of_session(workspace, "agent:main:2") == ""


def test_an_interrupted_import_reports_the_problems_that_are_found_later(
    workspace: Workspace, workspace_root: Path
) -> None:
    (workspace_root / "memory/z.md").write_bytes(b"\x00\x01\xff\x00" * 40)
    interrupted(workspace)

    sync_workspace(workspace)

    assert workspace.runs.get().problem_count == 1


@pytest.mark.parametrize("is_first", [True, False])
def test_a_decision_of_the_first_files_keeps_its_topic_when_a_later_one_replaces_it(
    workspace: Workspace, workspace_root: Path, is_first: bool
) -> None:
    if not is_first:
        note = workspace_root / "memory/note-000.md"
        rest = [path for path in workspace_root.rglob("*.md") if path != note]
        texts = {path: path.read_text() for path in rest}
        for path in rest:
            path.unlink()
        sync_workspace(workspace)
        for path, text in texts.items():
            path.write_text(text)
    write(
        workspace_root,
        {
            "memory/context-beacon.md": "# Context: beacon\n\n## Current Status\nOn.\n",
            "a/decisions.md": "# Decisions\n\n- 2026-11-10: Use SQLite in Beacon\n",
            "zeta/decisions.md": "# Decisions\n\n- 2026-11-12: Use Postgres instead"
            " (faster; supersedes 2026-11-10: Use SQLite in Beacon)\n",
        },
    )

    sync_workspace(workspace)

    old = Decision.objects.get(text="Use SQLite in Beacon")
    assert old.topic is not None
    assert (old.state, old.topic.name) == ("superseded", "beacon")
