"""Comments on pages: at their place, in the list, in Your turn."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from pytest_django import Settings

from memoryhub.comments.models import Comment, Thread
from memoryhub.comments.queries import lines_for_agent
from memoryhub.journal.models import Workspace
from tests.factories import imported
from tests.people.team import browser_of, person
from tests.signing import own_program

PATH = "memory/notes.md"
TEXT = "# Notes\n\nThe relay retries five times.\nThe queue is small.\n"


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    return imported(workspace_root, {PATH: TEXT})


def comment(client: Client, text: str, **fields: str) -> str:
    fields = {"kind": "file", "path": PATH, "line": "3"} | fields
    answer = client.post("/w/acme/comments/new/", {"text": text, **fields})
    assert answer.status_code == 303
    return str(answer["Location"])


def page(client: Client, address: str) -> str:
    answer = client.get(f"/w/acme/{address}")
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_comment_is_shown_at_its_line(client: Client, workspace: Workspace) -> None:
    comment(client, "Why <b>five</b>?")

    html = page(client, f"files/{PATH}?view=raw")

    assert '<a class="tag" href="#c1">1 comment</a>' in html
    assert "Why &lt;b&gt;five&lt;/b&gt;?" in html and 'id="c1"' in html


def test_in_a_team_a_thread_for_anybody_waits_for_everybody(
    workspace: Workspace, settings: Settings
) -> None:
    settings.MEMORYHUB_TEAM = True
    zofia = browser_of(person("zofia", workspace, "editor"))
    person("yusuf", workspace, "viewer")
    comment(zofia, "@you look at this")
    comment(zofia, "@yusuf and this", line="4")

    html = page(zofia, "comments/")

    assert "waiting for everybody" in html and "waiting for yusuf" in html
    assert "operator" not in html


def test_in_a_team_files_and_agents_read_that_any_person_may_answer(
    workspace: Workspace, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.MEMORYHUB_TEAM = True
    zofia = browser_of(person("zofia", workspace, "editor"))
    person("yusuf", workspace, "editor")
    comment(zofia, "@operator look at this")
    comment(zofia, "@you or @yusuf, and this", line="4")
    comment(zofia, "@yusuf as well", line="1")

    zofia.post("/w/acme/comments/export/", {"path": PATH})

    written = (Path(workspace.root) / "memory/reviews/memory-notes.md").read_text()
    waits = [line for line in written.splitlines() if "waits for" in line]
    assert waits == [
        "- waits for: yusuf",
        "- waits for: a person",
        "- waits for: a person, yusuf",
    ]
    lines = lines_for_agent(workspace, "builder", lambda path: True)
    assert any("waits for a person, yusuf)" in line for line in lines)
    call_command("tool", "comments", "--workspace=acme")
    listed = capsys.readouterr().out
    assert "waits for a person, yusuf" in listed and "for operator" not in listed


def test_the_list_filters(client: Client, workspace: Workspace) -> None:
    asked = {"path": PATH, "line": 3, "text": "@operator please"}
    own_program(**{"memoryhub-agent": "builder"}).post(
        "/api/v1/workspaces/acme/comments", asked, "application/json"
    )
    comment(client, "Small is fine", line="4")
    client.post("/w/acme/comments/2/reply/", {"resolve": "1"})

    assert "please" in page(client, "comments/?state=mine")
    assert "Small is fine" not in page(client, "comments/")
    assert "Resolved by operator" in page(client, "comments/?state=resolved")
    assert "No comment matches" in page(client, "comments/?q=nothing")
    assert Thread.objects.count() == Comment.objects.count() == 2
