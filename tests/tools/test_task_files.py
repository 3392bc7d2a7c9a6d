"""Every agent has its own task file: nobody is given the task of another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from memoryhub.dialects.active_context import is_task_file, task_file_of
from memoryhub.dialects.handoff import Result, Task
from memoryhub.handoffs.services.memory import memory_place
from memoryhub.handoffs.services.sending import Author, send
from memoryhub.handoffs.services.steps import report
from memoryhub.journal.models import Workspace
from memoryhub.tools.calling import CallerOptions
from tests.conftest import MakeWorkspace
from tests.tools.doors import directly
from tests.writing import say

TASK = "memories/context.md"


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    return make_workspace(workspace_root)


def compacted(
    workspace: Workspace, agent: str, job: str, level: str = "L2"
) -> dict[str, Any]:
    words = "w " * 400
    turns = [
        {"role": ("user", "assistant")[n % 2], "content": f"{job} {n}. {words}"}
        for n in range(9)
    ]
    asked = {
        "transcript": json.dumps(turns),
        "window": 2_000,
        "level": level,
        "write": level == "L2",
    }
    options = CallerOptions(workspace=workspace.slug, agent=agent)
    given = directly(options, "compact_transcript", asked)
    assert not given.refused, given.text
    return dict(given.fields)


def restored(workspace: Workspace, agent: str) -> dict[str, Any]:
    rows = compacted(workspace, agent, "Nothing", level="L3")["restore"]
    return next(row for row in rows if is_task_file(row["path"]))


def test_one_agent_has_the_skills_one_file(workspace: Workspace) -> None:
    assert compacted(workspace, "alice", "Mend the door")["saved"] == TASK
    assert compacted(workspace, "alice", "Mend the gate")["saved"] == TASK

    again = restored(workspace, "alice")
    assert (again["path"], again["agent"]) == (TASK, "alice")
    assert "Mend the gate" in again["text"]


def test_a_second_agent_leaves_the_task_of_the_first_alone(
    workspace: Workspace,
) -> None:
    compacted(workspace, "alice", "Mend the door")
    assert compacted(workspace, "bob", "Paint the wall")["saved"] == task_file_of("bob")

    for agent, path, job in (
        ("alice", TASK, "Mend the door"),
        ("bob", "memories/context-bob.md", "Paint the wall"),
    ):
        row = restored(workspace, agent)
        assert (row["path"], row["agent"]) == (path, agent)
        assert job in row["text"]
    assert compacted(workspace, "alice", "Go on")["saved"] == task_file_of("alice")


def test_who_has_saved_no_task_is_given_none(workspace: Workspace) -> None:
    compacted(workspace, "alice", "Mend the door")

    row = restored(workspace, "carol")

    assert (row["path"], row["known"], row["text"]) == (
        "memories/context-carol.md", False, ""
    )  # fmt: skip


@pytest.mark.parametrize(
    "name", ["Alice", "a/b", "规划者", "a b", "x" * 200, "🚀", "../x"]
)
def test_every_name_has_a_file_of_its_own(name: str) -> None:
    path = task_file_of(name)

    assert is_task_file(path)
    assert path.count("/") == 1
    assert len(path) < 120
    assert path not in (task_file_of(name.casefold() + "2"), TASK)


@pytest.mark.parametrize("path", [TASK, "memories/context-bob.md"])
def test_no_memory_update_goes_to_a_file_that_is_overwritten(
    workspace: Workspace, path: str
) -> None:
    say(workspace, {path: "# Current Task\n\nMend the door\n"})
    task = Task("", "", "bob", "read_only", "c", "i")
    handoff = send(workspace, task, Author("ann")).handoff
    result = Result("", "done", "Mended", "", f"{path}\nThe port is 9443.")

    memory = report(handoff, result, Author("bob")).memory

    today = timezone.now().date()
    assert memory is not None
    assert memory.path == f"memory/{today}.md"
    assert "9443" in (Path(workspace.root) / memory.path).read_text()
    assert memory_place(workspace, "The port", today)[0] == memory.path
