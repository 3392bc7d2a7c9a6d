"""In every list what has a time comes before what has none, read early or late."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from memoryhub.handoffs.queries.board import Filters, listing
from memoryhub.journal.models import Workspace
from memoryhub.tools.calling import CallerOptions
from tests.factories import imported
from tests.signing import own_program
from tests.tools.doors import DOORS
from tests.writing import say

pytestmark = pytest.mark.django_db(transaction=True)

TASK = """<task>
  <from>builder</from>
  <to>planner</to>
  <task_id>{}</task_id>
  <type>decision</type>
  <context>{} handoff</context>
</task>
"""
DATED = {
    "memory/2026-05-02.md": "# 2026-05-02\n\n- Decision: keep the Dated decision\n"
    "- [ ] Dated item\n\n" + TASK.format("20260502-01", "Dated"),
}
UNDATED = {
    "memory/zz.md": "# zz\n\n## Decisions\n- We keep the Undated decision\n",
    "tasks.md": "# Tasks\n\n- [ ] Undated item\n",
    "memory/tasks.md": TASK.format("x-1", "Undated"),
}


@pytest.fixture(params=["at once", "later"])
def workspace(
    request: pytest.FixtureRequest, workspace_root: Path, hub_data: Path
) -> Workspace:
    if request.param == "at once":
        return imported(workspace_root, UNDATED | DATED)
    workspace = imported(workspace_root, DATED)
    say(workspace, {**UNDATED})
    return workspace


def comes_last(text: str, what: str) -> bool:
    assert f"Undated {what}" in text
    return text.rindex(f" Dated {what}") < text.index(f"Undated {what}")


@pytest.mark.parametrize(
    ("address", "what"),
    [
        ("", "decision"),
        ("", "item"),
        ("decisions/", "decision"),
        ("open-items/", "item"),
        ("open-items/?sort=oldest", "item"),
        ("handoffs/", "handoff"),
        ("handoffs/?view=list", "handoff"),
        ("handoffs/?view=list&sort=oldest", "handoff"),
        ("handoffs/?view=list&sort=moved", "handoff"),
    ],
)
def test_on_pages(
    client: Client, workspace: Workspace, address: str, what: str
) -> None:
    page = client.get(f"/w/acme/{address}").content.decode()
    page = " ".join(page[page.index("<main") :].replace(">", "> ").split())

    assert comes_last(page, what)


@pytest.mark.parametrize("what", ["decision", "open-item", "handoff"])
def test_by_rest(workspace: Workspace, what: str) -> None:
    listed = own_program().get(f"/api/v1/workspaces/acme/{what}s").json()["data"]

    assert len(listed) == 2
    assert "Undated" not in json.dumps(listed[0])
    assert "Undated" in json.dumps(listed[1])


def test_pages_of_handoffs_follow_each_other(workspace: Workspace) -> None:
    first = listing([workspace], Filters(), timezone.now(), limit=1)
    rest = listing([workspace], Filters(), timezone.now(), limit=1, after=first.next)

    (dated, undated) = first.cards + rest.cards
    assert (dated.task_id, undated.task_id) == ("20260502-01", "x-1")
    assert rest.next is None


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("tool", ["handoff_list", "open_items"])
def test_by_tools(workspace: Workspace, door: str, tool: str) -> None:
    said = CallerOptions(workspace="acme", agent="scout")

    listed = json.dumps(DOORS[door](said, tool, {}).fields)

    assert "Undated" in listed
    assert listed.replace("Undated", "").index("Dated") < listed.index("Undated")
