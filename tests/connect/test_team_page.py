"""In a team the page that connects an agent shows what works for its reader."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import Settings

from memoryhub.journal.models import Workspace
from tests.factories import small
from tests.people.team import browser_of, person


@pytest.fixture
def acme(
    db: None, hub_data: Path, workspace_root: Path, settings: Settings
) -> Workspace:
    settings.MEMORYHUB_TEAM = True
    return small(workspace_root)


@pytest.mark.parametrize("role", ["viewer", "coordinator"])
def test_what_works_on_the_server_alone_stands_under_it(
    acme: Workspace, role: str
) -> None:
    page = browser_of(person("cora", acme, role)).get("/w/acme/connect/?agent=mason")
    above, server = page.content.decode().split('id="server-h"')

    assert "agent=mason" in above and "workspace=acme" in above
    for words in ("token local", "memoryhub install", "openclaw.json"):
        assert words in server and words not in above
    makes = "/w/acme/tokens/?agent=mason" in above
    assert makes is (role == "coordinator")
    assert ("Ask a coordinator" in above) is (role == "viewer")


def test_the_overview_offers_no_command_either(acme: Workspace) -> None:
    page = browser_of(person("cora", acme, "coordinator")).get("/w/acme/")

    assert "memoryhub install" not in page.content.decode()


def test_the_form_of_a_token_has_the_name_and_the_new_token_leads_back(
    acme: Workspace,
) -> None:
    cora = browser_of(person("cora", acme, "coordinator"))
    assert 'value="mason"' in cora.get("/w/acme/tokens/?agent=mason").content.decode()

    form = {"agent": "mason", "scopes": "read"}
    made = cora.post("/w/acme/tokens/", form).content.decode()

    assert "/w/acme/connect/?agent=mason" in made
