"""Pages of rows that nobody owns say so, and lead to the form that says whose."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from django.test import Client

from snapshots.models import LogEntry, SessionMemory, Snapshot
from tests.factories import TOPIC, imported, snapshot_text
from topics.models import Topic

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

DAY = "/w/acme/days/2026-11-20/"
LOG = "memory/2026-11-20.md"
_ASSIGN = re.compile(r'href="(/w/acme/assign/[^"]+)"')
NOBODYS = re.sub(
    r"<!-- (agent|topic): \w+ -->\n", "", "# 2026-11-20\n" + snapshot_text(1)
)
MEMORY = "## Session ID\nWFS-1\n\n## Project Root\n/srv\n\n## Objective\nShip.\n"


def page(client: Client, url: str) -> str:
    response = client.get(url)
    assert response.status_code == 200, url
    return unescape(response.content.decode())


def test_a_snapshot_can_be_assigned_from_its_page(
    client: Client, workspace_root: Path
) -> None:
    imported(workspace_root, {LOG: NOBODYS})
    row = Snapshot.objects.get()
    url = f"/w/acme/snapshots/{row.code}/"

    html = page(client, url)

    assert "agent and topic not recorded" in html
    assert _ASSIGN.findall(html) == [
        f"/w/acme/assign/snapshot/{row.code}/?next=%2Fw%2Facme%2Fsnapshots%2F{row.code}%2F"
    ]


def test_a_session_memory_says_what_is_missing(
    client: Client, workspace_root: Path
) -> None:
    imported(workspace_root, {"memory/sessions/WFS-1.md": MEMORY})
    row = SessionMemory.objects.get()

    html = page(client, f"/w/acme/memories/{row.memory_id or row.code}/")

    assert "agent and topic not recorded" in html
    assert f"/w/acme/assign/memory/{row.code}/?next=" in html


def test_a_log_entry_says_what_is_missing(client: Client, workspace_root: Path) -> None:
    log = "# 2026-11-20\n\n## 07:30 - Started\nLooked.\n"
    imported(workspace_root, {LOG: log})
    row = LogEntry.objects.get()

    html = page(client, DAY)

    assert f"/w/acme/assign/entry/{row.code}/?next=%2Fw%2Facme%2Fdays" in html


def test_once_assigned_the_page_says_so(client: Client, workspace_root: Path) -> None:
    """The form goes on to the page it was opened from."""
    imported(workspace_root, {LOG: NOBODYS, "memory/context-api.md": TOPIC})
    row = Snapshot.objects.get()
    url = f"/w/acme/snapshots/{row.code}/"
    (form_url,) = _ASSIGN.findall(page(client, url))
    html = page(client, form_url)
    fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', html))
    assert fields["next"] == url

    topic = Topic.objects.get()
    answer = client.post(form_url, {**fields, "topic": topic.code})

    assert (answer.status_code, answer["Location"]) == (303, url)
    html = page(client, url)
    assert "topic not recorded" not in html and "agent not recorded" in html


def test_the_form_leads_to_no_other_site(client: Client, workspace_root: Path) -> None:
    imported(workspace_root, {LOG: NOBODYS})
    url = f"/w/acme/assign/snapshot/{Snapshot.objects.get().code}/"

    html = page(client, f"{url}?next=https://evil.example/")

    assert "evil.example" not in html.partition("</head>")[2].partition("<form")[2]
