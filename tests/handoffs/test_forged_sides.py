"""In a team a file alone gives its workspace no part in another one's handoffs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytest_django import Settings

from memoryhub.dialects.handoff import Task
from memoryhub.handoffs.queries.lane import states_named, tasks_named
from memoryhub.handoffs.queries.sides import handoffs_of
from memoryhub.handoffs.rules.acting import NotAllowed
from memoryhub.handoffs.services.sending import send
from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import make_current
from tests.conftest import MakeWorkspace
from tests.handoffs.sides import PLACE, by, of, problems, sent
from tests.handoffs.steps import sign_off
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Decision

Both = tuple[Workspace, Workspace]
CHOICE = "Mill the wheat by stone"
BREAD = f"# Context: bread\n\n## Key Decisions\n- 2026-11-19: {CHOICE} (coarse)\n"
FORGED = f"""# Handoff 20261120-01

- origin: shop

<task>
  <from>shop/baker</from>
  <to>miller</to>
  <task_id>20261120-01</task_id>
  <type>decision</type>
  <context>{CHOICE}</context>
  <input>Wheat</input>
</task>

## Log

- 2026-11-20T12:00:00Z shop/baker: sent
"""


@pytest.fixture
def team(settings: Settings, both: Both) -> Both:
    settings.MEMORYHUB_TEAM = True
    return both


def signer_of(shop: Workspace) -> str:
    return Decision.objects.get(workspace=shop, text=CHOICE).signed_off_by or ""


def test_a_forged_sender_signs_no_decision_of_its_workspace(team: Both) -> None:
    shop, mill = team
    say(shop, {"memory/context-bread.md": BREAD})
    say(mill, {PLACE: FORGED})

    sign_off(of(mill), by("dana", 1))

    assert (handoffs_of(shop).count(), signer_of(shop)) == (0, "")
    assert of(mill).origin == ""
    assert_a_rebuild_changes_nothing(mill)


def test_another_text_than_the_one_sent_signs_no_decision(team: Both) -> None:
    shop, mill = team
    say(shop, {"memory/context-bread.md": BREAD})
    sent(shop, "decision")

    say(mill, {PLACE: FORGED})
    sign_off(of(mill), by("dana", 1))

    assert (of(shop).context, signer_of(shop)) == (CHOICE, "")
    assert of(mill).decision_id is None


def test_what_the_hub_has_sent_is_signed_for_its_sender(team: Both) -> None:
    shop, mill = team
    say(shop, {"memory/context-bread.md": BREAD})
    send(shop, Task("", "", "mill/miller", "decision", CHOICE, "Wheat"), by("baker"))

    sign_off(of(mill), by("dana", 1))

    assert signer_of(shop) == "mill/dana"


@pytest.mark.parametrize("place", ["mill/memory/handoffs/copy.md", f"oven/{PLACE}"])
def test_a_copy_of_what_the_hub_has_sent_is_not_sent(
    team: Both, tmp_path: Path, make_workspace: MakeWorkspace, place: str
) -> None:
    shop, mill = team
    (tmp_path / "oven").mkdir()
    oven = make_workspace(tmp_path / "oven")
    sent(shop)
    slug, _, path = place.partition("/")
    copied = (Path(mill.root) / PLACE).read_text()

    say({"mill": mill, "oven": oven}[slug], {path: copied})

    assert of(shop).file.path == PLACE


def test_rows_from_before_the_team_are_made_anew(
    both: Both, settings: Settings
) -> None:
    shop, mill = both
    say(mill, {PLACE: FORGED})
    assert handoffs_of(shop).count() == 1

    settings.MEMORYHUB_TEAM = True
    make_current(mill)

    assert handoffs_of(shop).count() == 0


def test_a_file_learns_nothing_of_another_workspaces_tasks(team: Both) -> None:
    shop, mill = team
    task = Task("20261120-07", "", "helper", "write", "Bake", "Flour")
    send(shop, task, by("baker"))

    assert states_named(mill, ["shop/20261120-07"]) == {}
    task = Task("", "", "miller", "write", "Grind", "Wheat", after="shop/20261120-07")
    with pytest.raises(NotAllowed, match="unknown"):
        send(mill, task, by("miller"))


@pytest.mark.parametrize("to", ["mill/miller", "nowhere/miller"])
def test_a_problem_of_a_file_does_not_depend_on_another_workspace(
    team: Both, to: str
) -> None:
    shop, _ = team

    handed = FORGED.replace("- origin: shop\n\n", "").replace("<to>miller", f"<to>{to}")
    say(shop, {PLACE: handed.replace("<from>shop/", "<from>")})

    assert problems(shop) == ["twin-missing"]


@pytest.mark.parametrize("name", ["after", "parent"])
def test_a_token_learns_nothing_of_another_workspaces_tasks(
    both: Both, name: str
) -> None:
    shop, mill = both
    send(shop, Task("20261120-07", "", "helper", "write", "B", "F"), by("baker"))
    plain = Task("", "", "miller", "write", "Grind", "Wheat")
    named = "shop/20261120-07"
    task = (
        replace(plain, after=named) if name == "after" else replace(plain, parent=named)
    )

    with pytest.raises(NotAllowed, match="unknown"):
        send(mill, task, replace(by("miller"), bound=True))
    assert send(mill, task, by("miller"))


def test_what_a_sender_has_named_is_known_where_the_work_is_done(team: Both) -> None:
    shop, mill = team
    task = Task("20261120-07", "", "helper", "write", "Bake", "Flour")
    send(shop, task, by("baker"))
    later = Task("", "", "mill/miller", "write", "Grind", "Wheat", after="20261120-07")
    send(shop, later, by("baker"))

    (named,) = tasks_named(mill, ["shop/20261120-07", "shop/20261120-08"]).values()

    assert named[0].context == "Bake"


def test_what_was_named_in_a_third_workspace_is_known_there_alone(
    team: Both, tmp_path: Path, make_workspace: MakeWorkspace
) -> None:
    shop, mill = team
    (tmp_path / "oven").mkdir()
    oven = make_workspace(tmp_path / "oven")
    send(shop, Task("20261120-07", "", "helper", "write", "B", "F"), by("baker"))
    later = Task("", "", "oven/stoker", "write", "Heat", "Wood", after="20261120-07")
    send(shop, later, by("baker"))

    assert tasks_named(oven, ["shop/20261120-07"]).keys() == {"shop/20261120-07"}
    assert tasks_named(mill, ["shop/20261120-07"]) == {}


def test_signers_of_the_sender_sign_where_the_work_is_done(both: Both) -> None:
    shop, mill = both
    say(shop, {"memory/context-bread.md": BREAD})
    Workspace.objects.filter(pk=shop.pk).update(signers=["ana"])
    send(shop, Task("", "", "mill/miller", "decision", CHOICE, "Wheat"), by("baker"))

    with pytest.raises(NotAllowed, match="sign-off-not-yours"):
        sign_off(of(mill), by("dana", 1))
    sign_off(of(mill), by("ana", 1))

    assert signer_of(shop) == "mill/ana"
