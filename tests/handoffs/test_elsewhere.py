"""What the sender's workspace shows of a handoff whose work is done in another one."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from memoryhub.handoffs.services.steps import take
from memoryhub.journal.models import Workspace
from tests.handoffs.sides import by, of, sent
from tests.tools.doors import DOORS, CallerOptions

Both = tuple[Workspace, Workspace]


def page(client: Client, path: str) -> str:
    answer = client.get(f"/w/{path}")
    assert answer.status_code == 200
    return answer.content.decode()


def test_each_side_links_to_the_other_one(client: Client, both: Both) -> None:
    code = sent(both[0]).code

    here, there = (
        page(client, f"{slug}/handoffs/{code}/") for slug in ("shop", "mill")
    )

    assert f'Work is done in <a class="link" href="/w/mill/handoffs/{code}/">' in here
    assert f'Sent from <a class="link" href="/w/shop/handoffs/{code}/">' in there


def test_a_page_gets_the_pill_when_the_other_side_moves(
    client: Client, both: Both
) -> None:
    sent(both[0])
    (shown,) = set(_news_of(page(client, "shop/handoffs/")))
    assert json.loads(client.get(shown).content)["pill"] == ""

    take(of(both[1]), by("miller", 1))

    assert json.loads(client.get(shown).content)["pill"] == "1 new, show"


def _news_of(text: str) -> list[str]:
    return [part.partition('"')[0] for part in text.split('data-news="')[1:]]


@pytest.mark.parametrize("name", ["code", "task_id"])
def test_an_id_leads_to_the_page_in_the_senders_workspace(
    client: Client, both: Both, name: str
) -> None:
    handoff = sent(both[0])

    for slug in ("shop", "mill"):
        answer = client.get(f"/w/{slug}/search/", {"q": getattr(handoff, name)})
        assert answer["Location"] == f"/w/{slug}/handoffs/{handoff.code}/"
        palette = page(client, f"{slug}/palette?q={getattr(handoff, name)}")
        assert f"/w/{slug}/handoffs/{handoff.code}/" in palette


@pytest.mark.django_db(transaction=True)
def test_the_sender_translates_what_it_sent(both: Both) -> None:
    handoff = sent(both[0])
    asked = {"to": "session_compact", "kind": "handoff", "name": handoff.task_id}

    for door in DOORS.values():
        given = [
            door(CallerOptions(workspace=w.slug), "translate", asked) for w in both
        ]
        assert "Wheat" in given[0].fields["text"]
        assert given[0].fields["text"] == given[1].fields["text"]
