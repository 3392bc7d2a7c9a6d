"""What an edit costs: its statements, however large the file and the workspace are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryhub.handoffs.services.steps import take
from memoryhub.journal.models import Operation, Workspace
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from tests.factories import imported
from tests.handoffs.crew import by, sent

pytestmark = pytest.mark.django_db

LOG = "memory/2026-11-01.md"


def entries(number: int) -> str:
    return "".join(
        f"## Part {n}\n\n- [ ] do {n}\n\n**Decision**: take {n}\n\n"
        for n in range(number)
    )


def statements(action: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as captured:
        action()
    return len(captured)


def append(workspace: Workspace, text: str) -> Operation:
    edit = Edit(LOG, "append_text", {"label": "note", "text": text}, "builder")
    return apply_edit(workspace, edit)


def test_a_note_in_a_long_log_takes_no_more_than_in_a_short_one(
    hub_data: Path, workspace_root: Path
) -> None:
    workspace = imported(workspace_root, {LOG: entries(2)})
    append(workspace, "## One\n\nmore\n")
    short = statements(lambda: append(workspace, "## Two\n\nmore\n"))
    with (workspace_root / LOG).open("a") as log:
        log.write(entries(200))
    append(workspace, "## Three\n\nmore\n")

    # How far back the journal's tails reach takes a statement more or less.
    long = statements(lambda: append(workspace, "## Four\n\nmore\n"))
    assert long <= short + 2 and short <= 60


def test_a_handoff_is_taken_in_few_statements(
    hub_data: Path, workspace_root: Path
) -> None:
    workspace = imported(workspace_root, {LOG: entries(2)})
    handoff = sent(workspace, "read_only")

    assert statements(lambda: take(handoff, by("builder", 5))) <= 83
