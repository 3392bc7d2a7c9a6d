"""The review queue in Your turn."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from memoryhub.journal.models import Workspace
from memoryhub.reviews.rules import set_policies
from memoryhub.reviews.services import Decision, accept
from tests.people.team import browser_of, person
from tests.reviews.memory import MEMORY, Change, get, post

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]


def test_your_turn_counts_the_cards_in_one_row(client: Client, change: Change) -> None:
    change()
    change("# Rules\n", "CLAUDE.md")

    html = get(client, "")

    assert "2 changes of memory to review" in html and "/w/acme/review/" in html
    assert "1 thing needs your answer" in html


def test_a_large_loss_is_one_row_of_your_turn_until_its_card_is_decided(
    client: Client, change: Change
) -> None:
    long = MEMORY + "".join(f"- habit {n}\n" for n in range(40))
    accept(change(long), Decision("operator"))
    lost = change(MEMORY)

    html = get(client, "")

    assert "MEMORY.md lost 40 lines" in html and "1 thing needs your answer" in html
    assert f'href="/w/acme/review/{lost.pk}/"' in html
    assert "of memory to review" not in html
    change("# Rules\n", "CLAUDE.md")
    both = get(client, "")
    assert "2 changes of memory to review" in both
    assert re.search(r'Review<span class="n">2<', re.sub(r"<svg.*?</svg>", "", both))
    assert "2 memory changes to review" in get(client, "review/")
    post(client, f"review/{lost.pk}/accept/", seen=lost.last_seq)
    assert "lost 40 lines" not in get(client, "")
    post(client, f"review/{lost.pk}/reopen/")
    assert "2 things need your answer" in get(client, "")


def test_a_loss_that_a_person_reverts_waits_for_nobody(
    client: Client, change: Change
) -> None:
    accept(change(MEMORY + "- a\n" * 40), Decision("operator"))
    lost = change("# Memory\n")

    post(client, f"review/{lost.pk}/revert/", seen=lost.last_seq)

    assert "Nothing needs your answer" in get(client, "")


def test_the_feed_of_your_turn_has_them(client: Client, change: Change) -> None:
    change()
    feed = client.get("/w/acme/your-turn.atom").content.decode()

    assert "1 change of memory to review" in feed


def test_a_decision_empties_your_turn_at_once(client: Client, change: Change) -> None:
    card = change()
    assert "1 change of memory to review" in get(client, "")

    post(client, f"review/{card.pk}/accept/")

    assert "Nothing needs your answer" in get(client, "")


def test_what_one_of_two_has_accepted_waits_for_the_other_alone(
    workspace: Workspace, change: Change, settings: Settings
) -> None:
    settings.MEMORYHUB_TEAM = True
    accept(change(MEMORY + "- a\n" * 40), Decision("operator"))
    kim, ada = (
        browser_of(person(name, workspace, "editor")) for name in ("kim", "ada")
    )
    set_policies(workspace, [("**", 2)], "kim", timezone.now())
    accept(change(MEMORY), Decision("kim"))
    rules = change("# Rules\n", "CLAUDE.md")
    assert "2 things need your answer" in get(ada, "")
    assert "1 thing needs your answer" in get(kim, "")

    accept(rules, Decision("kim"))

    assert "2 things need your answer" in get(ada, "")
    assert "2 memory changes to review" in get(ada)
    for page in ("", "review/"):
        assert "needs your answer" not in re.sub("Nothing needs", "", get(kim, page))
    assert "No memory change to review" in get(kim)
    feed = "/w/acme/your-turn.atom"
    assert "<entry>" in ada.get(feed).content.decode()
    assert "<entry>" not in kim.get(feed).content.decode()
    for count in ("/news/?after=0", "/w/acme/news/?after=0"):
        assert [one.get(count).json()["turns"] for one in (kim, ada)] == ["", "2"]
