"""The list of snapshots: order, filters, ways to it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from tests.factories import TOPIC, imported, small

pytestmark = pytest.mark.django_db

LIST = "/w/acme/snapshots/"


def block(hour: int, agent: str, topic: str) -> str:
    return (
        f"<!-- BIG-MEMORY-SNAPSHOT v1 -->\n<!-- timestamp: 2026-11-20T{hour:02}:00:00"
        f" -->\n<!-- snapshot-id: 2026-11-20-{hour:02} -->\n<!-- agent: {agent} -->\n"
        f"<!-- topic: {topic} -->\n### [SNAPSHOT] Active Goal\nGoal {hour}\n"
        "<!-- /BIG-MEMORY-SNAPSHOT -->\n\n"
    )


def goals(client: Client, query: str = "") -> list[str]:
    response = client.get(LIST + query)
    assert response.status_code == 200
    return re.findall(r'class="t cover"[^>]*>([^<]*)<', response.content.decode())


def test_snapshots_are_listed_newest_first_and_filtered(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    blocks = block(9, "builder", "api"), block(11, "scout", "api")
    text = "# 2026-11-20\n\n" + "".join(blocks) + block(10, "builder", "web")
    topic = {"memory/context-api.md": TOPIC}
    imported(workspace_root, {"memory/2026-11-20.md": text, **topic})

    assert goals(client) == ["Goal 11", "Goal 10", "Goal 9"]
    assert goals(client, "?agent=builder") == ["Goal 10", "Goal 9"]
    assert goals(client, "?topic=api") == ["Goal 11", "Goal 9"]
    assert goals(client, "?agent=nobody&topic=api") == []
    assert goals(client, "?page=2") == []


def test_the_sidebar_leads_to_the_list(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    small(workspace_root)

    assert f'href="{LIST}"' in client.get("/w/acme/").content.decode()


def test_an_empty_list_says_how_snapshots_are_saved(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    imported(workspace_root, {"memory/a.md": "# Notes\n"})

    assert "snapshot_save" in client.get(LIST).content.decode()
