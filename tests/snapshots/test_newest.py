"""Which of several snapshots of one second is the newest: the same at every door."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from tests.factories import NOON, TOPIC, imported, snapshot_text
from tests.signing import own_program
from tests.tools.asking import asked

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

GOAL = "Deliver events, so that nobody has to ask."


def shot(number: int) -> str:
    """Return a snapshot of 09:30, whose goal has its number."""
    return snapshot_text(number, clock="09:30").replace(GOAL, f"Goal {number:02}.")


@pytest.fixture(params=range(4))
def workspace(workspace_root: Path, request: pytest.FixtureRequest) -> Workspace:
    numbers = [1 + (n + request.param) % 4 for n in range(4)]
    log = "# 2026-11-20\n" + "".join(map(shot, numbers))
    files = {"memory/context-api.md": TOPIC, "memory/2026-11-20.md": log}
    return imported(workspace_root, files)


def test_of_equal_times_the_later_in_the_file_is_the_newest(
    client: Client, workspace: Workspace
) -> None:
    text = Path(workspace.root, "memory/2026-11-20.md").read_text()
    newest = text.rpartition("\nGoal ")[2][:2]
    caller = Caller(workspace, "scout", agent="scout", clock=lambda: NOON)

    def page(path: str) -> str:
        return client.get(f"/w/acme/{path}").content.decode()

    wanted = {"kind": "topic", "name": "api", "to": "session_compact"}
    made = asked(caller, "translate", **wanted).text
    topic = own_program().get("/api/v1/workspaces/acme/topics/api").json()["data"]
    told = {
        "agent": page("agents/builder/").partition("Goal ")[2][:2],
        "overview": page("").partition("Agents now")[2].partition("Goal ")[2][:2],
        "topics": page("topics/").partition("2026-11-20-")[2][:2],
        "recall": asked(caller, "recall", topic="api").text.partition("> Goal ")[2][:2],
        "snapshot_recall": asked(caller, "snapshot_recall").snapshot_id[-2:],
        "REST": topic["latest_snapshot"]["snapshot_id"][-2:],
        "translate": made.partition("Goal ")[2][:2],
    }

    assert set(told.values()) == {newest}, told
