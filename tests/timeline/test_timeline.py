from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryhub.events.models import Event
from memoryhub.journal.models import Agent
from memoryhub.timeline.queries.events import Place, decode_place
from tests.factories import NOON, make_events, make_workspace_row, small
from topics.models import Topic

pytestmark = pytest.mark.django_db

URL = "/w/acme/timeline/"
_TITLE = re.compile(r'class="cover" href="[^"]*">(Event \d+)<')
_OLDER = re.compile(r'class="more" href="([^"]+)" hx-get="([^"]+)"')


def titles(html: str) -> list[str]:
    return _TITLE.findall(html)


def page(client: Client, url: str = URL, **headers: str) -> str:
    response = client.get(url, headers=headers)
    assert response.status_code == 200
    return response.content.decode().replace("&amp;", "&")


def older(html: str) -> tuple[str, str]:
    found = _OLDER.search(html)
    assert found
    return found[1], found[2]


def test_it_works(client: Client, hub_data: Path, workspace_root: Path) -> None:
    small(workspace_root)

    html = page(client)

    assert "<h1>Timeline</h1>" in html
    assert "Deliver events, so that nobody has to ask." in html
    assert "Compacted 280 → 45 messages" in html
    assert "84% fewer" in html


def test_it_is_not_found_for_an_unknown_workspace(client: Client) -> None:
    assert client.get("/w/nobody/timeline/").status_code == 404


def test_it_only_allows_get(client: Client) -> None:
    make_workspace_row()

    assert client.post(URL).status_code == 405


def test_it_says_what_to_do_when_there_is_nothing(client: Client) -> None:
    make_workspace_row()

    assert "memoryhub sync" in page(client)


def test_days_are_named_and_times_have_their_offset(client: Client) -> None:
    workspace = make_workspace_row()
    workspace.time_zone = "Asia/Shanghai"
    workspace.save()
    make_events(workspace, 1)
    make_events(workspace, 1, occurred_at=NOON + timedelta(hours=5))

    html = page(client)

    assert 'aria-labelledby="day-2026-11-20"' in html
    assert 'aria-labelledby="day-2026-11-21"' in html
    assert 'datetime="2026-11-21T01:00:00+08:00"' in html


def test_what_agents_write_is_escaped(client: Client) -> None:
    title = "<script>alert(1)</script>"
    make_events(make_workspace_row(), 1, title=title, detail=f"Said: {title}")

    html = page(client)

    assert title not in html
    assert html.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 2


def test_older_events_follow_one_another(client: Client) -> None:
    make_events(make_workspace_row(), 120)
    first = page(client)
    second = page(client, older(first)[0])
    third = page(client, older(second)[0])

    shown = titles(first) + titles(second) + titles(third)

    assert shown == [f"Event {n}" for n in reversed(range(120))]
    assert not _OLDER.search(third)


def test_an_event_between_two_pages_repeats_and_skips_nothing(client: Client) -> None:
    workspace = make_workspace_row()
    make_events(workspace, 80, occurred_at=NOON)
    first = page(client)
    make_events(workspace, 3)

    second = page(client, older(first)[0])

    assert titles(first) + titles(second) == [f"Event {n}" for n in reversed(range(80))]


def test_htmx_gets_the_rows_alone(client: Client) -> None:
    make_events(make_workspace_row(), 60)
    link = older(page(client))[1]

    response = client.get(link, headers={"HX-Request": "true"})
    html = response.content.decode()

    assert "<html" not in html and len(titles(html)) == 10
    assert "HX-Request" in response["Vary"]
    assert 'id="day-2026-11-20"' not in html
    assert 'aria-labelledby="day-2026-11-20"' in html


def test_without_scripts_the_day_is_named_again(client: Client) -> None:
    make_events(make_workspace_row(), 60)

    html = page(client, older(page(client))[0])

    assert 'id="day-2026-11-20"' in html and "continued" in html


def test_after_three_pages_older_events_wait_for_a_click(client: Client) -> None:
    make_events(make_workspace_row(), 300)
    html, automatic = page(client), []
    while _OLDER.search(html):
        automatic.append("revealed once" in html)
        html = page(client, older(html)[1], **{"HX-Request": "true"})

    assert automatic == [True, True, True, False, False]


def test_it_filters_by_kind_and_keeps_that_for_older_events(client: Client) -> None:
    workspace = make_workspace_row()
    make_events(workspace, 60, kind="decision")
    make_events(workspace, 60)

    html = page(client, URL + "?kind=decision")

    assert titles(html)[0] == "Event 59"
    assert older(html)[0].startswith(URL + "?kind=decision&before=")


def test_it_filters_by_agent_and_topic(client: Client) -> None:
    workspace = make_workspace_row()
    agent = Agent.objects.create(id=7, workspace=workspace, name="builder", first_seq=1)
    topic = make_topic(workspace.pk)
    make_events(workspace, 1, agent=agent)
    make_events(workspace, 1, topic=topic)
    make_events(workspace, 1, topic=topic, agent=agent, kind="history")

    assert titles(page(client, URL + "?agent=builder")) == ["Event 2", "Event 0"]
    assert titles(page(client, URL + "?topic=api")) == ["Event 2", "Event 1"]
    assert titles(page(client, URL + "?topic=api&agent=builder")) == ["Event 2"]
    assert titles(page(client, URL + "?topic=api&kind=note")) == ["Event 1"]
    assert titles(page(client, URL + "?agent=nobody")) == []


def make_topic(workspace_id: int) -> Topic:
    return Topic.objects.create(
        id=9,
        workspace_id=workspace_id,
        name="api",
        slug="api",
        kind="context",
        file_id=1,
        first_seq=1,
    )


def test_it_filters_by_text_and_treats_its_signs_as_text(client: Client) -> None:
    workspace = make_workspace_row()
    make_events(workspace, 1, detail="100% done_now")
    make_events(workspace, 1, detail="100 done now")

    assert titles(page(client, URL + "?q=100%25+done_")) == ["Event 0"]
    assert titles(page(client, URL + "?q=event")) == ["Event 1", "Event 0"]


def test_a_search_stops_and_says_how_far_it_went(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryhub.timeline.queries.events.SEARCH_WINDOW", 10)
    workspace = make_workspace_row()
    make_events(workspace, 1, detail="needle")
    make_events(workspace, 15)

    first = page(client, URL + "?q=needle")
    second = page(client, older(first)[0])

    assert titles(first) == [] and "Look further back" in first
    assert "revealed" not in first
    assert titles(second) == ["Event 0"] and "Look further back" not in second


def test_chips_count_kinds_up_to_a_thousand(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryhub.timeline.queries.facets.COUNT_LIMIT", 5)
    workspace = make_workspace_row()
    make_events(workspace, 6)
    make_events(workspace, 2, kind="file")

    html = page(client, URL + "?kind=file")

    assert 'Daily notes <span class="n">5+</span>' in html
    assert re.search(
        r'kind=file" aria-current="true">.*?Files <span class="n">2<', html
    )


@pytest.mark.parametrize(
    "query",
    [
        "?before=nonsense",
        "?before=%F0%9F%8E%89",
        "?before=ZmZmZmZmZmZmZmZmZmZmZmZmZmYuZg",
        "?kind=nonsense&agent=%00&q=%00&auto=-1&topic=%00",
        "?auto=99999999999999999999",
    ],
)
def test_nonsense_in_the_address_is_harmless(client: Client, query: str) -> None:
    make_events(make_workspace_row(), 1)

    assert client.get(URL + query).status_code == 200


def test_it_takes_as_many_queries_for_20_rows_as_for_10(client: Client) -> None:
    workspace = make_workspace_row()
    make_events(workspace, 10)
    page(client)
    few = queries(client)
    make_events(workspace, 10)

    # Nothing is kept of a workspace that has no journal.
    assert queries(client) == few


def queries(client: Client) -> int:
    with CaptureQueriesContext(connection) as captured:
        page(client)
    return len(captured)


def test_its_query_walks_an_index(client: Client) -> None:
    make_events(make_workspace_row(), 60)
    with CaptureQueriesContext(connection) as captured:
        page(client, older(page(client))[0])
    sent, own = [
        q["sql"] for q in captured if "LIMIT 51" in q["sql"] and "<" in q["sql"]
    ]
    for events, index in ((own, "event_time"), (sent, "event_origin")):
        with connection.cursor() as cursor:
            cursor.execute("EXPLAIN QUERY PLAN " + events)
            plan = " ".join(str(row[-1]) for row in cursor.fetchall())
        assert index in plan and "TEMP B-TREE" not in plan, plan


def test_a_place_comes_back_from_its_address() -> None:
    place = Place(NOON + timedelta(microseconds=7), 12 << 20 | 3)

    assert decode_place(place.encode()) == place
    with pytest.raises(ValueError):
        decode_place("")


def test_events_at_either_end_of_time_are_shown(client: Client) -> None:
    workspace = make_workspace_row()
    workspace.time_zone = "Pacific/Kiritimati"
    workspace.save()
    make_events(workspace, 1, occurred_at=NOON.replace(year=9999, month=12, day=31))
    make_events(workspace, 60, occurred_at=NOON.replace(year=1, month=1, day=1))

    assert Event.objects.count() == 61
    assert len(titles(page(client))) == 50
