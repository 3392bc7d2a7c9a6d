"""Your turn asks only what the reader's rights allow; the rest waits for others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from memoryhub.comments.services import Author, line_place, open_thread
from memoryhub.dialects.handoff import Task
from memoryhub.handoffs.services.sending import send
from memoryhub.journal.models import SourceFile, Workspace
from memoryhub.workspaces.services.adding import add_workspace
from tests.handoffs.sides import by
from tests.layouts.test_first_minute import main_of
from tests.notices.channel import chat
from tests.notices.test_team_channels import heard
from tests.people.team import browser_of, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def acme(hub_data: Path, workspace_root: Path, settings: Settings) -> Workspace:
    """Return a workspace with a decision to sign off, and one signer."""
    settings.MEMORYHUB_TEAM, settings.MEMORYHUB_CHANNELS_PRIVATE = True, True
    made = add_workspace(workspace_root, slug="acme", name="Acme")
    task = Task("", "", "builder", "decision", "Use events", "Why polling is slow")
    send(made, task, by("planner"))
    made.signers = ["cora"]
    made.save(update_fields=["signers"])
    return made


def parts(browser: Client) -> tuple[str, str]:
    """Return what needs the reader's answer, and what waits for others."""
    page = browser.get("/w/acme/").content.decode()
    pattern = r'<section[^>]*aria-labelledby="%s".*?</section>'
    found = (re.search(pattern % name, page, re.DOTALL) for name in ("y-h", "others-h"))
    mine, others = (one[0] if one else "" for one in found)
    return mine, others


@pytest.mark.parametrize(
    ("name", "role"),
    [("cora", "coordinator"), ("ada", "administrator"), ("vera", "viewer")],
)
def test_a_sign_off_needs_the_answer_of_a_signer_alone(
    acme: Workspace, name: str, role: str
) -> None:
    browser = browser_of(person(name, acme, role))
    mine, others = parts(browser)

    signs = name == "cora"
    assert ("Sign off: Use events" in mine) is signs
    assert ("Sign off: Use events" in others) is not signs
    assert ("Needs you" in mine + others) is signs
    for address in ("", "agents/", "handoffs/", "handoffs/?view=list"):
        told = main_of(browser, address)
        assert "a person" in told and "aits for you<" not in told
        assert ("waits for your" in told) is (signs and "handoffs" in address)
    assert ("sign-off/" in mine + others) is signs
    assert browser.get("/w/acme/news/").json()["turns"] == ("1" if signs else "")
    assert browser.get("/news/").json()["turns"] == ("1" if signs else "")


def test_channels_send_what_their_person_may_answer(acme: Workspace) -> None:
    people = {
        "cora": person("cora", acme, "coordinator"),
        "vera": person("vera", acme, "viewer"),
    }
    with chat() as one, chat() as other:
        got = heard(people, dict(zip(people, (one, other), strict=True)))

    assert "Use events" in got["cora"] and "Use events" not in got["vera"]


def test_a_viewer_who_is_asked_in_a_comment_cannot_answer(acme: Workspace) -> None:
    vera = person("vera", acme, "viewer")
    path = SourceFile.objects.filter(workspace=acme)[0].path
    place = line_place(acme, path, 0)
    open_thread(acme, place, "Is that so, @vera?", Author("ada", timezone.now()))

    mine, others = parts(browser_of(vera))
    assert "Is that so" not in mine and "Is that so" in others
