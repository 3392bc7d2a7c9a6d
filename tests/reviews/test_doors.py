"""The review queue for programs: REST, the command, recall."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.people.models import AccessToken, User
from memoryhub.people.services.tokens import make_token
from memoryhub.reviews.models import ReviewCard
from memoryhub.reviews.rules import set_policies
from memoryhub.reviews.services import Decision, accept, revert
from tests.factories import write
from tests.people.team import browser_of, person
from tests.reviews.memory import CHANGED, MEMORY, Change, on_disk
from tests.signing import own_program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

PLACE = "/api/v1/workspaces/acme/reviews"


def decide(card: ReviewCard, action: str, seen: int = 0, **headers: Any) -> Any:
    body = {"action": action, "seen": seen or card.last_seq, "reason": "not so"}
    return own_program(**headers).post(
        f"{PLACE}/{card.pk}", json.dumps(body), "application/json"
    )


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("reviews", "acme", *arguments, stdout=out)
    return out.getvalue()


def test_the_list_is_filtered_and_paged(change: Change) -> None:
    card = change()
    accept(change("# Rules\n", "CLAUDE.md"), Decision("operator"))

    found = own_program().get(PLACE).json()
    every = own_program().get(f"{PLACE}?state=").json()["data"]

    assert [one["id"] for one in found["data"]] == [card.pk] and found["next"] is None
    assert [one["path"] for one in every] == ["CLAUDE.md", "MEMORY.md"]
    assert found["data"][0]["changed_by"] == "on disk, probably scout (owner)"
    one = own_program().get(f"{PLACE}/{card.pk}").json()["data"]
    assert one == found["data"][0]


def test_a_cursor_goes_on_behind_the_page(workspace: Workspace, change: Change) -> None:
    for number in range(52):
        write(Path(workspace.root), {f"memory/facts/{number}.md": f"# Fact {number}\n"})
    change()

    first = own_program().get(PLACE).json()
    rest = own_program().get(f"{PLACE}?cursor={first['next']}").json()

    ids = [one["id"] for one in (*first["data"], *rest["data"])]
    assert (len(first["data"]), len(ids), len(set(ids))) == (50, 53, 53)
    assert rest["next"] is None


def test_a_person_accepts_and_reverts(workspace: Workspace, change: Change) -> None:
    accepted = decide(change(), "accept").json()["data"]
    reverted = decide(change(CHANGED + "- more\n"), "revert").json()["data"]

    assert (accepted["state"], accepted["handled_by"]) == ("accepted", "operator")
    assert (reverted["state"], reverted["reason"]) == ("reverted", "not so")
    assert on_disk(workspace) == CHANGED


@pytest.mark.parametrize("first", ["page", "token", "two tokens"])
def test_a_person_is_one_person_on_pages_and_by_any_token(
    workspace: Workspace, change: Change, settings: Settings, first: str
) -> None:
    settings.MEMORYHUB_TEAM = True
    people = [person(n, workspace, "administrator") for n in ("kim", "lee")]
    set_policies(workspace, [("MEMORY.md", 2)], "kim", timezone.now())
    card = change()
    programs = [program_of(workspace, people[n], f"bot-{n}") for n in (0, 1)]
    doors: list[Callable[[], None]]
    doors = [partial(on_page, people[0], card), partial(by_token, programs[0], card)]
    if first == "two tokens":
        doors[0] = partial(by_token, program_of(workspace, people[0], "more"), card)

    one, other = doors if first != "token" else doors[::-1]
    one()
    other()

    assert ReviewCard.objects.get(pk=card.pk).first_by == "kim"
    assert ReviewCard.objects.get(pk=card.pk).is_open
    mine, others = (browser_of(one) for one in people)
    address, button = f"/w/acme/review/{card.pk}/", 'data-key="a"'
    for place in (address, "/w/acme/review/"):
        assert button not in mine.get(place).content.decode()
        assert button in others.get(place).content.decode()
    by_token(programs[1], card)
    assert ReviewCard.objects.get(pk=card.pk).state == "accepted"
    page = mine.get(address).content.decode()
    assert re.search(r"kim, [^<·]*\d\d:\d\d · [\w-]+, [^<·]*\d\d:\d\d", page)


def program_of(workspace: Workspace, maker: User, agent: str) -> Client:
    new = make_token(workspace, agent, [Scope.READ, Scope.ADMIN], reader="private")
    AccessToken.objects.filter(pk=new.row.pk).update(maker=maker)
    headers = {"host": "localhost", "authorization": f"Bearer {new.secret}"}
    return Client(headers=headers)


def by_token(program: Client, card: ReviewCard) -> None:
    body = {"action": "accept", "seen": card.last_seq}
    program.post(f"{PLACE}/{card.pk}", json.dumps(body), "application/json")


def on_page(who: User, card: ReviewCard) -> None:
    browser_of(who).post(f"/w/acme/review/{card.pk}/accept/", {"seen": card.last_seq})


@pytest.mark.parametrize(
    ("scopes", "status"), [({Scope.READ}, 403), ({Scope.READ, Scope.ADMIN}, 200)]
)
def test_of_agents_only_those_with_admin_decide(
    workspace: Workspace, change: Change, scopes: set[Scope], status: int
) -> None:
    made = make_token(workspace, "builder", sorted(scopes), reader="private")
    known: dict[str, Any] = {"authorization": f"Bearer {made.secret}"}
    card = change()

    assert own_program(**known).get(PLACE).status_code == 200
    assert decide(card, "revert", **known).status_code == status

    assert on_disk(workspace) == (MEMORY if status == 200 else CHANGED)
    assert ReviewCard.objects.count() == 1


def test_a_program_that_acts_for_an_agent_does_not_decide(change: Change) -> None:
    card = change()

    acting: dict[str, Any] = {"memoryhub-agent": "scout"}
    answer = decide(card, "accept", **acting)

    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "decision-needs-person"
    assert ReviewCard.objects.get().is_open


def test_refusals_name_what_happened(workspace: Workspace, change: Change) -> None:
    card = change()
    grown = decide(card, "accept", seen=card.last_seq - 1)
    write(Path(workspace.root), {"MEMORY.md": CHANGED.replace("never", "seldom")})
    clash = decide(card, "revert")
    accept(ReviewCard.objects.get(), Decision("ann"))
    handled = decide(ReviewCard.objects.get(), "revert")

    codes = [one.json()["error"]["code"] for one in (grown, clash, handled)]
    assert codes == ["review-grown", "review-conflict", "review-handled"]
    assert {one.status_code for one in (grown, clash, handled)} == {409}
    assert own_program().get(f"{PLACE}/99999").status_code == 404


def test_the_command_lists_accepts_and_reverts(
    workspace: Workspace, change: Change
) -> None:
    first = change()
    when = f"{first.last_at:%Y-%m-%d %H:%M}"
    who = "on disk, probably scout (owner)"
    assert run() == f"{first.pk} MEMORY.md: changed, {who}, {when}, open\n"

    assert "accepted" in run("--accept", str(first.pk), "--why", "fine")
    second = change(CHANGED + "- more\n")
    said = json.loads(run("--revert", str(second.pk), "--json"))

    assert (said["state"], said["handled_by"]) == ("reverted", "operator")
    assert on_disk(workspace) == CHANGED and run() == ""
    assert len(run("--state", "all").splitlines()) == 2


def test_the_command_reverts_all_that_it_lists(
    workspace: Workspace, change: Change
) -> None:
    change()
    change("# Rules\n", "CLAUDE.md")

    assert "CLAUDE.md" in run("--revert", "all", "--file", "CLAUDE.md")
    assert on_disk(workspace) == CHANGED

    change("# Rules\n", "AGENTS.md")
    said = run("--revert", "all", "--why", "not so").splitlines()

    assert len(said) == 2 and all("reverted" in line for line in said)
    assert on_disk(workspace) == MEMORY and run() == ""
    assert run("--revert", "all") == ""


def test_the_command_ends_with_3_for_what_is_decided(change: Change) -> None:
    card = change()
    accept(card, Decision("ann"))

    with pytest.raises(SystemExit) as ended:
        run("--revert", str(card.pk))

    assert ended.value.code == 3


def test_recall_tells_the_agent_what_was_reverted_and_why(
    workspace: Workspace, change: Change
) -> None:
    revert(change(), Decision("operator", "we do ask"))
    body = json.dumps({"budget": 1_000})

    said = {
        agent: own_program(**{"memoryhub-agent": agent}).post(
            "/api/v1/workspaces/acme/tools/recall", body, "application/json"
        )
        for agent in ("scout", "builder")
    }

    text = said["scout"].json()["data"]["text"]
    line = 'MEMORY.md, reverted by operator: "- never <b>ask</b>" -- we do ask'
    assert f"> {line}" in text and "do not write it again" in text
    assert "- never <b>ask" not in said["builder"].json()["data"]["text"]
