from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from pytest_django import Settings

from memoryhub.disk.files import disk_path
from memoryhub.events.models import Event
from memoryhub.journal.blobs import blob_bytes
from memoryhub.journal.models import Problem, Revision, SourceFile, Workspace
from memoryhub.sync.engine import WorkspaceGone, sync_workspace
from memoryhub.sync.export import export_to
from memoryhub.sync.read import reader
from memoryhub.sync.record.projection import rebuild
from memoryhub.sync.scan.walk import scan
from tests.every_dialect import write_every_dialect
from tests.projected import differences, projected_rows
from tests.writing import say, write_files

MakeWorkspace = Callable[[Path], Workspace]

SAMPLES = Path(__file__).parents[2] / "samples"

#: What a date, a number or a string can be at most, and a little more.
EXTREMES = {
    "memory/0001-01-01.md": b"# First day\n\n## 00:10 - early\n\n- [ ] item\n",
    "memory/9999-12-31.md": b"# Last day\n\n## 23:59 PST - late\n\n- [ ] item\n",
    "memory/context-huge.md": (
        b"# huge\n\n## Meta\n- **created**: 0001-01-01\n"
        b"- **session**: agent:a:b:c:1\n\n"
        b"## Key Decisions\n- 9999-12-31: Keep it (yes)\n\n## History\n"
        b"- 0001-01-01: Compacted from 99999999999999999999999 to 5 tokens\n"
        b"- 2026-11-01: Context compacted (99999999999999999999999 -> 5 tokens)\n"
        b"- 2026-11-01: Auto-saved before compaction (99999999999999999999999 messages,"
        b" 99999999999999999999999 tokens)\n"
        b"- 2026-11-01: Compaction completed (99999999999999999999999 -> "
        b"99999999999999999999999 tokens)\n"
    ),
    "memory/context-session-map.json": (
        b'{"agent:main:\\ud800:direct:1": "lone \\udfff", "agent:x\\u0000y:a": "b",'
        b' "n": ' + b"9" * 400 + b"}"
    ),
    "memory/2026-11-09.md": (
        b"# Day\n\n<!-- BIG-MEMORY-SNAPSHOT v1 -->\n"
        b"<!-- timestamp: 9999-12-31T23:59:59-12:00 -->\n"
        b"<!-- snapshot-id: 2026-11-09-01 -->\n\n"
        b"### [SNAPSHOT] Current State\n- Progress: 99999999999999999999999%\n\n"
        b"<!-- /BIG-MEMORY-SNAPSHOT -->\n"
    ),
    "memory/2026-11-10.md": (
        b"# Day\n\n<!-- BIG-MEMORY-SNAPSHOT v1 -->\n"
        b"<!-- timestamp: 0001-01-01T00:00:00+14:00 -->\n"
        b"<!-- snapshot-id: 2026-11-09-01 -->\n\n"
        b"### [SNAPSHOT] Current State\n- Progress: -5%\n- Progress: 123%\n\n"
        b"<!-- /BIG-MEMORY-SNAPSHOT -->\n"
    ),
    "memory/handoffs/long.md": (
        b"<task>\n<from>a</from>\n<to>b</to>\n<task_id>" + b"i" * 300 + b"</task_id>\n"
        b"<type>write</type>\n<context>c</context>\n</task>\n"
        b"<r>\n<task_id>" + b"i" * 300 + b"</task_id>\n<status>done</status>\n</r>\n"
    ),
    "memory/empty-names.md": b"<task><from></from><to></to><task_id></task_id></task>",
}


def write_nasty(root: Path) -> None:
    script = SAMPLES / "make_nasty.py"
    subprocess.run([sys.executable, script, root], check=True, timeout=60)


def on_disk(root: Path) -> dict[str, tuple[str, int, int, int]]:
    """Return hash, times and mode of everything below a folder."""
    return {
        str(path): (
            sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
            path.lstat().st_mtime_ns,
            path.lstat().st_ctime_ns,
            path.lstat().st_mode,
        )
        for path in root.rglob("*")
    }


def assert_every_file_is_known(workspace: Workspace, root: Path) -> None:
    """Assert that each file found is a revision with its bytes, or a named problem."""
    newest = {
        revision.path: revision
        for revision in Revision.objects.filter(workspace=workspace).select_related()
    }
    named = set(
        Problem.objects.filter(workspace=workspace).values_list("path", flat=True)
    )
    for file in scan(root).found:
        revision = newest.get(file.path)
        if revision is None or revision.blob is None:
            assert file.path in named
        else:
            place = root / disk_path(file.path)
            assert blob_bytes(revision.blob) == place.read_bytes()


def assert_every_byte_is_given_back(workspace: Workspace, root: Path) -> None:
    """Assert that an export is what the scan found."""
    out = root.parent / "out"
    export_to(workspace, out)
    for file in scan(root).found:
        path = disk_path(file.path)
        assert (out / path).read_bytes() == (root / path).read_bytes()


@pytest.mark.parametrize("lay_out", [write_every_dialect, write_nasty])
def test_an_import_knows_every_file_and_leaves_it_as_it_was(
    workspace_root: Path,
    make_workspace: MakeWorkspace,
    lay_out: Callable[[Path], None],
) -> None:
    lay_out(workspace_root)
    before = on_disk(workspace_root)

    workspace = make_workspace(workspace_root)
    sync_workspace(workspace)

    assert_every_file_is_known(workspace, workspace_root)
    assert_every_byte_is_given_back(workspace, workspace_root)
    sync_workspace(workspace)
    rebuild(workspace)
    assert on_disk(workspace_root) == before


@pytest.mark.parametrize("zone", ["UTC", "Asia/Shanghai", "America/Los_Angeles"])
def test_extreme_dates_numbers_and_strings_import(
    workspace_root: Path, make_workspace: MakeWorkspace, zone: str
) -> None:
    write_files(workspace_root, dict(EXTREMES))
    workspace = make_workspace(workspace_root)
    workspace.time_zone = zone
    workspace.save()

    report = sync_workspace(workspace)

    assert report.added == len(EXTREMES)
    before = projected_rows(workspace)
    rebuild(workspace)
    assert not differences(before, projected_rows(workspace))


@pytest.mark.parametrize("name", EXTREMES)
def test_an_extreme_file_imports_alone(
    workspace_root: Path, make_workspace: MakeWorkspace, name: str
) -> None:
    write_files(workspace_root, {name: EXTREMES[name]})
    workspace = make_workspace(workspace_root)
    workspace.time_zone = "Asia/Shanghai"
    workspace.save()

    assert sync_workspace(workspace).added == 1


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    write_files(workspace_root, {
        "memory/a.md": "# A\n", "memory/b.md": "# B\n", "MEMORY.md": "# Index\n",
    })  # fmt: skip
    workspace = make_workspace(workspace_root)
    sync_workspace(workspace)
    return workspace


def test_a_sync_that_finds_nothing_writes_only_when_it_looked(
    workspace: Workspace,
) -> None:
    before = projected_rows(workspace)
    looked = workspace.checked_at

    report = sync_workspace(workspace)

    assert report.is_empty
    assert (workspace.last_seq, workspace.last_run) == (3, 1)
    assert workspace.checked_at != looked
    assert not differences(before, projected_rows(workspace))


def test_a_workspace_that_is_gone_loses_nothing(workspace: Workspace) -> None:
    Path(workspace.root).rename(Path(workspace.root).with_name("elsewhere"))

    with pytest.raises(WorkspaceGone):
        sync_workspace(workspace)

    assert SourceFile.objects.filter(present=True).count() == 3
    assert not Revision.objects.filter(kind="deleted").exists()


def test_a_file_that_vanishes_during_a_sync_is_a_problem_until_the_next(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_BATCH_FILES", 1)
    monkeypatch.setattr(reader, "FIRST_FILES", 1)
    root = Path(workspace.root)
    write_files(root, {"memory/x.md": "# X\n", "memory/y.md": "# Y\n"})

    def vanish(done: int, total: int, following: str) -> None:
        (root / "memory/y.md").unlink(missing_ok=True)

    report = sync_workspace(workspace, progress=vanish)

    assert [(p.path, p.code) for p in report.problems] == [
        ("memory/y.md", "unreadable")
    ]
    assert sync_workspace(workspace).problems == ()
    assert not Problem.objects.exists()


def test_a_folder_that_is_empty_at_once_loses_nothing_unasked(
    workspace: Workspace,
) -> None:
    root = Path(workspace.root)
    sync_workspace(workspace)
    root.rename(root.with_name("unmounted"))
    root.mkdir()

    for _ in range(2):
        report = sync_workspace(workspace)

        assert [(p.path, p.code) for p in report.problems] == [(".", "gone-at-once")]
        assert report.is_empty and SourceFile.objects.filter(present=True).count() == 3
    assert Problem.objects.get().parameters["reason"] == "3/3"

    root.rmdir()
    root.with_name("unmounted").rename(root)
    assert sync_workspace(workspace).is_empty
    assert not Problem.objects.exists()


def test_files_that_are_gone_at_once_are_deleted_where_that_is_accepted(
    workspace: Workspace,
) -> None:
    sync_workspace(workspace)
    for path in SourceFile.objects.values_list("path", flat=True):
        Path(workspace.root, path).unlink()
    write_files(Path(workspace.root), {"memory/new.md": "# New\n"})
    assert sync_workspace(workspace).added == 1

    report = sync_workspace(workspace, accept_deletions=True)

    assert (report.deleted, report.problems) == (3, ())
    assert not Problem.objects.exists()


def test_a_folder_of_another_name_is_moved_not_gone(workspace: Workspace) -> None:
    root = Path(workspace.root)
    sync_workspace(workspace)
    (root / "memory").rename(root / "notes")

    report = sync_workspace(workspace)

    assert (report.moved, report.deleted) == (2, 0)


def test_progress_names_the_file_that_is_next(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync_workspace(workspace)
    monkeypatch.setattr(reader, "_BATCH_FILES", 1)
    monkeypatch.setattr(reader, "FIRST_FILES", 1)
    write_files(Path(workspace.root), {"memory/x.md": "# X\n", "memory/y.md": "# Y\n"})
    told = []

    sync_workspace(workspace, progress=lambda *how_far: told.append(how_far))

    assert told[-3:] == [(3, 5, "memory/x.md"), (4, 5, "memory/y.md"), (5, 5, "")]


def test_a_folder_that_becomes_a_link_is_not_followed(
    workspace: Workspace, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    Path(workspace.root, "memory").rename(outside)
    Path(workspace.root, "memory").symlink_to(outside)

    report = sync_workspace(workspace)

    assert report.added == report.changed == 0
    assert [(p.path, p.code) for p in report.problems] == [
        ("memory", "link-not-followed")
    ]


def test_a_file_above_the_limit_is_a_problem(
    workspace: Workspace, settings: Settings
) -> None:
    settings.MEMORYHUB_MAX_FILE_BYTES = 10

    report = say(workspace, {"memory/large.md": "x" * 11})

    (problem,) = report.problems
    assert (problem.path, problem.code) == ("memory/large.md", "unreadable")
    assert "larger than 10 bytes" in str(problem.parameters["reason"])


def test_a_file_changed_within_the_clock_s_tick_is_found(workspace: Workspace) -> None:
    path = Path(workspace.root, "memory/a.md")
    times = (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    path.write_text("# Z\n")
    os.utime(path, ns=times)

    assert sync_workspace(workspace).changed == 1


def test_inner_workspaces_are_left_out(
    workspace_root: Path, make_workspace: MakeWorkspace
) -> None:
    outer = make_workspace(workspace_root)
    say(outer, {
        "memory/a.md": "# A\n", "workspace-fin/MEMORY.md": "# Fin\n",
        "agents/dev/workspace/memory/b.md": "# Dev\n",
    })  # fmt: skip
    inner = make_workspace(workspace_root / "workspace-fin")
    sync_workspace(inner)

    paths = SourceFile.objects.filter(workspace=outer).values_list("path", flat=True)
    assert list(paths) == ["memory/a.md"]
    assert SourceFile.objects.get(workspace=inner).path == "MEMORY.md"


def test_thousands_of_files_with_long_names_import(
    workspace_root: Path, make_workspace: MakeWorkspace
) -> None:
    folder = "/".join(["n" * 200] * 6)
    text = b"# Long\n" + random.Random(1).randbytes(1500).hex().encode()
    names = [f"memory/{folder}/{number}-{'f' * 200}.md" for number in range(1300)]

    report = say(make_workspace(workspace_root), dict.fromkeys(names, text))

    assert report.added == 1300


def test_more_tasks_than_one_query_can_name_import(
    workspace_root: Path, make_workspace: MakeWorkspace
) -> None:
    block = (
        "<task>\n<from>a</from>\n<to>b</to>\n<task_id>{0}</task_id>\n"
        "<type>write</type>\n<context>c</context>\n</task>\n"
    )
    text = "# Tasks\n" + "".join(block.format(number) for number in range(6000))
    workspace = make_workspace(workspace_root)

    say(workspace, {"memory/handoffs/many.md": text})

    assert set(workspace.handoffs.values_list("state", flat=True)) == {"open"}


def test_a_run_that_was_killed_is_closed_by_the_next_sync(
    workspace_root: Path, make_workspace: MakeWorkspace
) -> None:
    write_files(workspace_root, {"memory/2026-11-20.md": b"# Day\n\n## Work\n\nOk.\n"})
    workspace = make_workspace(workspace_root)
    sync_workspace(workspace)
    run = workspace.runs.get()
    Event.objects.filter(workspace=workspace, kind="import").delete()
    workspace.runs.update(finished_at=None, last_seq=None)

    sync_workspace(workspace)

    closed = workspace.runs.get()
    assert closed.finished_at is not None
    assert closed.last_seq == run.last_seq
    assert Event.objects.filter(workspace=workspace, kind="import").count() == 1
