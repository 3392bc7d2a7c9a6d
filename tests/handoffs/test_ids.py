"""Ids of handoffs: any letters, and none that two files could share elsewhere."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memoryhub.dialects.handoff import Task
from memoryhub.handoffs.rules.acting import NotAllowed
from memoryhub.handoffs.rules.fields import is_id
from memoryhub.handoffs.services.sending import Author, find, send
from memoryhub.handoffs.services.steps import take
from memoryhub.journal.models import Workspace
from tests.conftest import MakeWorkspace

AUTHOR = Author("ann", at=datetime(2026, 11, 20, 12, tzinfo=UTC))


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    return make_workspace(workspace_root)


@pytest.mark.parametrize("task_id", ["任务-01", "ünï", "with space", "🚀", "a.b_c-1"])
def test_an_id_of_any_letters_is_sent_and_taken(
    workspace: Workspace, task_id: str
) -> None:
    send(workspace, Task(task_id, "", "bob", "read_only", "c", "i"), AUTHOR)

    found = find(workspace, task_id)

    assert found.file.path == f"memory/handoffs/{task_id}.md"
    assert take(found, Author("bob")).handoff.state == "in_progress"


@pytest.mark.parametrize(
    "task_id",
    [
        "CON", "nul.1", "com1", "a/b", "a\\b", "a:b", "a,b", "a?", ".a", "a.", " a",
        "a\nb", "a\u202eb", "x" * 81, "火" * 70, "e\u0301", "",
    ],
)  # fmt: skip
def test_what_is_no_file_on_some_system_is_no_id(task_id: str) -> None:
    assert not is_id(task_id)


@pytest.mark.parametrize(("first", "second"), [("a-1", "A-1"), ("T1", "t1")])
def test_ids_that_differ_by_case_alone_are_taken(
    workspace: Workspace, first: str, second: str
) -> None:
    send(workspace, Task(first, "", "bob", "read_only", "c", "i"), AUTHOR)

    with pytest.raises(NotAllowed, match=r"^handoff-id-taken"):
        send(workspace, Task(second, "", "bob", "read_only", "c", "i"), Author("ann"))


def test_all_that_is_missing_is_told_at_once(workspace: Workspace) -> None:
    with pytest.raises(NotAllowed) as caught:
        send(workspace, Task("", "", "", "", "", ""), AUTHOR)

    assert caught.value.parameters == {"part": "to, type, context, input"}
