"""Memories longer than their host reads are named as cut off."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from tests.layouts.test_first_minute import main_of
from tests.layouts.test_hosts_of_today import imported

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]


def test_of_several_agents_the_memory_that_is_cut_is_shown(
    client: Client, tmp_path: Path
) -> None:
    flakes = "".join(f"- flake {number} of the tide test\n" for number in range(230))
    files = {"auditor/MEMORY.md": "- a\n", "tester/MEMORY.md": flakes}
    imported(tmp_path / ".claude/agent-memory", files)

    assert "30 lines of tester/MEMORY.md are cut off" in main_of(client, "")
    assert "tester/MEMORY.md" in main_of(client, "health/")


def test_an_overview_never_calls_a_cut_memory_quiet(
    client: Client, tmp_path: Path
) -> None:
    root = tmp_path / ".claude/projects/-srv-ferry/memory"
    lines = "".join(f"- pier {number} has a bell\n" for number in range(230))
    imported(root, {"MEMORY.md": lines})

    text = main_of(client, "")

    assert "30 lines of MEMORY.md are cut off" in text
    assert "Nothing waits" not in text
    assert "before any heading" not in main_of(client, "health/")
