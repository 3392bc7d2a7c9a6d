from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryhub.journal.models import Agent, Workspace
from memoryhub.sync.engine import sync_workspace
from tests.factories import (
    NOON,
    TOPIC,
    imported,
    make_events,
    make_workspace_row,
    small,
)
from topics.models import SessionBinding, Topic

pytestmark = pytest.mark.django_db

URL = "/w/acme/timeline/?group=session"


def page(client: Client, url: str = URL) -> str:
    response = client.get(url)
    assert response.status_code == 200
    return response.content.decode().replace("&amp;", "&")


def bound(workspace: Workspace, number: int) -> None:
    """Bind a session of an agent of its own to a topic of its own."""
    agent = Agent.objects.create(
        id=100 + number, workspace=workspace, name=f"agent{number}", first_seq=1
    )
    topic = Topic.objects.create(
        id=500 + number,
        workspace=workspace,
        name=f"topic{number}",
        slug=f"topic{number}",
        kind="context",
        file_id=1,
        first_seq=1,
    )
    SessionBinding.objects.create(
        id=900 + number,
        workspace=workspace,
        session_key=f"agent:agent{number}:main",
        topic_name=topic.name,
        agent=agent,
        topic=topic,
        first_seq=number,
        recorded_at=NOON,
    )
    make_events(workspace, 3, agent=agent, topic=topic)


def test_t7_sessions_with_count_first_last_and_topic(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    small(workspace_root)

    html = page(client)

    assert "agent:builder:main" in html
    assert 'href="/w/acme/topics/api/"' in html
    assert "timeline/?agent=builder&topic=api" in html
    assert html.count("<time datetime=") >= 2


def test_a_day_has_no_hour(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    imported(workspace_root, {"memory/context-api.md": TOPIC})

    html, handover = page(client), page(client, "/w/acme/handover/")
    assert "12 Nov" in html and "Poll every minute" in handover
    assert "10 Nov" in handover.partition("Poll every minute")[2][:300]
    assert "00:00" not in html + handover


def test_a_time_that_no_file_states_is_not_that_of_an_import(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    topic = TOPIC.replace("2026-11-10: ", "").partition("## History")[0]
    imported(workspace_root, {"memory/context-api.md": topic})
    (workspace_root / "memory/context-api.md").write_text(f"{topic}- Ask the mason\n")
    sync_workspace(Workspace.objects.get())

    html = page(client)
    assert "agent:builder:main" in html and html.count("not recorded") == 2


def test_t7_the_count_leads_to_exactly_that_many_events(client: Client) -> None:
    workspace = make_workspace_row()
    bound(workspace, 1)
    bound(workspace, 2)

    assert '<td class="r num">3</td>' in page(client)
    events = page(client, "/w/acme/timeline/?agent=agent1&topic=topic1")
    assert events.count('class="ev ') == 3


def test_keys_of_the_same_agent_and_topic_are_one_row(client: Client) -> None:
    workspace = make_workspace_row()
    bound(workspace, 1)
    first = SessionBinding.objects.get()
    first.id, first.session_key = 901001, "agent:agent1:telegram:1"
    first.save(force_insert=True)

    html = page(client)

    assert html.count('<td class="r num">') == 1
    assert "agent:agent1:telegram:1" in html and "agent:agent1:main" in html


def test_it_keeps_the_filter_by_agent(client: Client) -> None:
    workspace = make_workspace_row()
    bound(workspace, 1)
    bound(workspace, 2)

    html = page(client, URL + "&agent=agent2")

    assert "agent:agent2:main" in html and "agent:agent1:main" not in html


def test_it_says_so_where_there_are_none(client: Client) -> None:
    make_workspace_row()

    assert "No file binds a session to a topic." in page(client)


def test_it_takes_as_many_queries_for_100_rows_as_for_10(client: Client) -> None:
    workspace = make_workspace_row()
    counts = []
    for start, end in ((0, 10), (10, 100)):
        for number in range(start, end):
            bound(workspace, number)
        with CaptureQueriesContext(connection) as captured:
            html = page(client)
        counts.append(len(captured))

    assert counts[0] == counts[1]
    assert "page=1" in html
