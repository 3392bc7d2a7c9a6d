"""What is done through the hub is one row of the timeline, whoever tells of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from memoryhub.events.models import Event
from memoryhub.handoffs.services.steps import take
from memoryhub.journal.models import Operation, Workspace
from memoryhub.sync.edit import editing
from memoryhub.sync.edit.editing import (
    apply_edit,
    settle,
    undo,
    write_staged,
)
from memoryhub.sync.edit.edits import Edit
from tests.editing import PATH, TEXT
from tests.factories import imported
from tests.handoffs.crew import by, html, sent
from tests.handoffs.steps import sign_off
from tests.sync.test_editing_interrupted import Crash, crash
from tests.writing import assert_a_rebuild_changes_nothing

MAP, LOG = "memory/context-session-map.json", "memory/2026-11-20.md"
DECISION = {"text": "2026-11-20: Use tea (it is there)"}
SESSION = {"key": "agent:builder:s1"}


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    files = {PATH: TEXT, "memory/context-b.md": f"{TEXT}- {DECISION['text']}\n"}
    return imported(workspace_root, {**files, MAP: "{}", LOG: "# 2026-11-20\n"})


def told(workspace: Workspace) -> list[tuple[str, str, str]]:
    """Return what was told since the import, each with its agent."""
    rows = Event.objects.filter(workspace=workspace, run_number=None)
    said = rows.order_by("position").values_list("kind", "verb", "agent__name")
    return [(kind, verb, name or "") for kind, verb, name in said]


@pytest.mark.parametrize(
    ("path", "verb", "payload", "row"),
    [
        (PATH, "set_status", {"text": "Done."}, ("edit", "set_status")),
        (PATH, "add_history", {"text": "Oiled it"}, ("history", "said")),
        (PATH, "add_decision", {"text": "Use coffee"}, ("decision", "added")),
        (MAP, "bind", {**SESSION, "topic": "auth"}, ("session", "bound")),
        (LOG, "append_text", {"text": "words"}, ("note", "added")),
    ],
)
def test_an_edit_is_one_row_of_who_made_it(
    workspace: Workspace,
    path: str,
    verb: str,
    payload: dict[str, str],
    row: tuple[str, str],
) -> None:
    apply_edit(workspace, Edit(path, verb, payload, "builder"))

    assert told(workspace) == [(*row, "builder")]
    assert_a_rebuild_changes_nothing(workspace)


def test_where_what_was_written_tells_nothing_the_edit_does(
    workspace: Workspace,
) -> None:
    bound = Edit(MAP, "bind", {**SESSION, "topic": ""}, "builder")
    known = Edit(PATH, "remove_decision", {"text": "2026-11-02: Rotate keys"}, "ann")

    undo(workspace, apply_edit(workspace, known), "ann")
    apply_edit(workspace, Edit(MAP, "bind", {**SESSION, "topic": "b"}, "builder"))
    apply_edit(workspace, bound)

    assert told(workspace) == [
        ("edit", "remove_decision", "ann"),
        ("edit", "add_decision", "ann"),
        ("session", "bound", "builder"),
        ("edit", "bind", "builder"),
    ]
    assert_a_rebuild_changes_nothing(workspace)


def test_a_step_of_a_handoff_is_one_row_on_the_page_of_who_took_it(
    client: Client, workspace: Workspace
) -> None:
    handoff = sent(workspace, "decision")
    sign_off(handoff, by("lead", 1))
    take(handoff, by("builder", 2))

    assert told(workspace) == [
        ("handoff", "sent", "planner"),
        ("handoff", "signed_off", "lead"),
        ("handoff", "in_progress", "builder"),
    ]
    for name in ("planner", "lead", "builder"):
        page = html(client, f"/w/{workspace.slug}/agents/{name}/")
        assert "Edited here" not in page and f"handoffs/{handoff.code}/" in page
    assert_a_rebuild_changes_nothing(workspace)


def test_a_step_that_is_taken_back_says_so(workspace: Workspace) -> None:
    take(sent(workspace), by("builder", 1))

    undo(workspace, Operation.objects.latest("seq"), "operator")

    assert ("edit", "take_back_step", "") in told(workspace)


@pytest.fixture
def staged(workspace: Workspace) -> Workspace:
    """Return the workspace with two decisions that wait to be written together."""
    workspace.review_before_writing = True
    workspace.save()
    for text in ("2026-11-20: Use tea", "2026-11-20: Use milk"):
        apply_edit(workspace, Edit(PATH, "add_decision", {"text": text}, "ann"))
    return workspace


def assert_told_once_each(workspace: Workspace) -> None:
    kinds = [kind for kind, verb, _ in told(workspace) if verb != "set"]
    assert kinds == ["decision", "decision"]
    assert_a_rebuild_changes_nothing(workspace)


def test_edits_that_are_written_together_are_told_once_each(
    staged: Workspace,
) -> None:
    write_staged(staged)

    assert_told_once_each(staged)


@pytest.mark.parametrize("step", ["write", "record_written"])
def test_edits_that_a_crash_kept_from_being_written_together_are_told_once_each(
    staged: Workspace, step: str
) -> None:
    with pytest.MonkeyPatch.context() as patched, pytest.raises(Crash):
        patched.setattr(editing, step, crash)
        write_staged(staged)

    settle(staged)

    assert_told_once_each(staged)


def test_an_edit_that_waited_longer_than_a_later_one_is_told_once(
    staged: Workspace,
) -> None:
    Workspace.objects.update(review_before_writing=False)
    staged.refresh_from_db()
    apply_edit(staged, Edit(PATH, "add_decision", {"text": "Use jam"}, "ann"))
    write_staged(staged)

    assert [kind for kind, verb, _ in told(staged) if verb != "set"] == ["decision"] * 3
    assert_a_rebuild_changes_nothing(staged)
