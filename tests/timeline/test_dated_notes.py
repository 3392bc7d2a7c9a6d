"""A note whose front matter states its day, on that day's page and in the timeline."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.sync.engine import sync_workspace
from snapshots.models import LogEntry
from tests.factories import imported, write
from topics.models import Topic

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

TIDES = """---
title: Tide tables
date: 2026-05-02
tags: [gate, pilots]
---

# Tide tables

The gate closes two hours before low water.
"""
LAMPS = "---\ndate: '2026-06-11'\n---\nLamps of pier 2 are new each spring.\n"


def page(client: Client, address: str) -> str:
    answer = client.get(f"/w/acme/{address}")
    assert answer.status_code == 200
    return answer.content.decode().partition("<main")[2]


@pytest.mark.parametrize("path", ["memory/tides.md", "notes/tides.md", "water/t.md"])
def test_it_is_listed_on_its_day(
    client: Client, workspace_root: Path, path: str
) -> None:
    imported(workspace_root, {path: TIDES, "memory/2026-05-01.md": "## 09:00 Rope\n"})

    html = page(client, "days/2026-05-02/")

    assert "1 entry" in html and "two hours before low water" in html
    assert "Tide tables" in html and "[gate, pilots]" not in html
    assert f"{path}:7" in html and html.count("Tide tables") == 1
    assert 'href="/w/acme/days/2026-05-02/"' in page(client, "days/2026-05-01/")


def test_it_is_in_the_timeline_on_that_day(
    client: Client, workspace_root: Path
) -> None:
    imported(workspace_root, {"notes/lamps.md": LAMPS})

    html = page(client, "timeline/?kind=note")

    row = re.search(r'(?s)<li class="ev .*?</li>', html)
    assert row and "Lamps of pier 2" in row[0]
    assert 'datetime="2026-06-11' in row[0] and "read " not in row[0]


def test_a_note_in_a_folder_of_memory_is_a_topic_all_the_same(
    client: Client, workspace_root: Path
) -> None:
    harbour = "# Context: harbour\n\n## Current Status\nThe harbour is open.\n"
    imported(
        workspace_root,
        {
            "memory/tides.md": TIDES + "The harbour asked for it.\n",
            "memory/context-harbour.md": harbour,
        },
    )

    assert "The gate closes" in page(client, "topics/tides/")
    assert 'href="/w/acme/topics/tides/"' in page(client, "days/2026-05-02/")
    assert LogEntry.objects.get().topic == Topic.objects.get(name="tides")


def test_another_date_moves_it(client: Client, workspace_root: Path) -> None:
    workspace = imported(workspace_root, {"memory/tides.md": TIDES})
    moved = TIDES.replace("2026-05-02", "2026-05-09").replace("two hours", "an hour")
    write(workspace_root, {"memory/tides.md": moved})
    sync_workspace(workspace)

    assert "an hour before" in page(client, "days/2026-05-09/")
    assert "low water" not in page(client, "days/2026-05-02/")


@pytest.mark.parametrize("date", ["soon", "2026-13-40", "", "[2026-05-02", "{{date}}"])
def test_what_is_no_day_makes_no_entry(
    client: Client, workspace_root: Path, date: str
) -> None:
    imported(workspace_root, {"notes/n.md": f"---\ndate: {date}\n---\nA text.\n"})

    assert "1 entry" not in page(client, "days/2026-05-02/")


def test_front_matter_alone_is_no_entry(client: Client, workspace_root: Path) -> None:
    imported(workspace_root, {"notes/n.md": "---\ndate: 2026-05-02\n---\n\n"})

    assert "No entry of this day" in page(client, "days/2026-05-02/")


def test_a_note_that_was_created_or_changed_on_a_day_is_no_entry_of_it(
    client: Client, workspace_root: Path
) -> None:
    note = "---\ncreated: 2026-05-02\nupdated: 2026-05-03\n---\nThe gate is old.\n"
    imported(workspace_root, {"notes/n.md": note})

    for day in ("2026-05-02", "2026-05-03"):
        assert "1 entry" not in page(client, f"days/{day}/")


def test_an_old_note_does_not_hide_newer_logs_and_notes_of_the_overview(
    client: Client, workspace_root: Path
) -> None:
    log = "## 09:00 Rope\n\nThe rope is cut.\n"
    workspace = imported(workspace_root, {"memory/tides.md": TIDES})
    write(workspace_root, {"memory/rope.md": "# Rope\n\nThe rope came today.\n"})
    sync_workspace(workspace)
    assert "The rope came today" in page(client, "")

    write(workspace_root, {"memory/2026-05-01.md": log})
    sync_workspace(workspace)
    assert "The rope is cut" in page(client, "")
