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
def test_one_row_of_the_import_stands_for_it(client: Client, address: str) -> None:
    found = rows(client, address)

    assert "First import: 3 entries without a time" in found[0]
    assert [row for row in found if "read " in row] == []
    assert len(found) == 4 and "Paint the crane yellow" in found[1]


@pytest.mark.parametrize("chosen", ["kind=decision", "q=rope", "run=1"])
def test_what_is_asked_for_by_kind_text_or_import_is_listed(
    client: Client, chosen: str
) -> None:
    found = rows(client, f"timeline/?topic=harbour&{chosen}")

    assert any("Order the rope" in row for row in found)
    assert not any("without a time" in row for row in found)


def test_the_row_leads_to_what_it_stands_for(client: Client) -> None:
    page = client.get("/w/acme/topics/harbour/").content.decode()

    link = re.search(r'href="(/w/acme/timeline/\?[^"]*run=1[^"]*)"', page)
    assert link
    (shown, *more) = rows(
        client, link[1].replace("&amp;", "&").removeprefix("/w/acme/")
    )
    listed = " ".join([shown, *more])
    assert "Order the rope" in listed and "Divers went down" in listed


def test_chips_count_what_the_row_stands_for(client: Client) -> None:
    page = client.get("/w/acme/topics/harbour/").content.decode()

    chip = re.search(r'(?s)\?kind=decision"[^>]*>.*?</a>', page)
    assert chip and re.findall(r"\d+", re.sub("<[^>]+>", " ", chip[0])[-20:]) == ["2"]


def test_later_imports_and_other_topics_are_as_before(
    client: Client, workspace_root: Path
) -> None:
    write(workspace_root, {"memory/context-harbour.md": HARBOUR + "- Lamps came\n"})
    write(workspace_root, {"memory/context-mill.md": "# Context: mill\n"})
    sync_workspace(Workspace.objects.get())

    assert any("Lamps came" in row for row in rows(client, "topics/harbour/"))
    assert not any("First import" in row for row in rows(client, "topics/mill/"))


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
