"""Zones of times: in brackets behind them, else the machine's."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memoryhub.formats.text.dates import leading_time, title_without_time
from memoryhub.journal.models import Workspace
from snapshots.models import LogEntry
from tests.browser.hub import empty_hub, manage
from tests.factories import imported

pytestmark = pytest.mark.django_db

FILES = {
    "memory/2026-04-11-session-start.md": "# Session: 2026-04-11 19:53:00 UTC\n\n"
    "- **Session Key**: agent:main:main\n\n## Conversation Summary\n\n"
    "user: start the tide table\nassistant: started\n",
    "memory/2026-04-12.md": "# 2026-04-12\n\n- 03:53 (UTC+8) began the tide table\n"
    "- 09:00 noon check\n",
}


@pytest.fixture
def workspace(workspace_root: Path, hub_data: Path) -> Workspace:
    return imported(workspace_root, FILES)


def test_one_minute_told_in_two_zones_is_one_minute(workspace: Workspace) -> None:
    entries = LogEntry.objects.filter(title__contains="tide table")
    assert {f"{entry.occurred_at:%F %R}" for entry in entries} == {"2026-04-11 19:53"}


@pytest.mark.parametrize("zone", ["(UTC+8)", "（GMT+8）", "(HKT)", "UTC+8"])
def test_a_zone_in_brackets_is_of_the_time_before_it(zone: str) -> None:
    line = f"03:53 {zone} began"
    assert leading_time(line) == (3, 53, zone.strip("()（）"))
    assert title_without_time(line) == "began"


@pytest.mark.parametrize("line", ["03:53 (UTC", "03:53 (in UTC)", "03:53 (Z3)"])
def test_other_brackets_are_no_zone(line: str) -> None:
    found = leading_time(line)
    assert found is None or found.zone == ""


@pytest.mark.parametrize(
    ("machine", "zone"),
    [
        ("Europe/Lisbon", "Europe/Lisbon"),
        (":Asia/Tokyo", "Asia/Tokyo"),
        ("/usr/share/zoneinfo/America/Lima", "America/Lima"),
        ("../../etc", "UTC"),
    ],
)
def test_a_new_workspace_has_the_zone_of_the_machine(
    tmp_path: Path, machine: str, zone: str
) -> None:
    (tmp_path / "notes").mkdir()
    empty_hub(tmp_path)
    manage(tmp_path, "add", str(tmp_path / "notes"), TZ=machine)
    asked = "SELECT time_zone FROM workspaces_workspace"
    with closing(sqlite3.connect(tmp_path / "data/memoryhub.sqlite3")) as hub:
        assert hub.execute(asked).fetchone() == (zone,)
