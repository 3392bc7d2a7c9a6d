from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from memoryhub.events.models import Event
from memoryhub.journal.blobs import blob_bytes
from memoryhub.journal.models import Operation, Revision, SourceFile, Workspace
from memoryhub.sync import engine
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.edit.writing import read_newest
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.read import reader
from memoryhub.sync.record.projection import rebuild
from memoryhub.sync.scan.walk import FoundFile, ScanProblem, scan
from memoryhub.workspaces.services.adding import add_workspace
from tests.editing import PATH, TEXT, edit
from tests.every_dialect import write_every_dialect
from tests.projected import differences, projected_rows
from tests.waiting import wait_for

LINES = 200


@pytest.fixture
def workspace(
    workspace_root: Path,
    hub_data: Path,
    transactional_db: None,
    monkeypatch: pytest.MonkeyPatch,
) -> Workspace:
    monkeypatch.setattr(reader, "_BATCH_FILES", 3)
    monkeypatch.setattr(reader, "FIRST_FILES", 3)
    write_every_dialect(workspace_root)
    return add_workspace(workspace_root)


@contextmanager
def meanwhile(work: Callable[[], object]) -> Iterator[None]:
    """Do something in another thread, whose failure is a failure of the test."""
    failures: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    yield
    thread.join()
    assert not failures


def contents(workspace: Workspace, path: str) -> list[bytes]:
    revisions = Revision.objects.filter(workspace=workspace, path=path)
    return [blob_bytes(r.blob) for r in revisions.select_related("blob") if r.blob]


def assert_a_rebuild_changes_nothing(workspace: Workspace) -> None:
    before = projected_rows(workspace)
    rebuild(workspace)
    assert not differences(before, projected_rows(workspace))


def test_two_syncs_at_once_record_each_file_once(workspace: Workspace) -> None:
    twin = Workspace.objects.get(pk=workspace.pk)

    with meanwhile(lambda: sync_workspace(twin)):
        sync_workspace(workspace)

    seqs = Revision.objects.order_by("seq").values_list("seq", flat=True)
    assert list(seqs) == list(range(1, len(seqs) + 1))
    assert len(seqs) == SourceFile.objects.filter(present=True).count()
    assert_a_rebuild_changes_nothing(workspace)


def test_pages_read_whole_batches_while_a_sync_writes(workspace: Workspace) -> None:
    done = threading.Event()
    seen: list[int] = []

    def read() -> None:
        while not done.wait(0.002):
            files = SourceFile.objects.count()
            seen.append(files)
            assert Event.objects.count() >= files

    def let_look(*_: object) -> None:
        looks = len(seen)
        wait_for(lambda: len(seen) > looks + 1)

    with meanwhile(read):
        try:
            sync_workspace(workspace, progress=let_look)
        finally:
            done.set()

    assert len(set(seen)) > 3
    assert seen == sorted(seen)


def test_edits_during_a_sync_are_all_done(workspace: Workspace) -> None:
    twin = Workspace.objects.get(pk=workspace.pk)

    def edit() -> None:
        for number in range(20):
            path = f"memory/context-new-{number % 3}.md"
            payload = {"text": f"Blocked {number}"}
            apply_edit(twin, Edit(path, "set_status", payload, "person:1"))

    with meanwhile(edit):
        for _ in range(3):
            sync_workspace(workspace)
    sync_workspace(workspace)

    states = Operation.objects.values_list("state", flat=True)
    assert set(states) == {"applied"}
    assert len(states) == 20
    assert_a_rebuild_changes_nothing(workspace)


def test_every_version_of_a_growing_log_is_a_beginning_of_it(
    workspace: Workspace,
) -> None:
    log = Path(workspace.root, "memory/2026-12-01.md")

    def append() -> None:
        with log.open("ab", buffering=0) as file:
            for number in range(LINES):
                file.write(b"- line %d %s\n" % (number, b"x" * 2000))

    with meanwhile(append):
        for _ in range(8):
            sync_workspace(workspace)
    sync_workspace(workspace)

    versions = contents(workspace, "memory/2026-12-01.md")
    assert versions[-1] == log.read_bytes()
    assert all(versions[-1].startswith(version) for version in versions)


def test_a_file_that_is_replaced_is_never_read_half(workspace: Workspace) -> None:
    note = Path(workspace.root, "memory/note.md")
    states = [b"# One\n" * 5000, b"# Two\n" * 9000]
    note.write_bytes(states[0])

    def replace() -> None:
        for number in range(LINES):
            draft = note.with_suffix(".draft")
            draft.write_bytes(states[number % 2])
            draft.replace(note)

    with meanwhile(replace):
        for _ in range(8):
            sync_workspace(workspace)
    sync_workspace(workspace)

    versions = contents(workspace, "memory/note.md")
    assert set(versions) <= set(states)
    assert versions[-1] == note.read_bytes()


def test_what_was_read_before_an_edit_is_not_recorded_after_it(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = Path(workspace.root, PATH)
    note.write_text(TEXT)
    sync_workspace(workspace)
    note.write_text(TEXT.replace("Half", "Nearly half"))
    batches = reader.Reader.batches

    def edited_between(
        self: reader.Reader, planned: Sequence[FoundFile]
    ) -> Iterator[list[reader.NewVersion | ScanProblem]]:
        read = list(batches(self, planned))
        monkeypatch.undo()
        apply_edit(Workspace.objects.get(), edit("add_decision", "2026-11-20: Sets"))
        yield from read

    monkeypatch.setattr(reader.Reader, "batches", edited_between)
    sync_workspace(workspace)

    versions = contents(workspace, PATH)
    assert [b"Nearly" in text for text in versions] == [False, True, True]
    assert [b"Sets" in text for text in versions] == [False, False, True]


@pytest.mark.parametrize("gone", [False, True])
def test_a_file_that_is_made_after_the_scan_is_not_gone(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, gone: bool
) -> None:
    path = "memory/handoffs/late.md"
    place = Path(workspace.root, path)
    if gone:
        place.parent.mkdir(exist_ok=True)
        place.write_text("# Handoff late\n")
        sync_workspace(workspace)
        place.unlink()

    def scanned_before(*found: Any, **how: Any) -> Any:
        seen = scan(*found, **how)
        monkeypatch.undo()
        place.write_text("# Handoff late\n\n## Log\n")
        read_newest(workspace, path, timezone.now())
        return seen

    monkeypatch.setattr(engine, "scan", scanned_before)
    sync_workspace(workspace)

    kinds = Revision.objects.filter(workspace=workspace, path=path)
    assert "deleted" not in kinds.values_list("kind", flat=True)
