"""What the first import found without a time, in timelines of a topic and an agent."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta
from html import unescape
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.timeline.queries.changed_files import last_changed
from memoryhub.timeline.queries.days import day_facts
from tests.factories import imported, write

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

HARBOUR = """# Context: harbour

## Meta
- **created**: 2026-10-01
- **session**: agent:scout:main

## Key Decisions
- 2026-10-10: Paint the crane yellow (seen in fog)
- Order the rope in Bergen

## History
- 2026-10-02: Crane inspected
- Divers went down
"""
PATHS = ("topics/harbour/", "timeline/?topic=harbour")


@pytest.fixture(autouse=True)
def harbour(workspace_root: Path) -> None:
    imported(workspace_root, {"memory/context-harbour.md": HARBOUR})


def rows(client: Client, address: str) -> list[str]:
    """Return the texts of a timeline's rows."""
    page = client.get(f"/w/acme/{address}").content.decode()
    found = re.findall(r'(?s)<li class="ev .*?</li>', page)
    return [" ".join(re.sub("<[^>]+>", " ", row).split()) for row in found]


@pytest.mark.parametrize("address", PATHS)
def test_it_is_listed_last_below_a_heading_that_says_so(
    client: Client, address: str
) -> None:
    found = rows(client, address)

    assert "Paint the crane yellow" in found[0] and len(found) == 6
    assert "Order the rope" in " ".join(found[2:])
    assert "Divers went down" in " ".join(found[2:])
    assert not any("read " in row for row in found)
    page = client.get(f"/w/acme/{address}").content.decode()
    assert re.search(r'(?s)<h2 id="day-no-time">\s*Time not recorded', page)


@pytest.mark.parametrize("chosen", ["kind=decision", "q=rope", "run=1"])
def test_what_is_asked_for_by_kind_text_or_import_is_listed(
    client: Client, chosen: str
) -> None:
    found = rows(client, f"timeline/?topic=harbour&{chosen}")

    assert any("Order the rope" in row for row in found)


def test_chips_count_it_too(client: Client) -> None:
    page = client.get("/w/acme/topics/harbour/").content.decode()

    chip = re.search(r'(?s)\?kind=decision"[^>]*>.*?</a>', page)
    assert chip and re.findall(r"\d+", re.sub("<[^>]+>", " ", chip[0])[-20:]) == ["2"]


def test_what_a_later_import_finds_in_a_known_file_is_of_the_time_on_disk(
    client: Client, workspace_root: Path
) -> None:
    write(workspace_root, {"memory/context-harbour.md": HARBOUR + "- Lamps came\n"})
    sync_workspace(Workspace.objects.get())

    assert "Lamps came" in rows(client, "topics/harbour/")[0]


@pytest.mark.usefixtures("machine_clock")
def test_only_what_happened_today_is_on_the_day_of_a_sample_just_added(
    client: Client,
) -> None:
    call_command("add", "--sample")
    sample = Workspace.objects.exclude(slug="acme").get()
    sync_workspace(sample)
    today = timezone.localdate(timezone=ZoneInfo(sample.time_zone))

    page = client.get(f"/w/{sample.slug}/days/{today:%Y-%m-%d}/").content.decode()

    paths = set(re.findall(rf'href="/w/{sample.slug}/files/([^"#?]+)', page))
    log = f"memory/{today:%Y-%m-%d}.md"
    assert log in paths and len(paths) < 10
    for path in paths:
        text = (Path(sample.root) / path).read_text("utf-8")
        assert f"{today:%Y-%m-%d}" in path + text
    at = datetime.combine(today, time(), ZoneInfo(sample.time_zone))
    facts = day_facts(sample, at, at + timedelta(days=1))
    assert facts.entries and not facts.directives
    assert {one.entry.precision for one in facts.entries} <= {"minute", "day"}
    overview = client.get(f"/w/{sample.slug}/").content.decode()
    assert "from the file's time" not in unescape(overview)


def test_beside_a_log_a_file_of_the_first_import_has_the_day_in_its_name_or_none(
    client: Client, workspace_root: Path
) -> None:
    workspace = Workspace.objects.get()
    write(workspace_root, {"memory/2026-10-03.md": "# 2026-10-03\n\n## 09:00 Rope\n"})
    sync_workspace(workspace)
    day = timezone.localdate(timezone=ZoneInfo("UTC"))

    page = client.get(f"/w/acme/days/{day}/").content.decode()

    assert "context-harbour.md" not in page.split("<main")[1]
    read = [row for row in last_changed(workspace, 5) if row.verb == "read"]
    assert [(row.at, row.day) for row in read] == [(None, None)]
