"""Who can be a recipient, a coordinator or a signer of a workspace."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from memoryhub.handoffs.queries.agents import (
    candidates,
    coordinates,
    is_known,
    person_in,
    possible_signers,
    role_of,
)
from memoryhub.journal.models import Workspace
from memoryhub.people.models import User
from tests.people.team import person
from tests.writing import say

Both = tuple[Workspace, Workspace]
ROLES = (
    "# Agents\n\n| Agent | Role |\n| --- | --- |\n| zoe | Coordinator of all |\n"
    "| ann | Builder |\n| lead coordinator | Keeps the lane |\n| you | Approver |\n"
    "| Dana | Approver of releases |\n"
)


def test_those_whom_files_call_coordinators_are_offered_first(acme: Workspace) -> None:
    say(acme, {"AGENTS.md": ROLES})
    acme.coordinators = ["ann", "ben"]

    assert candidates(acme) == [
        ("lead coordinator", "Keeps the lane", True),
        ("zoe", "Coordinator of all", True),
        ("Dana", "Approver of releases", False), ("ann", "Builder", False),
        ("ben", "", False),
    ]  # fmt: skip


def test_an_agent_that_is_called_coordinator_can_be_one(acme: Workspace) -> None:
    say(acme, {"AGENTS.md": ROLES.replace("lead coordinator", "coordinator")})

    assert ("coordinator", "Keeps the lane", True) in candidates(acme)


def test_people_whom_files_let_sign_are_offered_first(
    acme: Workspace, settings: Settings
) -> None:
    settings.MEMORYHUB_TEAM = True
    say(acme, {"AGENTS.md": ROLES})
    for name in ("dana", "ann", "gone", "bo"):
        person(name, acme, "coordinator")
    person("vera", acme, "viewer")
    User.objects.filter(username="gone").update(is_active=False)
    acme.signers = ["ben"]

    assert possible_signers(acme) == [
        ("dana", "Approver of releases", True), ("ann", "", False),
        ("bo", "", False),
    ]  # fmt: skip


def test_a_person_at_the_pages_acts_for_anybody_as_one_of_the_signers(
    acme: Workspace,
) -> None:
    acme.signers = ["ann", "bo"]

    assert person_in(acme, "ann") == ("ann", True, True, "", ("ann", "bo"))


@pytest.mark.parametrize(("name", "does"), [("ann", True), ("bob", False), ("", True)])
def test_named_agents_and_the_operators_program_coordinate(
    acme: Workspace, name: str, does: bool
) -> None:
    acme.coordinators = ["ann"]

    assert coordinates(acme, name) is does


@pytest.mark.parametrize(
    ("agent", "recipient", "role"),
    [
        ("ann", "role:builder", "Builder"), ("ann", "any", "Builder"),
        ("ann", "ann", ""), ("nobody", "any", ""),
    ],
)  # fmt: skip
def test_a_role_is_asked_for_where_it_decides(
    acme: Workspace, agent: str, recipient: str, role: str
) -> None:
    say(acme, {"AGENTS.md": ROLES})

    assert role_of(acme, agent, recipient) == role


@pytest.mark.parametrize(
    ("name", "does"),
    [
        ("ann", True), ("ghost", False), ("scribe", False), ("you", True),
        ("any", True), (" ANY ", True), ("role:builder", True), ("role:miller", False),
        ("mill/eve", True), ("mill/ann", False), ("mill/any", True),
        ("mill/role:miller", True), ("mill/role:builder", False),
        ("nowhere/ann", False), ("mill/", False),
    ],
)  # fmt: skip
def test_a_recipient_is_known_where_the_work_is_done(
    both: Both, name: str, does: bool
) -> None:
    shop, mill = both
    say(shop, {"AGENTS.md": ROLES})
    say(shop, {"agents/scribe/memory/2026-11-20.md": "## 09:00 - Began\nx\n"})
    say(mill, {"AGENTS.md": "# Agents\n\n## Roles\n\n- **eve**: Miller\n"})

    assert is_known(shop, name) is does
