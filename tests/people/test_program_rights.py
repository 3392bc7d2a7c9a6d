"""Every door of programs by role: REST, A2A, MCP, feeds, streams, from their lists."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from typing import Any, NamedTuple

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver, reverse
from mcp_types import CompletionArgument, ResourceTemplateReference

from memoryhub.accounts.services.persons import TEAM_URLS
from memoryhub.api.application import api
from memoryhub.api.examples import BODIES
from memoryhub.errors.base import ToolError
from memoryhub.formats.base import FormatError
from memoryhub.mcp import completions, prompts, resources
from memoryhub.mcp.connections import Connection
from memoryhub.people.access import access_by_token
from memoryhub.people.policy import NoSuchWorkspace
from memoryhub.people.services.feed_keys import _named_key
from memoryhub.runtime.live import State, _read, _read_reach, _Subscription
from memoryhub.tools.calling import CallerOptions
from memoryhub.web.kit.refusals import refusal_of
from tests.people.team import ROLES, browser_of
from tests.people.test_rights import PARTS, SCOPES, Team, program, token
from tests.people.test_rights import team as team
from tests.people.test_sign_in import patterns

#: Scope of each operation; those of tools have the tool's (`test_rights.py`).
NEEDED = {
    "read": """workspaces workspace files events held topics topic decisions decision
        directives snapshots snapshot day open_items handoffs alarms_of handoff inbox
        comment_list document reviews review""",
    "handoff": "comment_add",
    "memory": "document_replace",
    "admin": """accept_held decide_review list_forgettings ask_to_forget
        show_forgetting confirm_forgetting take_forgetting_back""",
}
#: Parts of addresses, besides those of pages.
VALUES = PARTS | {"path": "memory/x.md", "code": "x", "number": 7}
FEEDS = ("timeline-feed", "topic-feed", "turn-feed")
#: Names of workspaces that are not the caller's, the first of which exists.
OTHERS = ("other", "nones")
#: Codes of a reader who is let in: nothing has the name x, and inboxes are agents' own.
KNOWN = ("", "not-found", "handoff-unknown", "agent-other")


class Request(NamedTuple):
    """A request of a program, without its workspace."""

    key: str
    method: str
    form: str
    body: Any = None

    def sent(self, client: Client, slug: str) -> tuple[int, int, str]:
        """Send it, undo what it changed; return status, size and code."""
        address = self.form.format(**(VALUES | {"slug": slug}))
        # Without a body, it is not read either.
        data = () if self.body is None else (self.body, "application/json")
        with transaction.atomic():
            answer = getattr(client, self.method)(address, *data)
            transaction.set_rollback(True)
        is_json = answer.headers["Content-Type"] == "application/json"
        found = answer.json() if is_json else {}
        error = found.get("error", {}) if isinstance(found, dict) else {}
        return answer.status_code, len(answer.content), str(error.get("code", ""))


def operations(*, tools: bool = False) -> Iterator[Request]:
    """Yield the operations of the OpenAPI document, with an example of each body."""
    for form, methods in api.get_openapi_schema()["paths"].items():
        for method, details in methods.items():
            key = details["operationId"]
            if tools or not key.startswith("tool_"):
                yield Request(key, method, form, BODIES.get(key))


def a2a() -> Iterator[Request]:
    """Yield the requests of the Agent2Agent protocol."""
    place = "/api/a2a/{slug}/builder/"
    task = {"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": {"id": "x"}}
    yield Request("card", "get", f"{place}.well-known/agent-card.json")
    yield Request("rpc", "post", place, task)


def test_every_operation_is_in_the_table() -> None:
    known = [key for keys in NEEDED.values() for key in keys.split()]

    assert sorted(request.key for request in operations()) == sorted(known)


@pytest.mark.parametrize("role", ROLES)
def test_a_token_does_what_the_table_says_of_its_makers_role(
    team: Team, role: str
) -> None:
    client, kept, wrong = program(team, role), SCOPES[role].split(), []
    scopes = {key: scope for scope, keys in NEEDED.items() for key in keys.split()}
    for request in (*operations(), *a2a()):
        status, _, code = request.sent(client, "acme")
        if role == "none":
            is_right = (status, code) == (401, "token-invalid")
        elif {scopes.get(request.key, "read"), "admin"} & {*kept}:
            is_right = status not in (401, 403) and code != "scope-missing"
        else:
            is_right = (status, code) == (403, "scope-missing")
        if not is_right:
            wrong.append((request.key, status, code))
    assert not wrong


@pytest.mark.parametrize("role", ["viewer", "administrator", "hub"])
def test_a_token_learns_of_no_other_workspace(team: Team, role: str) -> None:
    client = program(team, role)
    for request in (*operations(tools=True), *a2a()):
        if "{slug}" not in request.form:
            continue
        seen = [measured(request.sent, client, slug) for slug in OTHERS]
        assert seen[0] == seen[1], request.key
        assert seen[0][0][0] == 404 or request.key == "rpc", request.key


def measured(do: Callable[..., Any], *given: Any) -> tuple[Any, int]:
    """Return what comes of a call, and the number of its queries."""
    with CaptureQueriesContext(connection) as asked:
        found = do(*given)
    return found, len(asked)


def feed(name: str, slug: str) -> str:
    named = {"address": "api"} if name == "topic-feed" else {}
    return reverse(name, kwargs={"slug": slug, **named})


def test_the_feeds_are_all() -> None:
    free = {
        pattern.name
        for pattern in patterns(get_resolver(TEAM_URLS))
        if not getattr(pattern.callback, "login_required", True)
    }
    known = get_resolver(TEAM_URLS).reverse_dict
    free = {name for name in free if "slug" in known.getlist(name)[0][0][0][1]}

    assert free == set(FEEDS)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", FEEDS)
def test_a_feed_is_for_who_may_read_the_workspace(
    team: Team, role: str, name: str
) -> None:
    who = team.people[role]

    def answers(client: Client, key: str = "") -> Iterator[tuple[tuple[int, int], int]]:
        for slug in ("acme", *OTHERS):
            query = {"key": _named_key(who, key or slug)} if key else {}
            yield measured(fetched, client, feed(name, slug), query)

    for client, key in ((browser_of(who), ""), (Client(), "acme")):
        client.get("/")  # What the first request of a browser alone asks.
        mine, other, missing = answers(client, key)
        assert mine[0][0] == (404 if role == "none" else 200)
        # The key is for one workspace: it signs nobody in elsewhere.
        stranger = 302 if key else 404
        assert (other == missing and other[0][0] == stranger) or role == "hub"


def fetched(client: Client, address: str, query: dict[str, str]) -> tuple[int, int]:
    answer = client.get(address, query)
    return answer.status_code, len(answer.content)


def connected(team: Team, role: str) -> Connection:
    """Return a connection of MCP by a token that a person of a role made."""
    access = access_by_token(token(team, role))
    return Connection(CallerOptions(), access, address="10.0.0.9")


def read_by(link: Connection) -> dict[str, Callable[[str], Any]]:
    """Return every way in which MCP reads of a workspace, by name."""
    ways: dict[str, Callable[[str], Any]] = {}
    for template in resources.templates():
        form = re.sub(r"{(?!workspace)\w+}", "x", str(template.uri_template))
        ways[form] = partial(resource_at, link, form)
        for name in completions._VALUES:
            ways[f"{form} {name}"] = partial(completion_of, link, form, name)
    return ways | {name: partial(prompt_of, link, name) for name in prompts.PROMPTS}


def resource_at(link: Connection, form: str, slug: str) -> str:
    return resources.read(form.format(workspace=slug), link)


def completion_of(link: Connection, form: str, name: str, slug: str) -> Any:
    ref = ResourceTemplateReference(type="ref/resource", uri=form)
    argument = CompletionArgument(name=name, value="")
    return completions.completed(ref, argument, {"workspace": slug}, link)


def prompt_of(link: Connection, name: str, slug: str) -> Any:
    return prompts.prompt_for(name, {"workspace": slug}, link)


def refusal(do: Callable[[str], Any], slug: str) -> tuple[str, str]:
    """Return code and message of a refusal, without the workspace's name."""
    try:
        do(slug)
    except (FormatError, ToolError, NoSuchWorkspace) as error:
        found = refusal_of(error)
        return found.code, found.message.replace(slug, "-")
    return "", ""


@pytest.mark.parametrize("role", ROLES[1:])
def test_mcp_lists_and_reads_the_workspace_of_its_token_alone(
    team: Team, role: str
) -> None:
    link = connected(team, role)
    listed = [str(one.uri) for one in resources.resources(link)]
    assert all(uri.startswith(("memoryhub://acme/", "ui://")) for uri in listed)
    for name, way in read_by(link).items():
        assert refusal(way, "acme")[0] in KNOWN, name
        seen = [measured(refusal, way, slug) for slug in OTHERS]
        assert seen[0] == seen[1] and seen[0][0][0], name


def test_mcp_refuses_a_token_whose_maker_has_no_role(team: Team) -> None:
    with pytest.raises(ToolError, match="token-invalid"):
        connected(team, "none")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("role", ROLES)
def test_a_stream_has_the_workspaces_of_a_role(team: Team, role: str) -> None:
    with closing(sqlite3.connect(connection.settings_dict["NAME"])) as own:
        state, reach = _read(own), _read_reach(own)
    page = _Subscription("", None, team.people[role].pk)

    seen: State = page.narrowed(state, reach)

    wanted = {"none": set(), "hub": {"acme", "other"}}.get(role, {"acme"})
    assert set(seen) == wanted
