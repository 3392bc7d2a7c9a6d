"""Pages on which a person has something be forgotten."""

from __future__ import annotations

import pytest
from django.test import Client

from memoryhub.forgetting.forgettings import carry_on
from memoryhub.forgetting.models import Forgetting
from memoryhub.jobs.models import Job
from memoryhub.journal.models import Workspace
from tests.forgetting.conftest import LOG, SECRET

FORGET = "/w/acme/forget/"
ASKED = {"kind": "text", "text": SECRET, "minutes": "10", "reason": "a password"}


@pytest.fixture
def asked(client: Client, workspace: Workspace) -> Forgetting:
    """Return what a person asked on the page."""
    answer = client.post(FORGET, ASKED)
    assert answer.status_code == 303, answer.content
    return Forgetting.objects.get()


def page(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, address
    return answer.content.decode()


def test_the_page_of_a_file_and_health_lead_to_it(
    client: Client, workspace: Workspace
) -> None:
    assert f'href="{FORGET}"' in page(client, "/w/acme/health/")
    html = page(client, f"/w/acme/files/{LOG}")
    assert f'href="{FORGET}?file=memory%2F2026-11-20.md&amp;rev=' in html
    filled = page(client, f"{FORGET}?file={LOG}&rev=3")
    assert '<option value="version" selected>' in filled and LOG in filled


def test_it_shows_what_is_touched_before_anything_is_done(
    client: Client, asked: Forgetting
) -> None:
    html = page(client, f"{FORGET}{asked.pk}/")

    assert "2 versions of 1 file" in html and "The password is [forgotten]" in html
    assert SECRET not in html and SECRET not in page(client, FORGET)
    assert not Job.objects.exists()


def test_what_was_confirmed_is_hidden_and_taken_back_by_its_message(
    client: Client, asked: Forgetting
) -> None:
    home = f"{FORGET}{asked.pk}/"
    answer = client.post(f"{home}confirm/", follow=True)
    assert f'action="{home}back/"' in answer.content.decode()
    carry_on(asked)
    assert SECRET not in page(client, f"/w/acme/files/{LOG}?show=secrets")
    client.post(f"{home}back/")
    carry_on(asked)

    assert asked.state == "taken_back"
    assert SECRET in page(client, f"/w/acme/files/{LOG}?show=secrets")


def test_a_plan_that_is_cancelled_leaves_nothing(
    client: Client, asked: Forgetting
) -> None:
    answer = client.post(f"{FORGET}{asked.pk}/back/")

    asked.refresh_from_db()
    assert (answer["Location"], asked.state, asked.needle) == (FORGET, "taken_back", {})
    assert f'href="{FORGET}{asked.pk}/' not in page(client, FORGET)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"text": "ab"}, "Too short"),
        ({"kind": "regex", "text": "("}, "Not a valid regular expression"),
        ({"kind": "regex", "text": "x*"}, "Too short"),
        ({"kind": "file", "text": "no/such.md"}, "never existed"),
        ({"kind": "version", "text": LOG}, "Enter the version"),
        ({"kind": "entry", "text": "nothing"}, "It no longer exists"),
        ({"minutes": "7"}, "Select a valid choice"),
    ],
)
def test_what_cannot_be_looked_for_is_refused(
    client: Client, workspace: Workspace, said: dict[str, str], why: str
) -> None:
    answer = client.post(FORGET, {**ASKED, **said})

    assert answer.status_code == 422 and why in answer.content.decode()
    assert not Forgetting.objects.exists()


def test_a_forgetting_of_another_workspace_is_not_found(
    client: Client, asked: Forgetting
) -> None:
    Workspace.objects.update(slug="other")

    assert client.get(f"/w/acme/forget/{asked.pk}/").status_code == 404
    assert client.get(f"/w/other/forget/{asked.pk + 1}/").status_code == 404
    assert client.get(f"/w/other/forget/{asked.pk}/confirm/").status_code == 405
