"""Days of files: in their names, in their text, else that of the file on disk."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from django.test import Client

from snapshots.models import LogEntry
from tests.layouts.test_first_minute import main_of
from tests.layouts.test_hosts_of_today import imported
from tests.writing import assert_a_rebuild_changes_nothing, say, write_files
from topics.models import Decision, Topic

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]


def test_a_report_with_its_day_in_the_name_is_on_that_day_and_no_topic(
    client: Client, tmp_path: Path
) -> None:
    report = "# Anzeigen\n\nDrei Anzeigen laufen ins Leere.\n"
    imported(tmp_path / "shop", {"memory/anzeigen-2026-05-15.md": report})

    day = main_of(client, "days/2026-05-15/")

    assert not Topic.objects.exists()
    assert "Anzeigen" in day and "Drei Anzeigen laufen ins Leere." in day
    assert "Drei Anzeigen" in main_of(client, "timeline/")


def test_a_note_that_came_to_have_a_day_is_no_topic_any_more(tmp_path: Path) -> None:
    report = "# Anzeigen\n\nDrei Anzeigen laufen ins Leere.\n"
    workspace = imported(tmp_path / "shop", {"memory/anzeigen.md": report})
    old, new = "memory/anzeigen.md", "memory/anzeigen-2026-05-15.md"

    say(workspace, {old: None, new: report})

    assert [topic.last_seq is None for topic in Topic.objects.all()] == [False]
    assert LogEntry.objects.filter(last_seq=None).count() == 1
    assert_a_rebuild_changes_nothing(workspace)


def test_what_is_found_without_a_time_has_that_of_its_file(
    client: Client, tmp_path: Path
) -> None:
    root = tmp_path / "notes"
    write_files(root, {"kiln.md": "# Kiln\n\n- [ ] buy **cones**\n"})
    os.utime(root / "kiln.md", (1_762_000_000, 1_762_000_000))
    imported(root, {})

    assert "1 Nov" in main_of(client, "search/?q=cones&stay=1")
    assert "1 Nov" in main_of(client, "search/?q=Kiln&stay=1")


def test_a_bank_has_its_decisions_and_the_day_of_its_last_change(
    client: Client, tmp_path: Path
) -> None:
    root = tmp_path / "horario/memory-bank"
    log = "# Decision Log\n\n## 2026-11-24\n\n**Decision:** Two steps.\n"
    focus = "# Active Context\n\n## Current Focus\nCambios.\n"
    write_files(root, {"activeContext.md": focus, "decisionLog.md": log})
    os.utime(root / "activeContext.md", (1_762_000_000, 1_762_000_000))
    workspace = imported(root, {})

    topics = main_of(client, "topics/")

    assert Decision.objects.get().topic == Topic.objects.get()
    assert "1 Nov" in topics and re.search(r">\s*1\s*<", topics)
    assert_a_rebuild_changes_nothing(workspace)


@pytest.mark.parametrize("name", ["kassensturz-2026-05-15", "2026-05-15-kassensturz"])
def test_a_report_outside_of_memory_folders_is_on_its_day(
    client: Client, tmp_path: Path, name: str
) -> None:
    report = "# Kassensturz\n\nEs fehlen elf Euro.\n"
    workspace = imported(tmp_path / "shop", {f"notes/{name}.md": report})

    assert "Es fehlen elf Euro." in main_of(client, "days/2026-05-15/")
    assert "Es fehlen elf Euro." in main_of(client, "")
    assert_a_rebuild_changes_nothing(workspace)


def test_a_note_of_a_first_import_has_the_day_that_it_states(
    client: Client, tmp_path: Path
) -> None:
    kiln = "---\nmodified: 2026-08-12T14:00Z\n---\n# Ofen\n\nEin Ofen ist bestellt.\n"
    workspace = imported(tmp_path / "shop", {"ofen.md": kiln})
    assert "12 Aug" in main_of(client, "")

    say(workspace, {"ofen.md": f"{kiln}Er kommt im Mai.\n"})

    assert "12 Aug" not in main_of(client, "")


def test_workspaces_inside_are_named_apart(client: Client, tmp_path: Path) -> None:
    files = {f"workspace-{name}/MEMORY.md": "- a\n" for name in ("nina", "olga")}
    imported(tmp_path / "crew", {"MEMORY.md": "- b\n", **files})

    assert re.search(r"workspace-nina</span>, <span", main_of(client, ""))
