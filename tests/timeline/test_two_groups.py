"""What needs an answer and what looks stuck are two groups, alike on every door."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from memoryhub.sync.engine import sync_workspace
from memoryhub.timeline.queries.turns import turn_counts
from memoryhub.workspaces.services.adding import add_workspace
from memoryhub.workspaces.services.sample import sample_folder
from tests.factories import imported, make_workspace_row
from tests.signing import own_program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

TASK = """# Handoff {id}

<task>
  <from>planner</from>
  <to>builder</to>
  <task_id>{id}</task_id>
  <type>{type}</type>
  <context>Task {id}. Because.</context>
</task>
"""
BLOCKED = "\n## Log\n\n- 2026-11-20T11:00:00Z builder: {verb} -- no access\n"
FILES: dict[str, str | bytes] = {
    "memory/handoffs/1.md": TASK.format(id="1", type="decision"),
    "memory/handoffs/2.md": TASK.format(id="2", type="write")
    + BLOCKED.format(verb="blocked"),
    "memory/handoffs/3.md": TASK.format(id="3", type="write")
    + BLOCKED.format(verb="blocked"),
}


def test_stuck_work_is_in_no_count_of_what_needs_an_answer(
    client: Client, workspace_root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    imported(workspace_root, FILES)
    make_workspace_row("other")

    page = client.get("/w/acme/").content.decode()
    home = client.get("/?all=1").content.decode()
    status = own_program().post(
        "/api/v1/workspaces/acme/tools/workspace_status", {}, "application/json"
    )
    capsys.readouterr()
    call_command("status", "acme", "--json")

    assert "<h1>1 thing needs your answer</h1>" in page
    assert "<title>(1) Overview" in page and 'class="n turn">1<' in page
    answers = page.partition('aria-labelledby="y-h"')[2].partition("</section>")[0]
    stuck = page.partition('aria-labelledby="stuck-h"')[2].partition("</section>")[0]
    assert (answers.count("<li>"), stuck.count("<li>")) == (1, 2)
    assert "Needs your answer" in answers and '<span class="count">1</span>' in answers
    assert "Looks stuck" in stuck and '<span class="count">2</span>' in stuck
    assert client.get("/w/acme/news/").json()["turns"] == "1"
    assert client.get("/news/").json()["turns"] == "1"
    assert "1 needs your answer" in home and "2 look stuck" in home
    (told,) = json.loads(capsys.readouterr().out)["workspaces"]
    for row in (status.json()["data"], told):
        assert (row["needs_answer"], row["looks_stuck"]) == (1, 2)


def test_nobody_in_a_sample_is_silent_on_the_day_it_is_opened() -> None:
    workspace = add_workspace(sample_folder())
    sync_workspace(workspace)
    evening = timezone.localtime().replace(hour=23, minute=59)

    page = Client().get(f"/w/{workspace.slug}/").content.decode()

    assert "does not respond" not in page
    assert turn_counts([workspace], evening)[workspace.pk].answers.number == 1
