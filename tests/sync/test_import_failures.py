from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db import InterfaceError, OperationalError

from memoryhub.dialects import topic_context
from memoryhub.events.models import Event
from memoryhub.journal.changes import Change
from memoryhub.journal.importers.agents import AgentImporter
from memoryhub.journal.models import Problem, SourceFile, Workspace
from memoryhub.journal.rows import Rows
from memoryhub.search import index
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record import projection
from memoryhub.sync.record.projection import catch_up, rebuild
from tests.conftest import MakeWorkspace
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Topic

pytestmark = pytest.mark.usefixtures("quiet_importers")

TEXT = "# Topic\n\n## Current Status\n\nx\n"
BAD = "memory/context-b.md"
PATHS = ("memory/context-a.md", BAD, "memory/context-c.md")


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    return make_workspace(workspace_root)


@pytest.fixture
def raising(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have an importer raise at one file, while it is a document."""
    take = AgentImporter.take

    def raise_at_one(importer: AgentImporter, change: Change) -> None:
        if change.path == BAD and change.document is not None:
            raise OverflowError("Python int too large")
        take(importer, change)

    monkeypatch.setattr(AgentImporter, "take", raise_at_one)


def problems() -> list[tuple[str, str, Any]]:
    rows = Problem.objects.filter(until_seq__isnull=True)
    return list(rows.values_list("path", "code_name", "parameters"))


FAILED = [(BAD, "not-imported", {"error": "OverflowError"})]


@pytest.mark.usefixtures("raising")
def test_a_file_whose_import_raises_does_not_stop_the_others(
    workspace: Workspace,
) -> None:
    report = say(workspace, dict.fromkeys(PATHS, TEXT))

    assert set(Topic.objects.values_list("name", flat=True)) == {"a", "c"}
    assert SourceFile.objects.count() == 3
    assert (problems(), [p.code for p in report.problems]) == (FAILED, ["not-imported"])
    assert_a_rebuild_changes_nothing(workspace)


@pytest.mark.usefixtures("raising")
def test_a_later_version_that_is_imported_closes_the_problem(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(workspace, dict.fromkeys(PATHS, TEXT))
    monkeypatch.undo()

    say(workspace, {BAD: TEXT + "more\n"})

    assert (problems(), Topic.objects.count()) == ([], 3)


def test_what_a_file_said_before_is_not_lost(
    workspace: Workspace, request: pytest.FixtureRequest
) -> None:
    say(workspace, dict.fromkeys(PATHS, TEXT))
    request.getfixturevalue("raising")

    say(workspace, dict.fromkeys(PATHS, TEXT + "more\n"))

    assert problems() == FAILED
    assert Topic.objects.filter(last_seq__isnull=True).count() == 2
    assert Topic.objects.count() == 3


def test_rows_that_the_database_refuses_are_told_of_their_file(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = AgentImporter.take

    def too_large(importer: AgentImporter, change: Change) -> None:
        take(importer, change)
        if change.path == BAD and change.document is not None:
            change.rows.update(SourceFile, change.file_id, size=10**30)

    monkeypatch.setattr(AgentImporter, "take", too_large)

    say(workspace, dict.fromkeys(PATHS, TEXT))

    assert problems() == FAILED
    assert_a_rebuild_changes_nothing(workspace)


def test_a_dialect_that_raises_is_a_problem_of_its_file(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raises(rows: object) -> None:
        raise RecursionError

    monkeypatch.setattr(topic_context, "_meta", raises)

    say(workspace, {BAD: TEXT, "notes.md": "# Notes\n"})

    assert problems() == [(BAD, "not-imported", {"error": "RecursionError"})]
    assert SourceFile.objects.count() == 2


@pytest.mark.usefixtures("raising")
def test_what_is_written_through_the_hub_is_kept_in_any_case(
    workspace: Workspace,
) -> None:
    edit = Edit(BAD, "place_file", {"text": TEXT}, "operator", key="k")

    apply_edit(workspace, edit)

    assert (Path(workspace.root) / BAD).read_text() == TEXT
    assert problems() == FAILED
    assert_a_rebuild_changes_nothing(workspace)


def test_a_database_that_fails_is_no_problem_of_a_file(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(rows: Rows) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(Rows, "flush", locked)

    with pytest.raises(OperationalError):
        say(workspace, dict.fromkeys(PATHS, TEXT))


def test_a_search_index_that_raises_stops_no_import(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "changed_paths", lambda *_: 1 / 0)

    say(workspace, dict.fromkeys(PATHS, TEXT))

    assert Topic.objects.count() == 3


@pytest.mark.usefixtures("raising")
def test_the_log_names_the_version_and_the_cause(
    workspace: Workspace, caplog: pytest.LogCaptureFixture
) -> None:
    say(workspace, dict.fromkeys(PATHS, TEXT))

    (record,) = caplog.records
    assert record.getMessage() == f"{BAD} (seq 2) could not be imported"
    assert record.exc_info and record.exc_info[0] is OverflowError


@pytest.mark.parametrize("error", [OperationalError, InterfaceError, MemoryError])
def test_a_machine_that_fails_at_one_file_stops_the_import(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    taken: list[str] = []

    def fail_second(importer: AgentImporter, change: Change) -> None:
        taken.append(change.path)
        raise ValueError if len(taken) == 1 else error

    monkeypatch.setattr(AgentImporter, "take", fail_second)

    with pytest.raises(error):
        say(workspace, {BAD: TEXT})
    assert taken == [BAD, BAD]
    assert Workspace.objects.get().projected_seq == 0
    assert problems() == []


def test_a_deletion_whose_import_raises_is_not_recorded(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(workspace, {BAD: TEXT, "notes.md": "# Notes\n"})

    def raise_at_deletion(importer: AgentImporter, change: Change) -> None:
        raise LookupError(change.path)

    monkeypatch.setattr(AgentImporter, "take", raise_at_deletion)
    with pytest.raises(LookupError, match=BAD):
        say(workspace, {BAD: None})

    monkeypatch.undo()
    assert SourceFile.objects.get(path=BAD).present
    assert sync_workspace(workspace).deleted == 1


def test_an_operation_whose_import_raises_is_not_recorded(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(workspace, {BAD: TEXT})
    asked = Edit(BAD, "set_status", {"text": "x"}, "ana", key="k")
    apply_edit(workspace, asked)
    monkeypatch.setattr(projection, "add_operation_event", lambda *_: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        rebuild(workspace)

    monkeypatch.undo()
    catch_up(workspace)
    assert Event.objects.filter(kind="edit").count() == 1
