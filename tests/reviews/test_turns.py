"""The review queue in Your turn."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from memoryhub.reviews.services import Decision, accept
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
