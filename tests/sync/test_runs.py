"""Runs of the import: their row, their line on the timeline, and interrupted ones."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from memoryhub.events.models import Event
from memoryhub.journal.models import (
    FileStat,
    Operation,
    Problem,
    Revision,
    SyncRun,
    Workspace,
)
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import operation_of
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record import projection
from memoryhub.sync.record.projection import (
    PROJECTION_VERSION,
    catch_up,
    current_version,
    rebuild,
)
from memoryhub.sync.record.recording import record_operation
from tests.editing import PATH, edit
from tests.writing import say, write_files

NOON = datetime(2026, 11, 5, 12, tzinfo=UTC)
FILES: dict[str, str | bytes | None] = {
    f"docs/{name}.md": f"# {name}\n\nOf {name}.\n" for name in "abcdefg"
}
#: Two changed, one moved, three deleted, four new.
LATER: dict[str, str | bytes | None] = {
    "docs/a.md": "# a\n\nNew.\n",
    "docs/b.md": "# b\n\nNew.\n",
    "docs/c.md": None,
    "notes/c.md": FILES["docs/c.md"],
    **dict.fromkeys(("docs/d.md", "docs/e.md", "docs/f.md")),
    **{f"notes/{n}.md": f"# new {n}\n" for n in range(4)},
}


def ticking(start: datetime = NOON) -> Callable[[], datetime]:
    """Return a clock that goes on by a second at each look."""
    looks = iter(range(1000))
    return lambda: start + timedelta(seconds=next(looks))


def test_a_run_counts_what_it_found(workspace: Workspace) -> None:
    say(workspace, FILES)
    write_files(Path(workspace.root), LATER)
    (Path(workspace.root) / "memory/link.md").symlink_to("context-auth.md")

    report = sync_workspace(workspace, clock=ticking())

    run = workspace.runs.get(number=3)
    counted = (run.added, run.changed, run.moved, run.deleted)
    assert counted == (4, 2, 1, 3)
    assert counted == (report.added, report.changed, report.moved, report.deleted)
    assert (run.files, run.problem_count) == (9, 1) == (report.files, 1)
    assert run.seconds == report.seconds > 0
    assert run.started_at == NOON < (run.finished_at or NOON)
    assert run.last_seq == Workspace.objects.get().last_seq == 18
    assert Workspace.objects.get().checked_at == run.finished_at
    assert {*run.revisions.values_list("seq", flat=True)} == {*range(9, 19)}


def test_a_run_is_a_line_of_the_timeline(workspace: Workspace) -> None:
    say(workspace, FILES)
    write_files(Path(workspace.root), LATER)
    sync_workspace(workspace, clock=ticking())

    told = Event.objects.get(kind="import", run_number=3)
    run = workspace.runs.get(number=3)
    assert (told.verb, told.title) == ("imported", "Import #3")
    assert told.occurred_at == told.recorded_at == run.finished_at
    assert told.data == {
        "added": 4, "changed": 2, "moved": 1, "deleted": 3, "problems": 0,
    }  # fmt: skip
    Event.objects.all().delete()
    rebuild(workspace)
    assert Event.objects.filter(kind="import").count() == 3
    assert Event.objects.get(kind="import", run_number=3).data == told.data


def test_files_of_a_run_are_on_the_timeline_with_its_number(
    workspace: Workspace,
) -> None:
    say(workspace, FILES)
    say(workspace, LATER)

    told = Event.objects.filter(kind="file", run_number=3).order_by("title")
    assert [(one.verb, one.title) for one in told if "docs/" in one.title] == [
        ("changed", "docs/a.md"),
        ("changed", "docs/b.md"),
        *(("deleted", f"docs/{name}.md") for name in "def"),
    ]
    moved = told.get(verb="moved")
    assert (moved.title, moved.data) == ("notes/c.md", {"from": "docs/c.md"})


def test_versions_of_a_run_have_the_times_of_their_files(workspace: Workspace) -> None:
    say(workspace, {"memory/a.md": "# A\n"})
    there = (Path(workspace.root) / "memory/a.md").stat()

    version = Revision.objects.get(path="memory/a.md")
    known = FileStat.objects.get(path="memory/a.md")
    assert version.mtime_ns == known.mtime_ns == there.st_mtime_ns
    assert version.blob and version.blob.size == known.size == there.st_size
    assert version.blob.sha256 == known.sha256
    assert (version.kind, version.actor, version.moved_from) == ("seen", "", "")


@pytest.mark.parametrize(("seconds", "again"), [(1, True), (3, False)])
def test_a_file_saved_right_before_a_scan_is_read_again(
    workspace: Workspace, seconds: int, again: bool
) -> None:
    place = Path(workspace.root, PATH)
    at = time.time_ns() - seconds * 10**9
    os.utime(place, ns=(at, at))
    place.with_name("b.md").write_text("# B\n")

    sync_workspace(workspace)

    assert FileStat.objects.get(path=PATH).recheck == again
    assert FileStat.objects.get(path=PATH).mtime_ns == at


def test_a_run_killed_midway_ends_with_its_last_version(workspace: Workspace) -> None:
    say(workspace, FILES)
    at = [NOON + timedelta(minutes=seq) for seq in range(10)]
    for version in Revision.objects.all():
        Revision.objects.filter(pk=version.pk).update(recorded_at=at[version.seq])
    workspace.runs.filter(number=2).update(finished_at=None, last_seq=None)
    Event.objects.filter(kind="import").delete()

    sync_workspace(workspace)

    run = workspace.runs.get(number=2)
    assert (run.finished_at, run.last_seq) == (at[8], 8)
    told = Event.objects.get(kind="import")
    assert (told.title, told.occurred_at) == ("Import #2", at[8])
    assert workspace.runs.get(number=1).last_seq == 1


def test_a_run_killed_before_its_first_version_ends_where_it_began(
    workspace: Workspace,
) -> None:
    SyncRun.objects.create(workspace=workspace, number=2, started_at=NOON)
    Workspace.objects.update(last_run=2)

    say(workspace, {"memory/a.md": "# A\n"})

    run = workspace.runs.get(number=2)
    assert (run.finished_at, run.last_seq) == (NOON, None)
    numbers = Event.objects.filter(kind="import").order_by("run_number")
    assert [one.run_number for one in numbers] == [1, 3]


def test_deletions_that_a_person_accepts_are_that_person_s(
    workspace: Workspace,
) -> None:
    say(workspace, FILES)
    write_files(Path(workspace.root), {**dict.fromkeys(FILES), PATH: None})
    assert len(sync_workspace(workspace).held) == 8

    sync_workspace(workspace, accept_deletions=True)

    gone = Revision.objects.filter(kind="deleted").order_by("seq")
    assert [one.path for one in gone] == sorted([*FILES, PATH])
    assert {(one.actor, one.blob, one.moved_from) for one in gone} == {
        ("operator", None, "")
    }
    assert {one.run for one in gone} == {workspace.runs.get(number=3)}
    assert workspace.runs.get(number=3).deleted == 8


def test_a_file_that_an_edit_made_anew_meanwhile_is_not_deleted(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Path(workspace.root, PATH)
    place.unlink()
    say_later = dict.fromkeys(["memory/z.md"], "# Z\n")
    write_files(Path(workspace.root), {**say_later, "memory/y.md": "# Y\n"})

    def made_anew(done: int, total: int, following: str) -> None:
        if done == total:
            apply_edit(workspace, edit("set_status", "Begun anew."))

    report = sync_workspace(workspace, progress=made_anew)

    assert report.deleted == 0
    assert "Begun anew." in place.read_text()
    assert FileStat.objects.filter(path=PATH).exists()


def test_a_rebuild_leaves_the_workspace_as_of_this_version(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projection, "_REPLAY_BATCH", 3)
    say(workspace, FILES)
    Workspace.objects.update(projection_version=1, linked_seq=99, projected_seq=99)
    Problem.objects.create(
        id=1, workspace=workspace, path=".", code_name="not-watched", recorded_at=NOON
    )
    changes = Workspace.objects.get().handoff_changes
    steps: list[tuple[int, int]] = []

    rebuild(workspace, progress=lambda *far: steps.append(far))

    found = Workspace.objects.get()
    assert steps == [(3, 8), (6, 8), (8, 8)]
    assert (found.projected_seq, found.last_seq, found.linked_seq) == (8, 8, 8)
    assert found.projection_version == PROJECTION_VERSION == current_version()
    assert found.handoff_changes > changes
    assert Problem.objects.filter(code_name="not-watched").exists()


def test_a_replay_of_a_current_workspace_does_nothing(
    workspace: Workspace, django_assert_max_num_queries: Callable[[int], object]
) -> None:
    with django_assert_max_num_queries(1):  # type: ignore[attr-defined]
        catch_up(workspace)


def test_an_operation_without_a_file_is_a_line_of_the_timeline(
    workspace: Workspace,
) -> None:
    note = operation_of(workspace, edit("set_status", "Seen.", key="seen"), NOON)
    record_operation(workspace, note)

    found = Workspace.objects.get()
    stored = Operation.objects.get()
    assert (stored.seq, stored.state) == (2, "applied")
    assert (found.last_seq, found.projected_seq) == (2, 2)
    told = Event.objects.get(kind="edit")
    assert (told.detail, told.occurred_at) == ("Seen.", NOON)


def test_rows_of_a_team_are_of_another_version(
    workspace: Workspace, settings: Settings
) -> None:
    settings.MEMORYHUB_TEAM = True

    sync_workspace(workspace)

    assert Workspace.objects.get().projection_version == -PROJECTION_VERSION


def test_a_replay_reads_versions_with_their_bytes_and_runs_at_once(
    workspace: Workspace,
) -> None:
    long = "".join(f"- line {n} of the log\n" for n in range(60))
    for number in range(4):
        say(workspace, {"notes.txt": long + "more\n" * number})

    with CaptureQueriesContext(connection) as queries:
        rebuild(workspace)

    read = [q["sql"] for q in queries if q["sql"].startswith("SELECT")]
    versions = [sql for sql in read if 'FROM "workspaces_revision"' in sql]
    assert any('JOIN "workspaces_syncrun"' in sql for sql in versions)
    assert not [sql for sql in read if '"workspaces_syncrun"."id" = ' in sql]
    assert not [sql for sql in read if '"workspaces_blob"."id" = ' in sql]
