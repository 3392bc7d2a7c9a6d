from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryhub.sync.engine import sync_workspace
from tests.clock import TODAY
from tests.factories import TOPIC, imported, small, write
from topics.models import Topic
from topics.queries.topics import topic_state

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

URL = "/w/acme/topics/"


def page(client: Client, url: str = URL) -> str:
    response = client.get(url)
    assert response.status_code == 200
    return response.content.decode().replace("&amp;", "&")


def named(number: int) -> dict[str, str]:
    return {
        f"memory/context-t{n}.md": TOPIC.replace("Context: api", f"Context: t{n}")
        for n in range(number)
    }


def test_it_lists_state_status_and_counts(client: Client, workspace_root: Path) -> None:
    with time_machine.travel(TODAY):  # later it is quiet
        small(workspace_root)
        html = page(client)

    assert 'href="/w/acme/topics/api/"' in html
    assert "In progress" in html and "Endpoints live." in html
    assert "builder" in html and "2026-11-20-02" in html


def test_a_status_is_shown_without_marks(client: Client, workspace_root: Path) -> None:
    text = "# Context: api\n\n## Current Status\n*Last updated: 2026-05-21* on `main`\n"
    imported(workspace_root, {"memory/context-api.md": text})

    assert "Last updated: 2026-05-21 on main" in page(client)


def test_it_sorts_without_scripts(client: Client, workspace_root: Path) -> None:
    imported(workspace_root, named(3))

    up, down = page(client, URL + "?sort=name"), page(client, URL + "?sort=-name")

    assert 'aria-sort="ascending"' in up and 'aria-sort="descending"' in down
    assert up.index("<b>t0<") < up.index("<b>t2<")
    assert down.index("<b>t2<") < down.index("<b>t0<")


def test_it_filters(client: Client, workspace_root: Path) -> None:
    imported(workspace_root, named(3))

    html = page(client, URL + "?q=T1")

    assert "<b>t1<" in html and "<b>t2<" not in html
    assert "No such topic" in page(client, URL + "?q=zzz")


@pytest.mark.parametrize("query", ["sort=zzz", "page=99", "page=x", "q=%00"])
def test_nonsense_in_the_address_is_harmless(
    client: Client, workspace_root: Path, query: str
) -> None:
    imported(workspace_root, named(1))

    page(client, f"{URL}?{query}")


def test_it_takes_as_many_queries_for_20_topics_as_for_10(
    client: Client, workspace_root: Path
) -> None:
    workspace = imported(workspace_root, named(10))
    few = queries(client)
    write(workspace_root, named(20))
    sync_workspace(workspace)

    assert queries(client) == few


def queries(client: Client) -> int:
    page(client)
    with CaptureQueriesContext(connection) as captured:
        page(client)
    return len(captured)


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("Done. All of it.", "done"),
        ("**Blocked** by the release", "blocked"),
        ("已完成", "done"),
        ("Doner kebab", "open"),
        ("", "open"),
    ],
)
def test_a_status_says_its_state_first(status: str, state: str) -> None:
    assert topic_state(Topic(kind="context", status=status), None) == state


@pytest.mark.parametrize(
    ("zone", "day"), [("America/Los_Angeles", "19 Nov"), ("Asia/Tokyo", "20 Nov")]
)
def test_a_topic_without_a_day_has_that_of_its_file_in_the_workspaces_zone(
    client: Client, workspace_root: Path, zone: str, day: str
) -> None:
    topic = "# tide\n\n## Current Status\nImports old tables.\n"
    files = {"USER.md": f"Timezone: {zone}\n", "memory/context-tide.md": topic}
    write(workspace_root, files)
    at = datetime(2026, 11, 20, 3, tzinfo=UTC).timestamp()
    os.utime(workspace_root / "memory/context-tide.md", (at, at))
    imported(workspace_root, {"USER.md": files["USER.md"]})

    assert f">{day}<" in page(client).replace("\n", "").replace(" <", "<")
