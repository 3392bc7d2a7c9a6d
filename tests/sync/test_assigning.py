"""Rows that a person assigns: at once, kept by later revisions and by a rebuild."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.events.models import Event
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Agent, Operation, Workspace
from memoryhub.sync.edit.editing import apply_edit, undo
from memoryhub.sync.edit.edits import Conflict, Edit
from memoryhub.workspaces.services.adding import add_workspace
from snapshots.models import AuthoredSpan, LogEntry, OpenItem
from snapshots.services.assigning import assignment
from tests.factories import TOPIC, imported
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Topic

LOG = "memory/2026-11-20.md"
TEXT = "# 2026-11-20\n\n## 07:30 - Started\nLooked at the queue.\n"


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    other = TOPIC.replace("agent:builder:main", "agent:reviewer:main")
    files = {LOG: TEXT, "memory/context-api.md": TOPIC, "memory/context-ui.md": other}
    return imported(workspace_root, files)


def entry() -> LogEntry:
    return LogEntry.objects.get(last_seq=None)


def given(workspace: Workspace, row: AuthoredSpan) -> Operation:
    reviewer, ui = Agent.objects.get(name="reviewer"), Topic.objects.get(name="ui")
    edit = assignment(row, agent=reviewer.id, topic=ui.id, actor="operator")
    return apply_edit(workspace, edit)


def test_it_takes_effect_at_once(workspace: Workspace) -> None:
    assert entry().agent is None and entry().topic is None

    operation = given(workspace, entry())

    row = entry()
    assert row.agent and row.topic
    assert (row.agent.name, row.topic.name) == ("reviewer", "ui")
    assert row.agent_rule == row.topic_rule == "assigned"
    assert operation.state == Operation.State.APPLIED


def test_the_events_of_the_row_go_with_it(workspace: Workspace) -> None:
    given(workspace, entry())

    told = Event.objects.get(kind="note", target_id=entry().id)
    assert told.topic_id == entry().topic_id
    assert Event.objects.get(kind="edit").title == "Started"


def test_later_revisions_of_the_row_keep_it(workspace: Workspace) -> None:
    given(workspace, entry())
    before = entry()

    say(workspace, {LOG: TEXT.replace("queue", "whole queue")})

    row = entry()
    assert (row.id, row.agent_id, row.topic_id) == (
        before.id,
        before.agent_id,
        before.topic_id,
    )
    changed = Event.objects.filter(kind="note", target_id=row.id, verb="changed").get()
    assert changed.topic_id == row.topic_id


def test_it_survives_a_rebuild(workspace: Workspace) -> None:
    given(workspace, entry())
    say(workspace, {LOG: TEXT.replace("queue", "whole queue")})

    assert_a_rebuild_changes_nothing(workspace)


def test_it_is_taken_back(workspace: Workspace) -> None:
    operation = given(workspace, entry())

    undo(workspace, operation, "operator")
    say(workspace, {LOG: TEXT.replace("queue", "whole queue")})

    assert entry().agent is None and entry().agent_rule == ""
    assert_a_rebuild_changes_nothing(workspace)


def test_of_two_people_the_second_is_told(workspace: Workspace) -> None:
    stale = assignment(entry(), agent=None, topic=None, actor="operator")
    given(workspace, entry())

    with pytest.raises(Conflict) as conflict:
        apply_edit(workspace, stale)

    assert conflict.value.current["topic"] == Topic.objects.get(name="ui").code


def test_it_is_done_at_once_where_edits_are_reviewed(workspace: Workspace) -> None:
    workspace.review_before_writing = True
    workspace.save()

    given(workspace, entry())

    assert entry().agent is not None


def test_a_suggested_item_is_declared_while_it_is_assigned(
    workspace: Workspace,
) -> None:
    say(workspace, {LOG: f"{TEXT}\nStill need to write the release notes.\n"})
    (item,) = OpenItem.everything.filter(last_seq=None)
    assert item.grade == "suggested"

    operation = given(workspace, item)

    assert OpenItem.objects.get(pk=item.pk).agent_rule == "assigned"
    assert_a_rebuild_changes_nothing(workspace)
    undo(workspace, operation, "operator")
    assert OpenItem.everything.get(pk=item.pk).grade == "suggested"
    assert_a_rebuild_changes_nothing(workspace)


@pytest.mark.parametrize(
    "wrong", [{"id": "0000000000000"}, {"id": "?"}, {"agent": "x"}, {"kind": "x"}]
)
def test_only_rows_there_are_can_be_assigned(
    workspace: Workspace, wrong: dict[str, str]
) -> None:
    right = assignment(entry(), agent=None, topic=None, actor="operator")
    edit = Edit(right.path, "assign", {**right.payload, **wrong}, "operator")

    with pytest.raises(FormatError):
        apply_edit(workspace, edit)

    assert not Operation.objects.exists()


def test_nothing_of_another_workspace_is_assigned(
    workspace: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    other = add_workspace(tmp_path / "other")
    say(other, {"memory/context-theirs.md": TOPIC})
    theirs = Topic.objects.get(name="theirs")

    with pytest.raises(FormatError, match=r"^row-unknown"):
        asked = assignment(entry(), agent=None, topic=theirs.id, actor="operator")
        apply_edit(workspace, asked)

    assert entry().topic is None
