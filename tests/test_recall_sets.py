"""Recall on workspaces written by hand: what 1,000 tokens must hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.retrieval.recalls import TOKENS, RecallSet, Task, recall_sets
from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from memoryhub.tools.calling import call, request_of
from memoryhub.tools.recall import Recalled
from memoryhub.tools.registry import tool_named
from tests.factories import imported

pytestmark = pytest.mark.django_db

_SETS = recall_sets()


def given_for(workspace: Workspace, task: Task) -> str:
    tool = tool_named("recall")
    answer = call(tool, Caller(workspace, "", ""), request_of(tool, task.asked))
    assert isinstance(answer, Recalled)
    assert answer.tokens <= TOKENS
    return answer.text


def test_there_are_sixty_tasks_in_five_languages() -> None:
    assert len(_SETS) == 5
    assert sum(len(one.tasks) for one in _SETS) >= 60


@pytest.mark.parametrize("wanted", _SETS, ids=[one.name for one in _SETS])
def test_a_recall_gives_what_a_task_needs(
    hub_data: Path, workspace_root: Path, wanted: RecallSet
) -> None:
    workspace = imported(workspace_root, wanted.files)

    shares = [task.share_in(given_for(workspace, task)) for task in wanted.tasks]
    missing = [t for t, share in zip(wanted.tasks, shares, strict=True) if share < 1]

    assert sum(shares) / len(shares) >= 0.95, missing
