from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memoryhub.events.models import Event
from memoryhub.journal.models import Problem, Revision, SourceFile, Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.export import workspace_files
from memoryhub.sync.record.projection import rebuild
from snapshots.models import Compaction, Snapshot
from tests.projected import differences, projected_rows
from topics.models import Decision, HistoryEntry, Topic

MakeWorkspace = Callable[[Path], Workspace]

TOPIC = """# billing

## Current Status
Working.

## Key Decisions
- 2026-11-01: Use queues (they last)

## History
- 2026-11-01: Context created
- 2026-11-02: Compaction completed (90→12 messages)
"""
LOG = "# Day\n\n## 10:00 - first\n\ntext\n"


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    folder = workspace_root / "memory"
    folder.mkdir()
    (folder / "context-billing.md").write_text(TOPIC)
    (folder / "2026-11-01.md").write_text(LOG)
    workspace = make_workspace(workspace_root)
    sync_workspace(workspace)
    return workspace


def place(workspace: Workspace, name: str) -> Path:
    path = Path(workspace.root, "memory", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def move(workspace: Workspace, old: str, new: str) -> None:
    place(workspace, old).rename(place(workspace, new))
    sync_workspace(workspace)


def assert_a_rebuild_changes_nothing(workspace: Workspace) -> None:
    before = projected_rows(workspace)
    rebuild(workspace)
    assert not differences(before, projected_rows(workspace))


def test_a_moved_file_keeps_its_id(workspace: Workspace) -> None:
    before = SourceFile.objects.get(path="memory/2026-11-01.md")

    move(workspace, "2026-11-01.md", "archive/2026-11-01.md")

    after = SourceFile.objects.get(path="memory/archive/2026-11-01.md")
    assert (after.id, after.present) == (before.id, True)
    assert SourceFile.objects.count() == 2
    assert Revision.objects.get(kind="moved").moved_from == "memory/2026-11-01.md"


def test_an_export_has_a_moved_file_once(workspace: Workspace) -> None:
    move(workspace, "2026-11-01.md", "archive/2026-11-01.md")

    paths = [file.path for file in workspace_files(workspace)]

    assert paths == ["memory/archive/2026-11-01.md", "memory/context-billing.md"]


def test_facts_of_a_moved_log_stay_one_row_each(workspace: Workspace) -> None:
    before = [row.pk for row in workspace.logentrys.all()]

    move(workspace, "2026-11-01.md", "archive/2026-11-01.md")

    assert [row.pk for row in workspace.logentrys.filter(last_seq=None)] == before


def test_a_renamed_topic_takes_its_history_along(workspace: Workspace) -> None:
    move(workspace, "context-billing.md", "context-invoices.md")

    old, new = Topic.objects.get(name="billing"), Topic.objects.get(name="invoices")
    assert old.last_seq is not None
    assert new.last_seq is None
    assert {e.topic_id for e in HistoryEntry.objects.all()} == {new.id}
    assert Compaction.objects.get().topic_id == new.id
    assert Decision.objects.get().topic_id == new.id


def test_a_new_file_at_the_old_place_is_another_file(workspace: Workspace) -> None:
    move(workspace, "2026-11-01.md", "archive/2026-11-01.md")

    place(workspace, "2026-11-01.md").write_text("# Day\n\nother\n")
    sync_workspace(workspace)

    rows = SourceFile.objects.filter(path__endswith="2026-11-01.md")
    assert len({row.id for row in rows}) == 2
    assert_a_rebuild_changes_nothing(workspace)


def test_a_file_comes_back_where_another_has_passed_by(workspace: Workspace) -> None:
    (log := place(workspace, "2026-11-01.md")).unlink()
    sync_workspace(workspace)
    move(workspace, "context-billing.md", "2026-11-01.md")
    move(workspace, "2026-11-01.md", "context-billing.md")

    log.write_text(LOG + "more\n")
    sync_workspace(workspace)

    assert SourceFile.objects.get(path="memory/2026-11-01.md").present
    assert SourceFile.objects.count() == 2
    assert_a_rebuild_changes_nothing(workspace)


def test_two_files_that_change_places_are_two_changed_files(
    workspace: Workspace,
) -> None:
    log, topic = (
        place(workspace, "2026-11-01.md"),
        place(workspace, "context-billing.md"),
    )
    topic.rename(spare := place(workspace, "spare"))
    log.rename(topic)
    spare.rename(log)

    report = sync_workspace(workspace)

    assert (report.changed, report.moved, report.deleted) == (2, 0, 0)
    assert_a_rebuild_changes_nothing(workspace)


def test_a_moved_folder_moves_every_file(workspace: Workspace) -> None:
    Path(workspace.root, "memory").rename(Path(workspace.root, "memories"))

    report = sync_workspace(workspace)

    assert (report.moved, report.added, report.deleted) == (2, 0, 0)
    assert_a_rebuild_changes_nothing(workspace)


def test_empty_files_do_not_move(workspace: Workspace) -> None:
    place(workspace, "empty.md").write_bytes(b"")
    sync_workspace(workspace)

    place(workspace, "empty.md").unlink()
    place(workspace, "other.md").write_bytes(b"")
    report = sync_workspace(workspace)

    assert (report.added, report.moved, report.deleted) == (1, 0, 1)


def test_a_log_that_becomes_a_note_says_other_things(workspace: Workspace) -> None:
    move(workspace, "2026-11-01.md", "glossary.md")

    assert not workspace.logentrys.filter(last_seq=None).exists()
    assert Topic.objects.get(name="glossary").last_seq is None
    assert_a_rebuild_changes_nothing(workspace)


def test_a_deleted_file_says_nothing_and_comes_back(workspace: Workspace) -> None:
    topic = place(workspace, "context-billing.md")
    topic.unlink()
    sync_workspace(workspace)
    assert Topic.objects.get().last_seq is not None

    topic.write_text(TOPIC)
    sync_workspace(workspace)

    assert Topic.objects.get().last_seq is None
    assert SourceFile.objects.filter(path__contains="billing").count() == 1
    assert_a_rebuild_changes_nothing(workspace)


def test_problems_of_the_same_kind_are_closed_one_by_one(workspace: Workspace) -> None:
    block = "<!-- BIG-MEMORY-SNAPSHOT v1 -->\n<!-- snapshot-id: a -->\n\n"
    log = place(workspace, "2026-11-02.md")
    log.write_text("# Day\n\n" + block + "text\n" + block + "text\n")
    sync_workspace(workspace)
    opened = Problem.objects.filter(until_seq=None).count()
    assert opened >= 2

    log.write_text("# Day\n\nnothing is wrong, and there is as much of it\n" * 9)
    sync_workspace(workspace)

    assert set(
        Problem.objects.filter(until_seq=None).values_list("code_name", flat=True)
    ) <= {"log-shrank"}


def test_a_snapshot_copied_to_an_archive_is_named_as_a_copy(
    workspace: Workspace,
) -> None:
    block = (
        "# Day\n\n<!-- BIG-MEMORY-SNAPSHOT v1 -->\n"
        "<!-- snapshot-id: 2026-11-03-01 -->\n"
        "<!-- timestamp: 2026-11-03T10:00:00 -->\n\n"
        "### [SNAPSHOT] Active Goal\nShip\n\n"
        "<!-- /BIG-MEMORY-SNAPSHOT -->\n"
    )
    place(workspace, "2026-11-03.md").write_text(block)
    sync_workspace(workspace)
    place(workspace, "archive/2026-11-03.md").write_text(block)
    sync_workspace(workspace)

    original, copy = Snapshot.objects.order_by("first_seq")
    assert (original.copy_of_id, copy.copy_of_id) == (None, original.id)
    assert Event.objects.filter(kind="snapshot").count() == 2
    assert_a_rebuild_changes_nothing(workspace)
