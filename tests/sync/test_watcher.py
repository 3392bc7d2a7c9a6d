"""The watcher on real folders: what concerns it, what it imports, what it survives."""

from __future__ import annotations

import gc
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.db import connection
from watchfiles import Change

from memoryhub.disk.places import Place, read_file
from memoryhub.disk.replacing import replace_file
from memoryhub.journal.models import FileStat, Workspace
from memoryhub.sync.engine import SyncReport
from memoryhub.sync.scan import watcher as watching
from memoryhub.sync.scan.watcher import Watcher, concerns, touched, wait_until_stable
from memoryhub.workspaces.services.adding import add_workspace
from tests.waiting import wait_for

MakeWorkspace = Callable[[Path], Workspace]
#: Seconds of a rest that no other wait has.
_REST = 59.0


class Heard:
    """What a watcher told of."""

    def __init__(self) -> None:
        self.reports: list[tuple[str, SyncReport]] = []
        self.stop = threading.Event()

    def __call__(self, workspace: Workspace, report: SyncReport) -> None:
        self.reports.append((workspace.slug, report))

    def waits_for(self, count: int) -> None:
        wait_for(lambda: len(self.reports) >= count)


class Moments(threading.Event):
    """An end that never comes; in the first moments of waiting for it a log grows."""

    def __init__(self, log: Path, growing: int = 0) -> None:
        super().__init__()
        self.count = 0
        self._log, self._growing = log, growing

    def wait(self, timeout: float | None = None) -> bool:
        self.count += 1
        if self.count <= self._growing:
            with self._log.open("a") as log:
                log.write("b")
        return False


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/w/memory/context-a.md", True),
        ("/w/memory", True),
        ("/w/.dreams", True),
        ("/w/memory/context-session-map.json", True),
        ("/w/src/main.py", False),
        ("/w/.git/index", False),
        ("/w/node_modules/x/README.md", False),
        ("/w/memory/.context-a.md.memoryhub-77", False),
        ("/w/memory/.a.md.memoryhub-part-0123456789ab", False),
        ("/w/memory/.a.md.memoryhub-held-3-ab12-0123456789ab", True),
    ],
)
def test_only_changes_of_memory_concern_it(path: str, expected: bool) -> None:
    assert concerns(Change.modified, path) is expected


def test_the_hubs_own_folder_does_not_concern_it(hub_data: Path) -> None:
    assert not concerns(Change.added, str(hub_data / "locks/ab12"))


def test_workspaces_that_the_hub_keeps_do_concern_it(hub_data: Path) -> None:
    assert concerns(Change.added, str(hub_data / "samples/acme/MEMORY.md"))
    assert concerns(Change.added, str(hub_data / "uploads/notes/a.md"))


def test_a_change_is_of_the_innermost_workspace() -> None:
    outer, inner = Path("/w"), Path("/w/workspace-a")

    assert touched([outer, inner], ["/w/workspace-a/MEMORY.md"]) == [inner]
    assert touched([outer, inner], ["/w/MEMORY.md", "/elsewhere/x.md"]) == [outer]


def test_a_change_told_of_by_a_link_is_of_both_workspaces(tmp_path: Path) -> None:
    linking, own = tmp_path / "a", tmp_path / "b"
    linking.mkdir()
    own.mkdir()
    (linking / "other").symlink_to(own)

    assert touched([linking, own], [str(linking / "other/x.md")]) == [linking, own]


def test_it_waits_until_a_file_is_written(tmp_path: Path) -> None:
    place = tmp_path / "log.md"
    place.write_text("a")
    moments = Moments(place, growing=10)

    wait_until_stable([str(place)], moments)

    assert place.read_text() == "a" + "b" * 10
    assert moments.count == 11


def test_what_vanishes_is_not_waited_for(tmp_path: Path) -> None:
    moments = Moments(tmp_path / "gone.md")

    wait_until_stable([str(tmp_path / "gone.md")], moments)

    assert moments.count == 1


def test_a_sync_without_changes_is_told_once(
    make_workspace: MakeWorkspace, workspace_root: Path, heard: Heard
) -> None:
    make_workspace(workspace_root)
    watcher = Watcher(heard.stop, heard)

    watcher.sync_all()
    watcher.sync_all()

    assert [(slug, report.files) for slug, report in heard.reports] == [("notes", 0)]


def test_a_workspace_that_is_gone_does_not_end_the_others(
    make_workspace: MakeWorkspace,
    tmp_path: Path,
    heard: Heard,
    caplog: pytest.LogCaptureFixture,
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        make_workspace(tmp_path / name)
    (tmp_path / "a").rmdir()
    watcher = Watcher(heard.stop, heard)

    watcher.sync_all()
    watcher.sync_all()

    assert [slug for slug, _ in heard.reports] == ["b"]
    assert [record.message for record in caplog.records] == [
        f"a: {tmp_path / 'a'} is not there"
    ]


def test_a_workspace_that_was_deleted_meanwhile_is_left_out(
    make_workspace: MakeWorkspace,
    workspace_root: Path,
    heard: Heard,
    caplog: pytest.LogCaptureFixture,
) -> None:
    stale = make_workspace(workspace_root)
    Workspace.objects.all().delete()

    Watcher(heard.stop, heard).sync(stale)

    assert not heard.reports
    assert not caplog.records


def test_a_failing_import_does_not_end_the_watch(
    make_workspace: MakeWorkspace,
    workspace_root: Path,
    heard: Heard,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(workspace: Workspace) -> None:
        raise RuntimeError("no")

    workspace = make_workspace(workspace_root)
    watcher = Watcher(heard.stop, heard)
    with monkeypatch.context() as patched:
        patched.setattr(watching, "sync_workspace", fail)
        watcher.sync(workspace)

    watcher.sync(workspace)

    assert "the import failed" in caplog.text
    heard.waits_for(1)


@pytest.fixture
def watched(
    heard: Heard, hub_data: Path, workspace_root: Path, transactional_db: None
) -> Iterator[Path]:
    """Give a workspace's folder that a running watcher has imported once."""
    add_workspace(workspace_root)
    thread = threading.Thread(target=Watcher(heard.stop, heard).run)
    thread.start()
    heard.waits_for(1)
    yield workspace_root
    heard.stop.set()
    thread.join(30)
    assert not thread.is_alive()


def test_a_database_that_is_locked_at_first_is_tried_again(
    heard: Heard,
    hub_data: Path,
    workspace_root: Path,
    transactional_db: None,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    add_workspace(workspace_root)
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0.1)
    monkeypatch.setattr(watching, "_LOOK_SECONDS", 0.1)
    connection.close()
    # An exclusive lock needs every other connection closed, those of ended threads too.
    gc.collect()
    thread = threading.Thread(target=Watcher(heard.stop, heard).run)
    with closing(sqlite3.connect(connection.settings_dict["NAME"])) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN IMMEDIATE")
        thread.start()
        wait_for(lambda: "locked" in caplog.text or not thread.is_alive())

    assert thread.is_alive()
    heard.waits_for(1)
    heard.stop.set()
    thread.join(30)


def test_a_change_is_imported_within_moments(watched: Path, heard: Heard) -> None:
    (watched / "MEMORY.md").write_text("# Index\n")

    heard.waits_for(2)
    assert heard.reports[1][1].added == 1


@pytest.mark.parametrize("others", [0, 1])
def test_a_workspace_added_beside_it_is_imported_before_the_next_rescan(
    heard: Heard,
    hub_data: Path,
    workspace_root: Path,
    tmp_path: Path,
    transactional_db: None,
    others: int,
) -> None:
    if others:
        add_workspace(workspace_root)
    watcher = Watcher(heard.stop, heard, rescan=float("inf"))
    thread = threading.Thread(target=watcher.run)
    thread.start()
    heard.waits_for(others)
    added = tmp_path / "added"
    added.mkdir()
    (added / "MEMORY.md").write_text("# Index\n")

    slug = add_workspace(added).slug

    wait_for(lambda: slug in {name for name, _ in heard.reports})
    heard.stop.set()
    thread.join(30)


def test_lines_added_to_an_old_version_are_carried_over_within_moments(
    watched: Path, heard: Heard
) -> None:
    (watched / "log.md").write_text("one\n")
    heard.waits_for(2)
    place = Place(watched, "log.md")
    with (watched / "log.md").open("a") as agent:
        replace_file(place, b"ONE\n", expected=read_file(place).sha256)
        heard.waits_for(3)
        agent.write("two\n")
        agent.flush()
        wait_for(lambda: (watched / "log.md").read_text() == "ONE\ntwo\n")


def test_lines_that_come_one_after_the_other_are_imported_in_groups(
    watched: Path, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It rests after the first lines, here until all the others are written."""
    rests, go_on, wait = threading.Event(), threading.Event(), heard.stop.wait

    def rest(timeout: float | None = None) -> bool:
        if timeout != _REST:
            return wait(timeout)
        rests.set()
        go_on.wait(60)
        return False

    monkeypatch.setattr(watching, "_REST_LEAST", _REST)
    monkeypatch.setattr(watching, "_REST_MOST", _REST)
    monkeypatch.setattr(heard.stop, "wait", rest)
    with (watched / "log.md").open("a", buffering=1) as log:
        wait_for(lambda: log.write("- a line\n") and rests.wait(0.05))
        before = len(heard.reports)
        for number in range(100):
            log.write(f"- line {number}\n")
        size = (watched / "log.md").stat().st_size

    go_on.set()
    heard.waits_for(before + 1)
    assert FileStat.objects.get(path="log.md").size == size
    assert len(heard.reports) == before + 1


def test_a_new_folder_is_watched_too(watched: Path, heard: Heard) -> None:
    (watched / "memory").mkdir()
    (watched / "memory/2026-11-20.md").write_text("## 09:00 Begun\n")
    heard.waits_for(2)

    with (watched / "memory/2026-11-20.md").open("a") as log:
        log.write("## 10:00 Done\n")

    heard.waits_for(3)
    assert heard.reports[2][1].changed == 1


def test_it_looks_again_where_the_system_cannot_tell(
    make_workspace: MakeWorkspace,
    workspace_root: Path,
    heard: Heard,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def refuse(*roots: Path, **options: object) -> None:
        raise OSError("no more watches")

    looks = 0

    def sync_all(self: Watcher) -> None:
        nonlocal looks
        looks += 1
        if looks > 3:
            self._stop.set()

    make_workspace(workspace_root)
    monkeypatch.setattr(watching, "watch", refuse)
    monkeypatch.setattr(watching, "_LOOK_SECONDS", 0.01)
    monkeypatch.setattr(Watcher, "sync_all", sync_all)
    Watcher(heard.stop, heard).run()

    assert looks == 4
    assert "no more watches" in caplog.text
