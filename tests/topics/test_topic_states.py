"""The list of topics by state; open topics that were silent too long are quiet."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.events.models import Event
from memoryhub.journal.models import Workspace
from tests.factories import TOPIC, imported
from topics.models import Topic

URL = "/w/acme/topics/"
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    done = TOPIC.replace("Endpoints live.", "Done.")
    files = {"memory/context-api.md": TOPIC, "memory/context-ui.md": done}
    workspace = imported(workspace_root, files)
    at = NOON - timedelta(hours=5)
    Event.objects.update(occurred_at=at, recorded_at=NOON, precision="second")
    Workspace.objects.update(checked_at=NOON)
    return workspace


def listed(client: Client, query: str = "") -> str:
    return client.get(URL + query).content.decode().split("<main")[1].split("</main")[0]


def test_an_open_topic_that_is_silent_too_long_is_quiet(
    client: Client, workspace: Workspace
) -> None:
    page = listed(client)

    assert "Quiet 5 h" in page and page.count("Quiet 5 h") == 1
    assert "Done</span>" in page


def test_usual_gaps_make_silence_usual(client: Client, workspace: Workspace) -> None:
    events = list(Event.objects.filter(topic=Topic.objects.get(name="api")))
    for number, event in enumerate(events):
        event.occurred_at = NOON - timedelta(hours=5 + 3 * number)
        event.save()

    assert len(events) > 2
    assert "Quiet" not in listed(client)


def test_silence_is_measured_until_the_hub_last_looked(
    client: Client, workspace: Workspace
) -> None:
    Workspace.objects.update(checked_at=NOON - timedelta(hours=4))

    assert "Quiet" not in listed(client)


def test_states_are_links_that_narrow_the_list(
    client: Client, workspace: Workspace
) -> None:
    page = listed(client, "?state=quiet")

    assert "<b>api</b>" in page and "<b>ui</b>" not in page
    assert 'href="/w/acme/topics/" aria-current="true">Quiet' in page
    assert re.search(r'href="[^"]*(sort=name&amp;state|state=quiet&amp;sort)=', page)
    assert "This page has no" in listed(client, "?state=x")


def test_it_is_sorted_by_links(client: Client, workspace: Workspace) -> None:
    page = listed(client, "?sort=name")

    assert 'aria-sort="ascending"' in page
    assert page.index(">api<") < page.index(">ui<")
