"""The frame of a page: what is new to the person, in all and by topic."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from memoryhub.journal.models import Workspace
from memoryhub.people.marks import Seen, mark_seen
from memoryhub.people.policy import operator
from memoryhub.sync.engine import sync_workspace
from memoryhub.timeline.queries.facets import news_counts
from memoryhub.timeline.queries.frame import news_by_topic
from memoryhub.web.kit.frame import shell_of
from tests.factories import TOPIC, imported, make_events, make_workspace_row, write

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]
_COUNT = re.compile(r'<span class="n">(\S+)<span class="sr"> new')


@pytest.fixture
def visited(workspace_root: Path) -> Workspace:
    """Return a workspace that was seen before a line of a topic's history came."""
    workspace = imported(workspace_root, {"memory/context-api.md": TOPIC})
    mark_seen(operator(), workspace)
    write(
        workspace_root,
        {
            "memory/context-api.md": TOPIC + "- 2026-11-20: Shipped\n",
            "MEMORY.md": "# Memory\n",
        },
    )
    sync_workspace(workspace)
    workspace.refresh_from_db()
    return workspace


def test_topics_and_the_timeline_say_how_much_is_new(
    client: Client, visited: Workspace
) -> None:
    shell = shell_of(visited)
    (topic,) = shell.topics
    (timeline,) = (item for item in shell.nav if item.key == "timeline")

    assert topic["new"] > 0
    assert int(timeline.new) > topic["new"]
    html = client.get("/w/acme/files/").content.decode()
    assert _COUNT.findall(html)[:2] == [timeline.new, str(topic["new"])]


def test_only_what_waits_is_in_the_accent(client: Client, visited: Workspace) -> None:
    html = client.get("/w/acme/files/").content.decode()

    assert html.count('class="n turn"') <= 2  # in the sidebar and in the menu


def test_what_was_seen_is_not_counted(client: Client, visited: Workspace) -> None:
    mark_seen(operator(), visited)

    assert not _COUNT.search(client.get("/w/acme/files/").content.decode())


def test_at_a_first_visit_nothing_is_counted(
    client: Client, workspace_root: Path
) -> None:
    imported(workspace_root, {"memory/context-api.md": TOPIC})

    assert not _COUNT.search(client.get("/w/acme/files/").content.decode())


def test_counts_stop_at_a_limit(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    workspace = make_workspace_row()
    make_events(workspace, 2_005)

    with django_assert_num_queries(1):
        news = news_by_topic(workspace, 0, None)

    assert sum(news.values()) == 2_000
    assert str(news_counts(workspace, Seen(0, None))[""]) == "1000+"


def test_a_frame_that_is_kept_takes_few_queries(
    visited: Workspace, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    shell_of(visited)

    with django_assert_num_queries(3):
        shell_of(visited)
