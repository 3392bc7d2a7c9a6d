"""What is sent back is its sender's; what has ended is opened again by its sender."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.dialects import handoff as handoff_format
from memoryhub.dialects.handoff import Task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.board import Filters, board, ready
from memoryhub.handoffs.queries.lane import turns
from memoryhub.handoffs.rules.acting import NotAllowed
from memoryhub.handoffs.services.sending import Author, send
from memoryhub.handoffs.services.steps import take
from memoryhub.journal.models import Revision, Workspace
from memoryhub.journal.versions import newest_text
from memoryhub.sync.edit.editing import undo
from tests.conftest import MakeWorkspace
from tests.handoffs.rules_table import DOCS, with_table
from tests.handoffs.steps import put_back, reopen, revise, send_back, withdraw
from tests.writing import assert_a_rebuild_changes_nothing, say

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    return make_workspace(workspace_root)


def by(actor: str, minutes: int = 0) -> Author:
    return Author(actor, at=NOON + timedelta(minutes=minutes))


def sent(workspace: Workspace, kind: str = "write") -> Handoff:
    task = Task("", "", "builder", kind, "Mend the door", "Hinge 2")
    return send(workspace, task, by("planner")).handoff


def returned(workspace: Workspace, kind: str = "write") -> Handoff:
    return send_back(sent(workspace, kind), by("builder", 1), reason="no hinge").handoff


def can_take(workspace: Workspace) -> list[str]:
    rows = ready(workspace, Filters(), turns(workspace), NOON, limit=9)
    return [row.task_id for row in rows]


def test_what_is_sent_back_is_its_senders(workspace: Workspace) -> None:
    handoff = returned(workspace)

    assert (handoff.state, handoff.acts, handoff.in_lane) == (
        "returned", "planner", False
    )  # fmt: skip
    assert (handoff.last_reason, can_take(workspace)) == ("no hinge", [])
    with pytest.raises(NotAllowed, match=r"^handoff-state"):
        take(handoff, by("builder", 2))
    assert_a_rebuild_changes_nothing(workspace)


def test_another_write_goes_on_past_what_was_sent_back(workspace: Workspace) -> None:
    returned(workspace)
    after = sent(workspace)

    assert take(after, by("builder", 3)).handoff.state == "in_progress"


def test_its_sender_changes_the_task_and_sends_it_again(workspace: Workspace) -> None:
    handoff = returned(workspace)
    first = newest_text(workspace, handoff.file.path)

    now = revise(handoff, by("planner", 2), input="Hinge 3", constraints="").handoff

    assert (now.state, now.input, now.acts) == ("open", "Hinge 3", "builder")
    assert now.pk == handoff.pk
    assert "Hinge 2" in first
    texts = Revision.objects.filter(path=handoff.file.path).count()
    assert texts == 3
    assert can_take(workspace) == ["20261120-01"]
    assert_a_rebuild_changes_nothing(workspace)


def test_undoing_a_change_gives_the_bytes_of_before(workspace: Workspace) -> None:
    handoff = returned(workspace)
    before = (Path(workspace.root) / handoff.file.path).read_bytes()
    done = revise(handoff, by("planner", 2), context="Mend\nthe <b>gate</b>")

    undone = undo(workspace, done.operation, "planner")

    assert (Path(workspace.root) / handoff.file.path).read_bytes() == before
    undo(workspace, undone, "planner")
    handoff.refresh_from_db()
    assert (handoff.state, handoff.context) == ("open", "Mend\nthe <b>gate</b>")


def test_a_change_that_no_task_can_be_is_refused(workspace: Workspace) -> None:
    handoff = returned(workspace)

    for changes, code in (
        ({"context": "x" * 201}, "handoff-part-long"),
        ({"input": "a\0b"}, "handoff-not-plain"),
    ):
        with pytest.raises(NotAllowed, match=code):
            revise(handoff, by("planner", 2), **changes)
    with pytest.raises(NotAllowed, match="not-yours"):
        revise(handoff, by("builder", 2))


def test_a_task_in_another_file_is_changed_there(workspace: Workspace) -> None:
    block = "<task>\n<from>planner</from>\n<to>builder</to>\n<task_id>T</task_id>\n"
    say(workspace, {"memory/notes.md": f"{block}<type>write</type>\n</task>\n"})
    handoff = send_back(Handoff.objects.get(), by("builder", 1), reason="no").handoff

    with pytest.raises(NotAllowed, match=r"^handoff-not-own"):
        revise(handoff, by("planner", 2), input="Hinge 3")

    assert revise(handoff, by("planner", 3)).handoff.state == "open"


def test_what_has_ended_is_opened_again_and_not_sent_back(workspace: Workspace) -> None:
    handoff = withdraw(sent(workspace), by("planner", 1)).handoff

    with pytest.raises(NotAllowed, match=r"^handoff-withdrawn"):
        send_back(handoff, by("builder", 2), reason="no")
    with pytest.raises(NotAllowed, match="not-yours"):
        reopen(handoff, by("builder", 2), reason="no")

    assert reopen(handoff, by("planner", 2), reason="after all").handoff.state == "open"


def test_files_of_before_send_back_what_has_ended(workspace: Workspace) -> None:
    handoff = sent(workspace, "read_only")
    path = Path(workspace.root) / handoff.file.path
    log = "- 2026-11-20T12:01:00Z builder: done\n- 2026-11-20T12:02:00Z planner: "
    say(workspace, {handoff.file.path: f"{path.read_text()}{log}sent back -- more\n"})

    handoff.refresh_from_db()
    text = handoff_format.parse(newest_text(workspace, handoff.file.path))
    assert (handoff.state, handoff_format.state_of(text)) == ("open", "open")
    assert put_back(take(handoff, by("builder", 3)).handoff, by("builder", 4))


def test_withdrawn_work_is_apart_from_done_work(
    client: Client, workspace: Workspace
) -> None:
    withdraw(sent(workspace), by("planner", 1))

    found = {
        column.state: column.count for column in board([workspace], Filters(), NOON)
    }

    assert (found["withdrawn"], found["done"], "returned" in found) == (1, 0, False)
    page = client.get(f"/w/{workspace.slug}/handoffs/?state=withdrawn").content.decode()
    assert 'id="c-withdrawn"' in page


def test_a_person_changes_a_task_on_its_page(
    client: Client, workspace: Workspace
) -> None:
    handoff = returned(workspace)
    url = f"/w/{workspace.slug}/handoffs/{handoff.code}/revise/"

    page = client.get(url).content.decode()
    answer = client.post(url, {"base": handoff.standing, "input": "Hinge 4"})

    assert "Hinge 2</textarea>" in page
    handoff.refresh_from_db()
    assert (answer.status_code, handoff.input, handoff.context) == (
        303, "Hinge 4", "Mend the door"
    )  # fmt: skip


def test_the_manual_has_the_table_of_the_rules() -> None:
    text = DOCS.read_text()

    assert with_table(text) == text
