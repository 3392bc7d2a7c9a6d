"""Handoffs that cite a decision: by its text, or by their ids in texts about it."""

from __future__ import annotations

import pytest

from memoryhub.dialects.handoff import Task
from memoryhub.handoffs.queries.board import Filters, listing
from memoryhub.handoffs.queries.decisions import citing, sign_offs
from memoryhub.handoffs.services.sending import send
from memoryhub.journal.models import Workspace
from tests.growth import assert_ends
from tests.handoffs.crew import NOON, by
from tests.handoffs.steps import sign_off

USE_EVENTS = "Use events, not polling"


def sent(workspace: Workspace, context: str, minutes: int = 0) -> str:
    task = Task("", "", "builder", "read_only", context, "Hinge 2")
    return send(workspace, task, by("planner", minutes)).handoff.task_id


def cited(workspace: Workspace, text: str, *said: str) -> list[str]:
    return [row.task_id for row in citing(workspace, text, said)]


def test_handoffs_with_a_decisions_text_are_found_the_newest_first(
    acme: Workspace,
) -> None:
    old = sent(acme, f"Because of: {USE_EVENTS.upper()}.")
    sent(acme, "Because of nothing")
    newer = sent(acme, f"{USE_EVENTS}, again", 1)

    assert cited(acme, USE_EVENTS) == [newer, old]


def test_handoffs_of_one_moment_are_in_the_order_that_every_list_has(
    acme: Workspace,
) -> None:
    for number in range(5):
        sent(acme, f"{USE_EVENTS}, {number}")

    listed = listing([acme], Filters(), NOON).cards
    assert cited(acme, USE_EVENTS) == [card.task_id for card in listed]


def test_handoffs_named_in_texts_about_a_decision_are_found(acme: Workspace) -> None:
    first, second = sent(acme, "Mend a door"), sent(acme, "Mend a window", 1)

    assert cited(acme, f"Hinges first ({first})", f"See {second}.") == [second, first]
    assert not cited(acme, "Hinges first")


def test_a_handoff_is_found_behind_a_long_word(acme: Workspace) -> None:
    task = sent(acme, "Mend a door")

    assert_ends(lambda: cited(acme, USE_EVENTS, "a" * 200_000, "a-" * 200_000))
    assert cited(acme, USE_EVENTS, f"{'a' * 999} {task}") == [task]


@pytest.mark.parametrize(("text", "found"), [("a door.", 0), ("a door..", 1)])
def test_a_text_too_short_to_be_no_chance_finds_nothing(
    acme: Workspace, text: str, found: int
) -> None:
    sent(acme, "Mend a door..")

    assert len(cited(acme, text)) == found


def test_a_sign_off_is_known_by_its_handoff_before_and_after(acme: Workspace) -> None:
    task = Task("", "", "builder", "decision", USE_EVENTS, "Polling is slow")
    handoff = send(acme, task, by("planner")).handoff
    assert handoff.decision_id
    texts = {handoff.decision_id: USE_EVENTS}

    pending = sign_offs(acme.pk, texts)[handoff.decision_id]
    sign_off(handoff, by("operator", 1))
    given = sign_offs(acme.pk, texts)[handoff.decision_id]

    assert [*pending.values()] == [handoff.pk, handoff.task_id, "", None]
    signed = [handoff.pk, handoff.task_id, "operator", by("", 1).at]
    assert [*given.values()] == signed
