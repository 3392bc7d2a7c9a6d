"""The overview: six questions, each answered by what the files say."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from memoryhub.events.models import Event
from memoryhub.journal.models import Agent, Workspace
from memoryhub.people.models import SeenMark
from memoryhub.sync.engine import sync_workspace
from tests.factories import (
    TOPIC,
    imported,
    make_events,
    make_workspace_row,
    small,
    write,
)

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>"

HANDOFF = """# Handoff {id}

- topic: api

<task>
  <from>{sender}</from>
  <to>builder</to>
  <task_id>{id}</task_id>
  <type>{type}</type>
  <context>Task {id}. Because.</context>
</task>
"""


def text_of(client: Client, address: str = "/w/acme/") -> str:
    page = client.get(address)
    assert page.status_code == 200
    return page.content.decode()


def handoffs(number: int) -> dict[str, str | bytes]:
    return {
        f"memory/handoffs/{n}.md": HANDOFF.format(
            id=f"t{n}", sender=f"agent{n}", type="decision"
        )
        for n in range(number)
    }


def test_it_is_the_first_page_of_a_workspace(
    client: Client, workspace_root: Path, hub_data: Path
) -> None:
    small(workspace_root)

    text = text_of(client)

    assert 'aria-current="page">' in text
    assert "Deliver events, so that nobody has to ask" in text


def test_a_stranger_is_not_found(client: Client) -> None:
    assert client.get("/w/nobody/").status_code == 404


def test_a2_headline_title_badge_and_rows_are_one_number(
    client: Client, workspace_root: Path, hub_data: Path
) -> None:
    imported(workspace_root, {"memory/context-api.md": TOPIC, **handoffs(6)})

    text = text_of(client)

    yours = text.partition('aria-labelledby="y-h"')[2].partition("</section>")[0]
    assert "<h1>6 things need your answer</h1>" in text
    assert "<title>(6) Overview" in text
    assert 'class="n turn">6<' in text
    assert yours.count("<li>") == 6


def test_of_very_much_that_waits_a_link_leads_to_the_rest(
    client: Client, workspace_root: Path, hub_data: Path
) -> None:
    imported(workspace_root, {"memory/context-api.md": TOPIC, **handoffs(62)})

    text, everything = text_of(client), text_of(client, "/w/acme/?turns=all")

    assert (
        "<h1>62 things need your answer</h1>" in text and ">58 more</summary>" in text
    )
    assert '<a class="link" href="?turns=all#y-h">2 more</a>' in text
    assert everything.count(">Sign off<") == 62 == text.count(">Sign off<") + 2
    assert '<details class="more-turns" open>' in everything


def test_more_than_is_looked_at_is_said_to_be_more(
    client: Client, workspace_root: Path, hub_data: Path
) -> None:
    imported(workspace_root, handoffs(120))

    text, news = text_of(client), client.get("/w/acme/news/").json()

    assert "<h1>99+ things need your answer</h1>" in text
    assert "<title>(99+) Overview" in text
    assert 'class="n turn">99+<' in text and '<span class="count">99+</span>' in text
    assert news["turns"] == "99+"


def test_a2_nothing_waiting_has_no_badge(client: Client) -> None:
    make_workspace_row()

    text = text_of(client)

    assert "<h1>Nothing needs your answer</h1>" in text
    assert "<title>Overview" in text
    assert "n turn" not in text


def test_the_badge_is_the_same_on_other_pages(
    client: Client, workspace_root: Path, hub_data: Path
) -> None:
    imported(workspace_root, {"memory/context-api.md": TOPIC, **handoffs(2)})

    assert 'class="n turn">2<' in text_of(client, "/w/acme/files/")


def counts_of(text: str) -> dict[str, int]:
    strip = text.partition('<div class="what">')[2].partition("</div>")[0]
    found = re.findall(r'<a href="([^"]+)">.*?<b>(\d+)</b>', strip)
    return {address.replace("&amp;", "&"): int(n) for address, n in found}


def test_a3_each_count_opens_exactly_that_many_events(
    client: Client, workspace_root: Path, hub_data: Path
) -> None:
    small(workspace_root)
    counts = counts_of(text_of(client))
    assert len(counts) > 2

    for address, number in counts.items():
        page = text_of(client, address)
        assert page.count('<li class="ev ') == min(number, 50), address


def test_a4_reloading_keeps_the_strip_and_marking_empties_it(
    client: Client, workspace_root: Path, hub_data: Path
) -> None:
    small(workspace_root)
    first = counts_of(text_of(client))
    assert counts_of(text_of(client)) == counts_of(text_of(client)) == first

    answer = client.post("/w/acme/seen/")

    assert (answer.status_code, answer["Location"]) == (303, "/w/acme/")
    after = text_of(client)
    assert "Nothing new." in after
    assert 'action="/w/acme/seen/undo/"' in after
    assert "Nothing new." in text_of(client)


def test_a4_it_can_be_taken_back(
    client: Client, workspace_root: Path, hub_data: Path
) -> None:
    small(workspace_root)
    first = counts_of(text_of(client))
    client.post("/w/acme/seen/")

    client.post("/w/acme/seen/undo/")

    assert counts_of(text_of(client)) == first


def test_a4_it_cannot_be_taken_back_a_minute_later(
    client: Client, workspace_root: Path, hub_data: Path
) -> None:
    small(workspace_root)
    client.post("/w/acme/seen/")
    SeenMark.objects.update(marked_at=timezone.now() - timedelta(minutes=1))

    client.post("/w/acme/seen/undo/")

    assert "too late" in text_of(client)
    assert "Nothing new." in text_of(client)


def test_marks_are_set_by_forms_alone(client: Client) -> None:
    make_workspace_row()

    assert client.get("/w/acme/seen/").status_code == 405
    assert client.get("/w/acme/seen/undo/").status_code == 405
    assert client.post("/w/nobody/seen/").status_code == 404
    assert client.post("/w/acme/seen/", {"upto": "-1"}).status_code == 303


def test_news_come_back_after_half_an_hour_with_what_is_newer(
    client: Client, workspace_root: Path, hub_data: Path
) -> None:
    workspace = small(workspace_root)
    text_of(client)
    (workspace_root / "memory/2026-11-21.md").write_text("# 2026-11-21\n\n## New\nx\n")
    sync_workspace(workspace)
    SeenMark.objects.update(viewed_at=timezone.now() - timedelta(minutes=31))

    counts = counts_of(text_of(client))

    assert counts["/w/acme/timeline/?since=last"] == 2
    for address, number in counts.items():
        assert text_of(client, address).count('<li class="ev ') == number, address


def test_a5_old_data_says_so_and_shows_nobody_working(
    client: Client, workspace_root: Path, hub_data: Path
) -> None:
    small(workspace_root)
    Event.objects.update(occurred_at=timezone.now(), precision="second")
    assert "Working</span>" in text_of(client)

    Workspace.objects.update(checked_at=timezone.now() - timedelta(hours=3))
    text = text_of(client)

    assert "Data is 3 h old" in text
    assert text.index("Data is 3 h old") < text.index('class="grid"')
    assert "Working</span>" not in text


def test_a7_it_takes_as_many_queries_however_much_there_is(
    client: Client, workspace_root: Path, hub_data: Path
) -> None:
    workspace = small(workspace_root)
    text_of(client)
    with CaptureQueriesContext(connection) as few:
        text_of(client)
    for n in range(40):
        agent = Agent.objects.create(
            id=n + 1, workspace=workspace, name=f"a{n}", declared=True, first_seq=1
        )
        make_events(workspace, 10, agent=agent)
    text_of(client)

    with CaptureQueriesContext(connection) as many:
        text_of(client)

    assert len(few) == len(many)


def test_what_agents_write_is_escaped(
    client: Client, workspace_root: Path, hub_data: Path
) -> None:
    said = {"memory/context-x.md": TOPIC, **handoffs(2)}
    files = {
        name: str(text).replace("api", HOSTILE).replace("Because", HOSTILE)
        for name, text in said.items()
    }
    imported(workspace_root, files)

    assert HOSTILE not in text_of(client)


def test_a_workspace_without_anything_has_no_empty_cards(client: Client) -> None:
    make_workspace_row()

    text = text_of(client)

    assert "Nothing was read here yet" in text and "Connect an agent" in text
    for card in ("y-h", "ag-h", "day-h", "oi-h", "d-h", "fc-h", "r-h", "w-h"):
        assert f'aria-labelledby="{card}"' not in text


def test_a_decision_that_waits_for_its_signature_says_so(
    client: Client, workspace_root: Path, hub_data: Path
) -> None:
    asked = HANDOFF.format(id="t1", sender="planner", type="decision")
    asked = asked.replace("Task t1. Because.", "Poll every minute. It is simple.")
    imported(
        workspace_root,
        {"memory/context-api.md": TOPIC, "memory/handoffs/1.md": asked},
    )

    assert "not signed off" in text_of(client)


def test_trends_are_a_page_and_a_part_of_this_one(
    client: Client, workspace_root: Path, hub_data: Path
) -> None:
    small(workspace_root)

    page = client.get("/w/acme/trends/")
    part = client.get("/w/acme/trends/", headers={"HX-Request": "true"})

    assert b"<!doctype html>" in page.content
    assert part.content.lstrip().startswith(b'<div id="trends"')
    assert "HX-Request" in part["Vary"]
    assert 'hx-get="/w/acme/trends/"' in text_of(client)


def test_each_trend_has_its_finding_in_words_and_a_table(
    client: Client, workspace_root: Path, hub_data: Path
) -> None:
    small(workspace_root)

    text = text_of(client, "/w/acme/trends/")

    assert "Lead time of handoffs" not in text
    assert "MEMORY.md has " in text
    assert "The last compaction left 84% fewer messages." in text
    assert text.count("Show as table") >= 3


def test_trends_of_an_empty_workspace_are_sentences(client: Client) -> None:
    make_workspace_row()

    text = text_of(client, "/w/acme/trends/")

    assert 'class="plot"' not in text
    assert "No event in twelve weeks." in text


def test_trends_count_one_event_in_the_singular(client: Client) -> None:
    make_events(make_workspace_row(), 1)

    text = " ".join(text_of(client, "/w/acme/trends/").split())

    assert "12 weeks, 1 dated event" in text and "1 dated events" not in text


def test_trends_take_as_many_queries_for_many_events(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    workspace = make_workspace_row()
    make_events(workspace, 10)
    with CaptureQueriesContext(connection) as few:
        text_of(client, "/w/acme/trends/")
    make_events(workspace, 90)

    with django_assert_num_queries(len(few)):
        text_of(client, "/w/acme/trends/")


def test_broken_pointers_are_said_though_nobody_has_opened_health(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    pointers = "# Memory\n\n- [Gone](memory/gone.md)\n"
    workspace = imported(workspace_root, {"MEMORY.md": pointers})

    link = '<a class="link" href="/w/acme/health/#pointers">1 pointer is broken</a>'
    assert link in text_of(client)

    write(workspace_root, {"memory/gone.md": "# Here\n"})
    sync_workspace(workspace)
    assert "is broken" not in text_of(client)


def test_a_card_of_a_day_says_an_entry_once(
    hub_data: Path, client: Client, workspace_root: Path
) -> None:
    log = "# 2026-11-20\n\n- 09:00 started the day\n- Kim keeps the key.\n"
    imported(workspace_root, {"memory/2026-11-20.md": log})

    page = text_of(client)

    assert page.count("started the day") == page.count("Kim keeps the key") == 1


def test_the_newest_notes_show_no_marks_of_programs(
    hub_data: Path, client: Client, workspace_root: Path
) -> None:
    note = (
        "# Shop\n\n<!-- BIG-MEMORY v1 -->\n"
        "<details><summary>More</summary>\nIt sells lamps.\n</details>\n"
    )
    imported(workspace_root, {"notes/shop.md": f"---\nkind: shop\n---\n{note}"})

    page = text_of(client)

    assert "It sells lamps." in page
    for mark in ("BIG-MEMORY", "&lt;details", "&lt;/summary", "kind: shop"):
        assert mark not in page
