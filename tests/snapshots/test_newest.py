"""Which of several snapshots of one second is the newest: the same at every door."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.api import listing, memory
from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from snapshots.models import Snapshot
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
    rest = f"/api/v1/workspaces/{workspace.slug}"
    topic = own_program().get(f"{rest}/topics/api").json()["data"]
    listed = own_program().get(f"{rest}/snapshots").json()["data"]
    told = {
        "agent": page("agents/builder/").partition("Goal ")[2][:2],
        "topic": page("topics/api/snapshots/").partition("Goal ")[2][:2],
        "export": page("handover/").partition("Goal ")[2][:2],
        "overview": page("").partition("Agents now")[2].partition("Goal ")[2][:2],
        "topics": page("topics/").partition("2026-11-20-")[2][:2],
        "recall": asked(caller, "recall", topic="api").text.partition("> Goal ")[2][:2],
        "snapshot_recall": asked(caller, "snapshot_recall").snapshot_id[-2:],
        "REST": topic["latest_snapshot"]["snapshot_id"][-2:],
        "REST list": listed[0]["snapshot_id"][-2:],
        "translate": made.partition("Goal ")[2][:2],
    }

    assert set(told.values()) == {newest}, told


def test_pages_of_the_list_follow_the_file_in_one_second(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "PAGE_SIZE", 3)
    monkeypatch.setattr(memory, "listed", partial(listing.listed, size=3))
    text = Path(workspace.root, "memory/2026-11-20.md").read_text()
    written = re.findall(r"\nGoal (\d\d)", text)
    found, cursor = list[str](), ""
    while cursor is not None:
        asked = {"cursor": cursor} if cursor else {}
        url = f"/api/v1/workspaces/{workspace.slug}/snapshots"
        answer = own_program().get(url, asked).json()
        found += [row["snapshot_id"][-2:] for row in answer["data"]]
        cursor = answer["next"]

    assert found == written[::-1]


def test_neighbours_are_those_of_a_topic_by_any_of_its_names(
    client: Client, workspace_root: Path
) -> None:
    log = "# 2026-11-20\n" + snapshot_text(1) + snapshot_text(2)
    log = log.replace("topic: api", "topic: belt run")
    topic = TOPIC.replace("api", "belt run")
    files = {"memory/context-belt run.md": topic, "memory/2026-11-20.md": log}
    imported(workspace_root, files)
    newest = Snapshot.objects.order_by("-occurred_at").first()
    assert newest and newest.topic
    url = f"/w/acme/snapshots/{newest.code}/"

    for name in (newest.topic.slug, newest.topic.code, "belt run"):
        page = client.get(url, {"topic": name}).content.decode()
        assert "Older snapshot, none" not in page, name
    assert "Older snapshot, none" in client.get(url, {"topic": "x"}).content.decode()
