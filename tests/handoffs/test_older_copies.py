"""Files of older versions, a copy on each side, and handoffs that files alone send."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.dialects.handoff import Fields, Task, render_handoff
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.board import Filters, ready
from memoryhub.handoffs.queries.ids import handoffs_named
from memoryhub.handoffs.queries.lane import turns, unfinished
from memoryhub.handoffs.services.steps import hand_off_again, take
from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.workspaces.services.removal import begin_removal
from tests.handoffs.crew import html
from tests.handoffs.sides import NOON, PLACE, by, log_of, of, problems
from tests.handoffs.steps import sign_off
from tests.writing import assert_a_rebuild_changes_nothing, say

Both = tuple[Workspace, Workspace]


def copied(both: Both, kind: str = "write") -> Handoff:
    """Write the two files of an older version; return the sender's copy."""
    shop, mill = both
    away = f"{mill.slug}/miller"
    names = (("baker", away, mill), ("shop/baker", "miller", shop))
    for workspace, (sender, to, other) in zip(both, names, strict=True):
        task = Task("20261120-01", sender, to, kind, "Grind", "Wheat")
        text = render_handoff(task, Fields(twin=f"{other.slug}/20261120-01"))
        line = f"\n- 2026-11-20T12:00:00Z {sender}: sent\n"
        say(workspace, {PLACE: text + line})
    return Handoff.objects.get(workspace=shop)


def test_both_copies_are_imported_and_shown_once(both: Both) -> None:
    shop, mill = both
    copy = copied(both)

    assert of(shop).pk == of(mill).pk != copy.pk
    assert (of(shop).recipient, of(mill).sender) == ("mill/miller", "shop/baker")
    assert [len(unfinished(w).lane.order) for w in both] == [0, 1]
    assert [row.pk for row in handoffs_named(shop, copy.code)] == [of(mill).pk]
    for workspace in both:
        assert not problems(workspace)
        assert_a_rebuild_changes_nothing(workspace)


def test_a_copy_of_a_workspace_with_a_number_is_shown_once(both: Both) -> None:
    shop, mill = both
    mill.slug = "2mill"
    mill.save()
    copied(both)

    assert of(shop).pk == of(mill).pk


def test_steps_of_either_side_go_to_the_original(both: Both) -> None:
    shop, mill = both
    copied(both, "decision")
    before = (Path(shop.root) / PLACE).read_text()

    sign_off(of(shop), by("lead", 1, coordinates=True))
    take(of(mill), by("miller", 2))

    assert [line.split("Z ")[1] for line in log_of(mill)] == [
        "shop/baker: sent", "shop/lead: signed off", "miller: taken",
    ]  # fmt: skip
    assert (Path(shop.root) / PLACE).read_text() == before


@pytest.mark.parametrize("gone", ["file", "workspace"])
def test_a_copy_is_shown_where_the_original_is_gone(both: Both, gone: str) -> None:
    shop, mill = both
    copy = copied(both)

    if gone == "file":
        say(mill, {PLACE: None, "memory/a.md": "a", "memory/b.md": "b"})
    else:
        begin_removal(mill)

    assert of(shop).pk == copy.pk
    assert not unfinished(shop).lane.order


NOT_ELSEWHERE = ("miller", "mill", "mill/", "/miller", "shop/helper", "a/b/c")
HANDED = render_handoff(
    Task("20261120-07", "baker", "mill/miller", "read_only", "Weigh it", "Wheat"),
    Fields(),
)


def test_a_copy_is_not_taken_here_though_the_original_is_gone(both: Both) -> None:
    shop, mill = both
    copied(both, "read_only")
    begin_removal(mill)
    assert [row.task_id for row in handoffs_named(shop, "20261120-01")]

    assert ready(shop, Filters(), turns(shop), NOON, limit=9) == ()


def test_what_a_file_alone_hands_to_another_workspace_is_a_problem(both: Both) -> None:
    shop, mill = both

    say(shop, {PLACE: HANDED, "AGENTS.md": HANDED.replace("mill/", "nowhere/")})

    assert problems(shop) == ["twin-missing"]
    assert not Handoff.objects.filter(workspace=mill).exists()
    assert not [*Path(mill.root).rglob("*.md")]


def test_health_has_the_form_that_sends_it_there(client: Client, both: Both) -> None:
    shop, mill = both
    say(shop, {PLACE: HANDED})
    health = html(client, f"/w/{shop.slug}/health/")
    button = re.search(r'href="([^"]*/again/)">Send it there<', health)
    assert button and 'value="mill/miller"' in html(client, button[1])

    hand_off_again(of(shop), by("baker"))

    sync_workspace(shop)
    assert not problems(shop)
    assert [row.recipient for row in Handoff.objects.filter(workspace=mill)] == [
        "miller"
    ]


def test_what_is_finished_or_meant_for_nobody_elsewhere_is_no_problem(
    both: Both,
) -> None:
    shop, _ = both
    done = f"{HANDED}\n## Log\n\n- 2026-11-20T12:00:00Z baker: withdrawn\n"

    for text in (done, *(HANDED.replace("mill/miller", to) for to in NOT_ELSEWHERE)):
        say(shop, {PLACE: text})
        assert not problems(shop)
