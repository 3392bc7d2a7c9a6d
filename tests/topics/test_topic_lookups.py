"""A topic by slug, code or name means the same to every tool, list and page."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from tests.factories import NOON, imported, snapshot_text, write
from tests.signing import own_program
from tests.tools.asking import asked
from topics.models import Topic

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]


def files_of(name: str) -> dict[str, str]:
    """Return a topic with a decision and a snapshot."""
    topic = (
        f"# {name}\n\n## Current Status\nOf {name}.\n\n## Key Decisions\n"
        f"- 2026-11-19: Choose {name} (x)\n"
    )
    log = "# 2026-11-20\n" + snapshot_text(1).replace("topic: api", f"topic: {name}")
    return {f"memory/context-{name}.md": topic, "memory/2026-11-20.md": log}


@pytest.fixture
def workspace(workspace_root: Path) -> Workspace:
    others = {
        f"memory/context-{name}.md": f"# {name}\n\n## Current Status\nNo.\n"
        for name in ("belt-run", "Belt.Run")
    }
    return imported(workspace_root, {**others, **files_of("belt run")})


@pytest.mark.parametrize("by", ["name", "slug", "code"])
def test_every_door_finds_a_topic_by(
    client: Client, workspace: Workspace, by: str
) -> None:
    topic = str(getattr(Topic.objects.get(name="belt run"), by))
    caller, program = Caller(workspace, "s", "s", clock=lambda: NOON), own_program()
    base = "/api/v1/workspaces/acme"

    def rest(path: str) -> str:
        return program.get(f"{base}/{path}", {"topic": topic}).content.decode()

    assert asked(caller, "recall", topic=topic).topic == "belt run"
    assert asked(caller, "decisions", topic=topic).total == 2
    assert asked(caller, "snapshot_recall", topic=topic).found
    wanted = {"kind": "topic", "name": topic, "to": "session_compact"}
    assert "Choose belt run" in asked(caller, "translate", **wanted).text
    assert "Choose belt run" in rest("decisions")
    assert "Deliver" in rest("snapshots") and "Choose belt run" in rest("events")
    data = program.get(f"{base}/topics/{topic}").json()["data"]
    assert data["name"] == "belt run"
    page = client.get("/w/acme/decisions/", {"topic": topic}).content.decode()
    assert "Choose belt run" in page and "This page has no" not in page
    assert client.get(f"/w/acme/topics/{topic}/").status_code == 200


def test_the_newest_topic_of_a_first_import_is_the_one_changed_last(
    workspace_root: Path,
) -> None:
    files = {
        f"memory/context-{name}.md": f"# {name}\n\n## Current Status\nOf {name}.\n"
        for name in ("anchor", "bell", "chain")
    }
    write(workspace_root, files)
    for day, path in zip((3, 9, 1), files, strict=True):
        at = NOON.timestamp() - 86_400 * (10 - day)
        os.utime(workspace_root / path, (at, at))
    workspace = imported(workspace_root, {"MEMORY.md": "# Memory\n"})

    found = asked(Caller(workspace, "s", "s", clock=lambda: NOON), "recall")

    assert (found.topic, found.chosen) == ("bell", "newest")
