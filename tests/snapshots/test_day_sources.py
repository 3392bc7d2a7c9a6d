"""Rows say where their day comes from; a heading's own day moves its entry."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.journal.day_sources import DaySource, day_source
from memoryhub.journal.models import Workspace
from snapshots.models import LogEntry, OpenItem
from snapshots.queries.open_items import open_work
from tests.factories import imported
from topics.models import Decision

pytestmark = pytest.mark.django_db
LOG = "memory/2026-03-04.md"


@pytest.mark.parametrize(
    ("path", "hour", "precision", "source"),
    [
        (LOG, 0, "day", DaySource.NAME),
        (LOG, 9, "minute", DaySource.TEXT),
        ("notes.md", 0, "day", DaySource.TEXT),
        ("notes.md", 9, "none", DaySource.FILE),
        ("memory/2026-03-01.md", 0, "day", DaySource.TEXT),
    ],
)
def test_a_day_is_of_the_text_the_name_or_the_file(
    path: str, hour: int, precision: str, source: DaySource
) -> None:
    assert day_source(path, datetime(2026, 3, 4, hour, tzinfo=UTC), precision) == source


def test_an_entry_is_of_the_day_that_its_heading_states(
    workspace_root: Path, hub_data: Path
) -> None:
    text = (
        "# Log\n\n## 2026-03-02 Review\n\nAll read.\n\n- [ ] mend the gate\n\n"
        "## 2126-05-01 Fair\n\nTo plan.\n\n## Evening\n\nQuiet.\n\n"
        "## 2026-03-05 Archive\n\nMoved.\n\n"
        "## Backup (01:00 GMT+8 / 2026-03-07)\n\nDone.\n"
    )
    imported(workspace_root, {LOG: text})
    days = {
        row.title: (row.occurred_at.date().isoformat(), row.precision)
        for row in LogEntry.objects.all()
    }
    assert days["Review"] == ("2026-03-02", "day")
    assert days["Evening"] == ("2026-03-04", "day")
    assert days["Fair"] == ("2026-03-04", "day")
    assert days["Archive"] == ("2026-03-05", "day")
    assert days["Backup"] == ("2026-03-06", "minute")
    assert OpenItem.objects.get().occurred_at.date().isoformat() == "2026-03-02"


def test_pages_say_that_a_day_is_of_the_name_or_of_the_file(
    client: Client, workspace_root: Path, hub_data: Path
) -> None:
    note = "# Barn\n\n- Decision: We use red paint, not green.\n\n- [ ] buy paint\n"
    imported(
        workspace_root, {LOG: "# Log\n\n- [ ] mend the gate\n", "memory/barn.md": note}
    )
    said = {}
    for work in open_work(Workspace.objects.get()):
        page = client.get(f"/w/acme/open-items/{work.code}/").content.decode()
        said[work.text] = [
            w for w in ("name", "time") if f"from the file&#x27;s {w}" in page
        ]
    assert said == {"mend the gate": ["name"], "buy paint": ["time"]}
    decision = Decision.objects.get(text__contains="red")
    page = client.get(f"/w/acme/decisions/{decision.code}/").content.decode()
    assert "from the file&#x27;s time" in page
