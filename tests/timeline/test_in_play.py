"""Files in play: who says to be changing what, and where two active agents meet."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memoryhub.journal.models import Workspace
from memoryhub.timeline.queries.agents import agents_now
from memoryhub.timeline.queries.in_play import FileInPlay, files_in_play
from tests.factories import imported, snapshot_text

pytestmark = pytest.mark.django_db
URL = "/w/acme/files-in-play/"

TASK = """<task>
  <from>planner</from>
  <to>{to}</to>
  <task_id>{id}</task_id>
  <type>write</type>
  <context>Mend `app/deliver.py`.</context>
  <input>and docs/guide.md</input>
</task>

## Log
- {at} planner: sent
- {at} {to}: taken
"""

MEMORY = """<!-- Memory ID: {id} -->
## Session ID
{id}
## Objective
Sign hooks
## Working Files (Modified)
- {path} (role: signs)
## Reference Files (Read-Only)
(none)
"""


def files(root: Path, said: dict[str, str | bytes]) -> dict[str, FileInPlay]:
    workspace = imported(root, said)
    return {file.path: file for file in found(workspace)}


def found(workspace: Workspace) -> tuple[FileInPlay, ...]:
    now = timezone.now()
    agents = agents_now(workspace, now)
    return files_in_play(workspace, agents)


def handoff(number: int, to: str) -> str:
    at = f"{timezone.now() - timedelta(minutes=5):%Y-%m-%dT%H:%M:%SZ}"
    return TASK.format(id=f"20261120-{number:02}", to=to, at=at)


def test_snapshots_and_handoffs_in_progress_name_files(
    hub_data: Path, workspace_root: Path
) -> None:
    said = files(
        workspace_root,
        {
            "memory/2026-11-20.md": snapshot_text(1),
            "memory/handoffs/20261120-01.md": handoff(1, "mapper"),
        },
    )

    assert set(said) == {"/srv/app/deliver.py", "docs/guide.md"}
    shared = said["/srv/app/deliver.py"]
    assert {(c.agent, c.kind, c.purpose) for c in shared.claims} == {
        ("builder", "snapshot", "sends one event"),
        ("mapper", "handoff", ""),
    }


def test_two_active_agents_at_one_file_are_named_on_the_overview(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    said: dict[str, str | bytes] = {
        f"memory/handoffs/20261120-{n:02}.md": handoff(n, agent)
        for n, agent in enumerate(("mapper", "builder"), 1)
    }
    in_play = files(workspace_root, said)

    assert sorted(in_play["app/deliver.py"].rivals) == ["builder", "mapper"]
    overview = client.get("/w/acme/").content.decode()
    assert "is being changed by" in overview
    assert "2 writes overlap: 20261120-" in overview
    assert overview.count("overlap") == 4


def test_a_handoff_that_is_not_in_progress_says_nothing(
    hub_data: Path, workspace_root: Path
) -> None:
    task = handoff(1, "mapper").partition("## Log")[0]

    assert files(workspace_root, {"memory/handoffs/20261120-01.md": task}) == {}


def test_a_snapshot_at_its_end_changes_nothing_more(
    hub_data: Path, workspace_root: Path
) -> None:
    text = snapshot_text(1, percent=100)

    assert files(workspace_root, {"memory/2026-11-20.md": text}) == {}


def test_a_bare_name_is_not_taken_for_a_file_elsewhere(
    hub_data: Path, workspace_root: Path
) -> None:
    task = handoff(1, "mapper").replace("app/deliver.py", "deliver.py")
    said = files(
        workspace_root,
        {
            "memory/2026-11-20.md": snapshot_text(1),
            "memory/handoffs/20261120-01.md": task,
        },
    )

    assert {"deliver.py", "/srv/app/deliver.py"} <= set(said)


def test_the_page_lists_and_narrows_them(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    imported(workspace_root, {"memory/2026-11-20.md": snapshot_text(1)})

    assert "/srv/app/deliver.py" in client.get(URL).content.decode()
    assert (
        "Nothing contains this text." in client.get(f"{URL}?q=nothing").content.decode()
    )


def test_it_takes_as_many_queries_for_many_handoffs(
    hub_data: Path, workspace_root: Path
) -> None:
    said: dict[str, str | bytes] = {"memory/2026-11-20.md": snapshot_text(1)}
    said |= {f"memory/handoffs/{n}.md": handoff(n, f"a{n}") for n in range(40)}
    workspace = imported(workspace_root, said)
    agents = agents_now(workspace, timezone.now())
    with CaptureQueriesContext(connection) as queries:
        assert len(files_in_play(workspace, agents)) > 1
    with CaptureQueriesContext(connection) as again:
        files_in_play(workspace, agents)

    assert (len(queries) <= 4, len(again)) == (True, 0)
