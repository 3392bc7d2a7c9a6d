"""The page of a workspace's tokens."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.people.models import AccessToken
from memoryhub.people.services.tokens import make_token, token_with
from tests.factories import make_workspace_row
from tests.signing import signed_in

URL = "/w/acme/tokens/"
SENT = {"agent": "builder", "scopes": ["read", "memory"], "days": "30"}


@pytest.fixture(autouse=True)
def workspace(db: None) -> Workspace:
    return make_workspace_row("acme")


def test_the_secret_is_shown_once(client: Client) -> None:
    response = client.post(URL, SENT)

    found = re.search(r"mhub_[\w-]{43}", response.content.decode())
    assert found and token_with(found[0])
    assert "no-store" in response["Cache-Control"]
    assert found[0] not in client.get(URL).content.decode()


def test_a_token_is_listed_with_what_it_may_do(client: Client) -> None:
    client.post(URL, SENT)

    html = client.get(URL).content.decode()
    token = AccessToken.objects.get()
    assert token.scopes == ["read", "memory"] and token.expires_at
    assert all(said in html for said in (token.prefix, ">memory<", "not used yet"))


@pytest.mark.parametrize(
    "wrong", [{"agent": "operator"}, {"agent": "a/b"}, {"scopes": []}, {"days": "7000"}]
)
def test_what_makes_no_token_is_said(client: Client, wrong: dict[str, object]) -> None:
    response = client.post(URL, {**SENT, **wrong})

    assert response.status_code == 422 and b'class="error"' in response.content
    assert not AccessToken.objects.exists()


@pytest.mark.parametrize("reader", ["", "private", "shared"])
def test_private_memory_is_open_to_those_made_for_it(
    client: Client, reader: str
) -> None:
    client.post(URL, {**SENT, "reader": reader})

    token = AccessToken.objects.get()
    assert (token.private, token.shared) == (reader == "private", reader == "shared")
    shown = ">private memory<" in client.get(URL).content.decode()
    assert shown == (reader == "private")


def test_one_is_revoked(client: Client, workspace: Workspace) -> None:
    token = make_token(workspace, "builder", [Scope.READ])
    other = make_token(make_workspace_row("other"), "builder", [Scope.READ])

    response = client.post(f"{URL}revoke/", {"token": token.row.prefix})

    assert (response.status_code, response["Location"]) == (303, URL)
    assert token_with(token.secret) == [] and token_with(other.secret)
    for prefix in (token.row.prefix, other.row.prefix, ""):
        assert client.post(f"{URL}revoke/", {"token": prefix}).status_code == 404


def test_only_a_form_of_the_hub_makes_one() -> None:
    assert signed_in(enforce_csrf_checks=True).post(URL, SENT).status_code == 403
    assert signed_in().get(f"{URL}revoke/").status_code == 405
    assert signed_in().get("/w/nobody/tokens/").status_code == 404
