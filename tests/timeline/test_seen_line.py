"""The line between new and seen, diamonds, and what came since the last visit."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memoryhub.events.models import Event
from memoryhub.journal.models import Workspace
from memoryhub.people.marks import mark_seen, newest_position, visit
from memoryhub.people.models import SeenMark
from memoryhub.people.policy import operator
from tests.factories import NOON, make_events, make_workspace_row

pytestmark = pytest.mark.django_db

URL = "/w/acme/timeline/"
_SEEN = '<li class="seen">'
_OLDER = re.compile(r'class="more" href="([^"]+)"')
_TITLE = re.compile(r'class="cover" href="[^"]*">(Event \d+)<')


def page(client: Client, url: str = URL) -> str:
    return client.get(url).content.decode().replace("&amp;", "&")


def seen_workspace(older: int, newer: int) -> Workspace:
    """Return a workspace of which the operator has seen only the older events."""
    workspace = make_workspace_row()
    make_events(workspace, older)
    see_all(workspace)
    make_events(workspace, newer)
    return workspace


def see_all(workspace: Workspace) -> None:
    last = Event.objects.order_by("-position").values_list("position", flat=True)[0]
    mark_seen(operator(), workspace)
    SeenMark.objects.update(seen_position=last, viewed_position=last)


def test_t4_one_line_stands_directly_after_the_last_new_row(client: Client) -> None:
    seen_workspace(older=5, newer=3)

    html = page(client)

    before, line, after = html.partition(_SEEN)
    assert line and _SEEN not in after
    assert _TITLE.findall(before) == ["Event 7", "Event 6", "Event 5"]
    assert html.count('class="new"') == 3
    assert "Seen until" in after


@pytest.mark.parametrize(("older", "newer"), [(5, 0), (0, 5)])
def test_t4_no_line_when_all_is_seen_or_new(
    client: Client, older: int, newer: int
) -> None:
    workspace = make_workspace_row()
    make_events(workspace, older + newer)
    see_all(workspace)
    if newer:
        SeenMark.objects.update(seen_position=0)

    assert _SEEN not in page(client)


def test_t4_no_line_where_an_older_event_is_new_too(client: Client) -> None:
    workspace = seen_workspace(older=60, newer=3)
    make_events(workspace, 1, occurred_at=NOON - timedelta(days=400))

    html = page(client)

    assert _SEEN not in html and html.count('class="new"') == 3


@pytest.mark.parametrize("newer", [49, 50, 51, 100, 130])
def test_t4_the_line_is_on_exactly_one_page(client: Client, newer: int) -> None:
    seen_workspace(older=70, newer=newer)
    pages = [page(client)]
    while link := _OLDER.search(pages[-1]):
        pages.append(page(client, link[1]))

    lines = [html.count(_SEEN) for html in pages]

    assert sum(lines) == 1 and lines.index(1) == (newer - 1) // 50
    last_new = pages[lines.index(1)].partition(_SEEN)[0]
    assert _TITLE.findall(last_new)[-1] == "Event 70"


def test_the_line_is_there_with_a_filter_too(client: Client) -> None:
    workspace = seen_workspace(older=5, newer=2)
    make_events(workspace, 2, kind="file")

    before, line, _ = page(client, URL + "?kind=note").partition(_SEEN)

    assert line and len(_TITLE.findall(before)) == 2


def test_at_the_first_visit_nothing_is_called_new(client: Client) -> None:
    make_events(make_workspace_row(), 3)

    html = page(client)

    assert 'class="new"' not in html and _SEEN not in html


def test_since_last_has_only_news_by_when_the_hub_learned_of_them(
    client: Client,
) -> None:
    workspace = seen_workspace(older=5, newer=2)
    make_events(workspace, 1, occurred_at=NOON - timedelta(days=400))

    html = page(client, URL + "?since=last")

    assert _TITLE.findall(html) == ["Event 7", "Event 6", "Event 5"]
    assert 'All <span class="n">3<' in html
    assert _SEEN not in html


def test_a3_since_last_counts_what_it_shows_for_each_kind(client: Client) -> None:
    workspace = seen_workspace(older=5, newer=2)
    make_events(workspace, 3, kind="decision")

    html = page(client, URL + "?since=last&kind=decision")

    assert len(_TITLE.findall(html)) == 3
    assert 'Decisions <span class="n">3<' in html
    assert "since=last" in html.partition('class="chips"')[2].partition("</nav>")[0]


def test_since_last_pages_repeat_and_skip_nothing(client: Client) -> None:
    workspace = make_workspace_row()
    make_events(workspace, 1)
    see_all(workspace)
    make_events(workspace, 70)

    first = page(client, URL + "?since=last")
    found = _OLDER.search(first)
    assert found
    second = page(client, found[1])

    shown = _TITLE.findall(first) + _TITLE.findall(second)
    assert shown == [f"Event {n}" for n in range(70, 0, -1)]


def test_what_is_shown_can_be_marked_as_seen(client: Client) -> None:
    workspace = seen_workspace(older=2, newer=2)
    Workspace.objects.update(projected_seq=9, last_seq=9)
    workspace.refresh_from_db()

    html = page(client)
    assert 'data-key="m"' in html
    upto = newest_position(workspace)
    response = client.post("/w/acme/seen/", {"next": URL, "upto": upto})

    assert response.status_code == 303 and response["Location"] == URL
    assert 'class="new"' not in page(client)


@pytest.mark.parametrize("newer", [3, 60])
def test_a_warm_page_takes_eight_queries_wherever_the_line_is(
    client: Client, newer: int
) -> None:
    seen_workspace(older=60, newer=newer)
    Workspace.objects.update(projected_seq=9, last_seq=9)
    page(client)
    with CaptureQueriesContext(connection) as captured:
        page(client)

    assert len(captured) <= 8


def test_a_long_visit_goes_on_showing_its_news(client: Client) -> None:
    workspace = seen_workspace(older=3, newer=2)
    visit(operator(), workspace, now=timezone.now() + timedelta(minutes=20))

    assert page(client).count('class="new"') == 2
