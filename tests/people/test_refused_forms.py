"""Forms with an outdated or foreign token: refused by a page of the hub."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from memoryhub.journal.models import Workspace
from memoryhub.people.policy import operator
from tests.factories import small
from tests.signing import signed_in

pytestmark = pytest.mark.django_db
FORM = "http://localhost/w/acme/topics/api/status/"


@pytest.fixture
def acme(hub_data: Path, workspace_root: Path) -> Workspace:
    return small(workspace_root)


@pytest.fixture
def browser(acme: Workspace) -> Client:
    return signed_in(enforce_csrf_checks=True, headers={"host": "localhost"})


@pytest.mark.parametrize(
    ("language", "heading", "link"),
    [
        ("en", "This form is outdated", "Open the page again"),
        ("zh-hans", "此表单已过期", "重新打开该页"),
    ],
)
def test_an_outdated_form_gets_a_page_with_a_way_back(
    browser: Client, language: str, heading: str, link: str
) -> None:
    headers = {"accept-language": language, "referer": FORM}
    answer = browser.post("/me/", {"theme": "dark"}, headers=headers)

    page = answer.content.decode()
    assert answer.status_code == 403
    assert f"<h1>{heading}</h1>" in page and link in page
    assert f'href="{FORM}"' in page
    assert "CSRF verification failed" not in page and operator().theme == "system"


def test_a_form_from_another_address_names_the_setting_and_links_only_here(
    browser: Client,
) -> None:
    headers = {"origin": "http://hub.example.org", "referer": "http://evil.example/x"}
    answer = browser.post("/me/", {"theme": "dark"}, headers=headers)

    page = answer.content.decode()
    assert answer.status_code == 403
    assert "MEMORYHUB_URL" in page and "evil.example" not in page


def test_a_program_gets_the_reason_as_a_line(browser: Client) -> None:
    headers = {"accept": "application/json"}
    answer = browser.post("/me/", {"theme": "dark"}, headers=headers)

    assert answer.headers["Content-Type"].startswith("text/plain")
    assert answer.content == b"refused: CSRF cookie not set.\n"
