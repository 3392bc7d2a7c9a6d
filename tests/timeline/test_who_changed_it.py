"""Who changed a file: every door says the same, and nobody is guessed at work."""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from memoryhub.reviews.models import ReviewCard
from memoryhub.reviews.queries import reverted_lines
from memoryhub.reviews.services import Decision, revert
from memoryhub.sync.engine import sync_workspace
from memoryhub.timeline.queries.agents import agents_now
from memoryhub.tools.calling import call
from memoryhub.tools.memory_files import AppendRequest
from memoryhub.tools.registry import tool_named
from tests.factories import imported, write
from tests.signing import own_program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

FILES: dict[str, str | bytes] = {
    "IDENTITY.md": "- **Name:** Planner\n",
    "MEMORY.md": "# Memory\n\nThe port is 80.\n",
}
ON_DISK = "on disk, probably Planner (owner)"


@pytest.fixture
def edited(workspace_root: Path) -> Workspace:
    """Return a workspace whose MEMORY.md was changed with a text editor."""
    workspace = imported(workspace_root, FILES)
    write(workspace_root, {"MEMORY.md": "# Memory\n\nThe port is 81.\n"})
    sync_workspace(workspace)
    workspace.refresh_from_db()
    return workspace


@pytest.mark.parametrize(
    "page",
    [
        "",
        "review/",
        "timeline/",
        "files/MEMORY.md",
        "files/MEMORY.md?view=blame",
        "files/MEMORY.md?view=history",
    ],
)
def test_pages_say_of_an_edit_on_disk_whose_file_it_is(
    client: Client, edited: Workspace, page: str
) -> None:
    assert ON_DISK in unescape(client.get(f"/w/acme/{page}").content.decode())


def test_programs_are_told_the_same(
    edited: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    program = own_program()
    call_command("reviews", "acme")
    told = capsys.readouterr().out
    call_command("reviews", "acme", "--json")
    (card,) = program.get("/api/v1/workspaces/acme/reviews").json()["data"]
    events = program.get("/api/v1/workspaces/acme/events").json()["data"]

    assert f"MEMORY.md: changed, {ON_DISK}," in told
    assert json.loads(capsys.readouterr().out) == card
    assert (card["agent"], card["changed_by"]) == ("", ON_DISK)
    assert {e["changed_by"] for e in events if e["kind"] == "file"} == {ON_DISK}


def test_a_change_on_disk_of_an_entry_or_a_box_is_not_told_as_its_agents(
    workspace_root: Path, client: Client
) -> None:
    log = "memory/2026-11-20.md"
    written = "# 2026-11-20\n\n## 09:00 Launch\n- launched\n- [ ] Order tea\n"
    workspace = imported(workspace_root, {**FILES, log: written})
    write(workspace_root, {log: written.replace("[ ]", "[x]") + "- and landed\n"})
    sync_workspace(workspace)

    events = own_program().get("/api/v1/workspaces/acme/events").json()["data"]
    who = {(e["verb"], e["changed_by"]) for e in events if e["kind"] == "note"}

    assert who == {
        ("added", "Planner"), ("changed", ON_DISK), ("ticked", ON_DISK),
    }  # fmt: skip
    assert ON_DISK in client.get("/w/acme/timeline/").content.decode()


def test_an_edit_on_disk_and_an_import_make_nobody_work(
    edited: Workspace, workspace_root: Path
) -> None:
    write(workspace_root, {"MEMORY.md": "- [ ] Move the port.\n- Decision: use 82\n"})
    write(workspace_root, {"memory/notes.md": "# Old\n\n- [ ] Look for it.\n"})
    sync_workspace(edited)
    edited.refresh_from_db()

    (planner,) = agents_now(edited, timezone.now())

    assert (planner.state.kind, planner.last_at) == ("idle", None)


def test_what_an_agent_does_by_a_tool_is_its_own(edited: Workspace) -> None:
    request = AppendRequest(content="- [ ] Look at the port.")
    call(tool_named("memory_append"), Caller(edited, "Planner", key="k"), request)
    edited.refresh_from_db()

    (planner,) = agents_now(edited, timezone.now())

    assert planner.state.kind == "working"


def test_an_owner_hears_of_a_revert_of_its_file(edited: Workspace) -> None:
    revert(ReviewCard.objects.get(), Decision("dana", "80 is right"))

    (line,) = reverted_lines(edited, "planner", timezone.now(), private=True)

    assert "MEMORY.md, reverted by dana" in line
    assert not reverted_lines(edited, "scout", timezone.now(), private=True)
