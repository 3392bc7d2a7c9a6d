"""Who is let in by REST, and how everybody else is told."""

from __future__ import annotations

import pytest
from django.test import Client

from memoryhub.journal.models import Workspace
from memoryhub.people.models import AccessToken
from memoryhub.people.services.tokens import NewToken
from tests.factories import make_workspace_row

BASE = "/api/v1/workspaces/acme"
STATUS = f"{BASE}/tools/workspace_status"


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "testserver"},
        {"host": "localhost", "origin": "http://localhost:3000"},
        {"host": "localhost", "authorization": "Basic eDp5"},
        {"host": "localhost", "x-forwarded-for": "127.0.0.1"},
        {"host": "localhost", "authorization": "Bearer mhub_nonsense"},
    ],
)
def test_what_is_no_program_of_this_computer_is_asked_for_a_token(
    workspace: Workspace, headers: dict[str, str]
) -> None:
    response = Client(headers=headers).get(BASE)

    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Bearer"
    assert response.json()["error"]["code"] in ("token-missing", "token-invalid")


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]
)
def test_what_a_form_of_a_page_can_send_is_refused(
    program: Client, workspace: Workspace, kind: str
) -> None:
    response = program.post(STATUS, b"{}", kind)

    assert response.status_code == 415
    assert response.json()["error"]["code"] == "json-expected"


def test_a_request_without_the_origin_of_a_page_gets_no_leave_to_be_read(
    program: Client, workspace: Workspace
) -> None:
    response = program.options(BASE, headers={"origin": "https://evil.example"})

    assert response.status_code == 405
    assert not [name for name in response.headers if "access-control" in name.lower()]


def test_a_token_reads_its_workspace_alone(agent: Client) -> None:
    make_workspace_row("other")

    listed = agent.get("/api/v1/workspaces").json()["data"]
    assert [found["slug"] for found in listed] == ["acme"]
    assert agent.get("/api/v1/workspaces/other").status_code == 404


def test_a_token_to_read_does_not_write(agent: Client, workspace: Workspace) -> None:
    response = agent.put(
        f"{BASE}/documents/a.md", "{}", "application/json", headers={"if-match": "*"}
    )
    assert response.status_code == 422

    sent = '{"text": "x"}'
    headers = {"if-none-match": "*"}
    url = f"{BASE}/documents/a.md"
    response = agent.put(url, sent, "application/json", headers=headers)
    assert response.status_code == 403
    assert response.json()["error"]["code"] == "scope-missing"


def test_a_revoked_token_is_invalid(agent: Client, token: NewToken) -> None:
    AccessToken.objects.update(revoked_at=token.row.made_at)

    assert agent.get(BASE).json()["error"]["code"] == "token-invalid"


@pytest.mark.parametrize(
    ("path", "status"), [("/api/v1/nothing", 404), ("/api/v1/", 404), (BASE, 400)]
)
def test_what_django_itself_refuses_has_the_shape_too(
    program: Client, workspace: Workspace, path: str, status: int
) -> None:
    host = "evil.example" if status == 400 else "localhost"
    response = program.get(path, headers={"host": host})

    assert response.status_code == status
    assert set(response.json()["error"]) == {"code", "message", "details"}
