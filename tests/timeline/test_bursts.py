"""History lines of one agent within minutes are folded; paging does not notice."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client

from memoryhub.journal.models import Agent, Workspace
from tests.factories import NOON, make_events, make_workspace_row

pytestmark = pytest.mark.django_db

URL = "/w/acme/timeline/"
_TITLE = re.compile(r'class="cover" href="[^"]*">(Event \d+)<')
_OLDER = re.compile(r'class="more" href="([^"]+)"')


@pytest.fixture
def workspace() -> Workspace:
    workspace = make_workspace_row()
    Agent.objects.create(id=7, workspace=workspace, name="builder", first_seq=1)
    Agent.objects.create(id=8, workspace=workspace, name="scout", first_seq=1)
    return workspace


def page(client: Client, url: str = URL) -> str:
    return client.get(url).content.decode().replace("&amp;", "&")


def folds(html: str) -> list[str]:
    return re.findall(r'<summary class="cover">(.*?)<', html)


def test_lines_of_one_agent_are_folded(client: Client, workspace: Workspace) -> None:
    make_events(workspace, 6, kind="history", agent_id=7)

    html = page(client)

    assert folds(html) == ["6 history lines"]
    assert len(_TITLE.findall(html)) == 6
    assert "<details>" in html and "builder" in html


@pytest.mark.parametrize(
    "values",
    [
        {"number": 3, "agent_id": 7},
        {"number": 6, "agent_id": None},
        {"number": 6, "agent_id": 7, "kind": "decision"},
    ],
)
def test_others_are_not(
    client: Client, workspace: Workspace, values: dict[str, int]
) -> None:
    make_events(workspace, **{"kind": "history", **values})  # type: ignore[arg-type]

    assert folds(page(client)) == []


def test_a_burst_is_ten_minutes_long_at_most(
    client: Client, workspace: Workspace
) -> None:
    make_events(workspace, 16, kind="history", agent_id=7)

    assert folds(page(client)) == ["11 history lines", "5 history lines"]


def test_another_agent_or_another_day_ends_a_burst(
    client: Client, workspace: Workspace
) -> None:
    values = {"kind": "history", "occurred_at": NOON}
    make_events(workspace, 4, agent_id=7, **values)
    make_events(workspace, 4, agent_id=8, **values)
    make_events(
        workspace, 4, agent_id=8, **values | {"occurred_at": NOON.replace(day=21)}
    )

    assert folds(page(client)) == ["4 history lines"] * 3


def test_who_asks_for_history_gets_its_lines(
    client: Client, workspace: Workspace
) -> None:
    make_events(workspace, 6, kind="history", agent_id=7)

    assert folds(page(client, URL + "?kind=history")) == []


def test_t1_folded_rows_are_neither_repeated_nor_skipped(
    client: Client, workspace: Workspace
) -> None:
    make_events(workspace, 120, kind="history", agent_id=7, occurred_at=NOON)
    first = page(client)
    make_events(workspace, 3, occurred_at=NOON + timedelta(days=1))

    shown = _TITLE.findall(first)
    html = first
    while link := _OLDER.search(html):
        html = page(client, link[1])
        shown += _TITLE.findall(html)

    assert shown == [f"Event {n}" for n in reversed(range(120))]


def test_what_an_address_points_at_is_not_hidden(
    client: Client, workspace: Workspace
) -> None:
    event = make_events(workspace, 6, kind="history", agent_id=7)[3]

    html = page(client, f"{URL}?at={event.code}")

    assert "<details open>" in html
    assert f'class="ev  is-on" id="e-{event.code}"' in html
    assert (
        _TITLE.findall(html)[0] == "Event 3" or 'aria-current="true">Event 3<' in html
    )
    assert "Show the newest events" in html
