from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
from pytest_django import DjangoAssertNumQueries, Settings

from memoryhub.files import disk_path
from memoryhub.sync.engine import WorkspaceGone, sync_workspace
from memoryhub.sync.export import export_to, workspace_files
from memoryhub.sync.projection import rebuild
from memoryhub.sync.scan import scan
from memoryhub.workspaces.journal import blob_bytes
from memoryhub.workspaces.models import Problem, Revision, SourceFile, Workspace
from tests.every_dialect import write_every_dialect
from tests.projected import differences, projected_rows

MakeWorkspace = Callable[[Path], Workspace]

SAMPLES = Path(__file__).parents[2] / "samples"

#: What a date, a number or a string can be at most, and a little more.
EXTREMES = {
    "memory/0001-01-01.md": b"# First day\n\n## 00:10 - early\n\n- [ ] item\n",
    "memory/9999-12-31.md": b"# Last day\n\n## 23:59 PST - late\n\n- [ ] item\n",
    "memory/context-huge.md": (
        b"# huge\n\n## Meta\n- **created**: 0001-01-01\n- **session**: agent:a:b:c:1\n\n"
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


def write(root: Path, files: dict[str, bytes]) -> None:
    for path, data in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


def write_nasty(root: Path) -> None:
    script = SAMPLES / "make_nasty.py"
    subprocess.run([sys.executable, script, root], check=True, timeout=60)


def write_samples(root: Path) -> None:
    write_every_dialect(root)


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


@pytest.mark.parametrize("write_files", [write_samples, write_nasty])
def test_an_import_leaves_the_workspace_as_it_was(
    workspace_root: Path,
    make_workspace: MakeWorkspace,
    write_files: Callable[[Path], None],
) -> None:
    write_files(workspace_root)
    before = on_disk(workspace_root)

    workspace = make_workspace(workspace_root)
    sync_workspace(workspace)
    sync_workspace(workspace)
    rebuild(workspace)

    assert on_disk(workspace_root) == before


@pytest.mark.parametrize("write_files", [write_samples, write_nasty])
def test_every_file_is_a_revision_or_a_named_problem(
    workspace_root: Path,
    make_workspace: MakeWorkspace,
    write_files: Callable[[Path], None],
) -> None:
    write_files(workspace_root)
    workspace = make_workspace(workspace_root)

    sync_workspace(workspace)

    assert_every_file_is_known(workspace, workspace_root)


@pytest.mark.parametrize("write_files", [write_samples, write_nasty])
def test_an_export_gives_back_every_byte(
    workspace_root: Path,
    make_workspace: MakeWorkspace,
    tmp_path: Path,
    write_files: Callable[[Path], None],
) -> None:
    write_files(workspace_root)
    workspace = make_workspace(workspace_root)
    sync_workspace(workspace)

    export_to(workspace, tmp_path / "out")

    found = [disk_path(file.path) for file in scan(workspace_root).found]
    for path in found:
        assert (tmp_path / "out" / path).read_bytes() == (
            workspace_root / path
        ).read_bytes()


@pytest.mark.parametrize("zone", ["UTC", "Asia/Shanghai", "America/Los_Angeles"])
def test_extreme_dates_numbers_and_strings_import(
    workspace_root: Path, make_workspace: MakeWorkspace, zone: str
) -> None:
    write(workspace_root, EXTREMES)
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
    write(workspace_root, {name: EXTREMES[name]})
    workspace = make_workspace(workspace_root)
    workspace.time_zone = "Asia/Shanghai"
    workspace.save()

    assert sync_workspace(workspace).added == 1
