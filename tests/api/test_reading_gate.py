"""What is ignored, and what is private: asked for at every door that gives texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.mcp.connections import Connection
from memoryhub.mcp.prompts import PROMPTS, prompt_for
from memoryhub.mcp.resources import read, resources
from memoryhub.people.access import Access, access_by_token
from memoryhub.people.services.tokens import make_token
from memoryhub.tools.calling import CallerOptions, caller_of
from memoryhub.tools.registry import TOOLS
from memoryhub.web.kit.refusals import REFUSED, refusal_of
from tests.factories import imported
from tests.tools.asking import asked
from tests.tools.examples import EXAMPLES

WORD = "xyzzy"
SNAPSHOT = f"""\
<!-- BIG-MEMORY-SNAPSHOT v1 -->
<!-- timestamp: 2026-11-20T12:00:00 -->
<!-- snapshot-id: 2026-11-20-01 -->

### [SNAPSHOT] Active Goal
{WORD} goal

### [SNAPSHOT] Current State
- Phase: testing

### [SNAPSHOT] Decisions Made
1. Use the {WORD} -- it is there

### [SNAPSHOT] Next Steps
1. {WORD} step

<!-- /BIG-MEMORY-SNAPSHOT -->
"""
TASK = (
    "<task>\n<from>a</from>\n<to>b</to>\n<task_id>20261120-09</task_id>\n"
    f"<type>write</type>\n<context>{WORD}</context>\n<input>{WORD}</input>\n</task>\n"
)
TEXT = (
    f"# Memory {WORD}\n\n## Decisions\n\n- 2026-11-20: Use {WORD} (reason)\n\n"
    f"## Rules\n\n- 2026-11-20: Always {WORD}.\n\n"
    f"## Open\n\n- [ ] {WORD} todo\n\n{SNAPSHOT}\n{TASK}"
)
PLACES = (
    "", "/files", "/events", "/topics", "/decisions", "/directives", "/open-items",
    "/snapshots", "/snapshots/2026-11-20-01", "/handoffs", "/handoffs/20261120-09",
    "/days/2026-11-20", "/documents/MEMORY.md", "/documents/memory/secret/x.md",
)  # fmt: skip
ASKED: dict[str, dict[str, Any]] = {
    "memory_search": {"query": WORD},
    "memory_get": {"path": "MEMORY.md"},
    "recall": {},
    "errors_consult": {},
    "handoff_list": {},
    "snapshot_recall": {},
    "translate": {"kind": "snapshot", "name": "2026-11-20-01", "to": "handoff"},
}


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    files = {"MEMORY.md": TEXT, "memory/2026-11-20.md": "# 2026-11-20\n\n- Open.\n"}
    return imported(workspace_root, files)


def given(access: Access, session: str = "") -> dict[str, str]:
    """Return what every tool that reads, resource and prompt gives, by its name."""
    found = {}
    who = CallerOptions(workspace="acme", session=session)
    caller = caller_of(access, who, Scope.READ)
    connection = Connection(who, access)
    for tool in (tool for tool in TOOLS.values() if tool.reads_only):
        fields = ASKED.get(tool.name, EXAMPLES[tool.name][-1][1])
        found[tool.name] = said(lambda n=tool.name, f=fields: asked(caller, n, **f))
    for resource in resources(connection):
        uri = str(resource.uri)
        found[uri] = said(lambda u=uri: read(u, connection))
    for name in PROMPTS:
        found[name] = said(lambda n=name: prompt_for(n, {}, connection))
    return found


def said(ask: Any) -> str:
    try:
        answer = ask()
    except REFUSED as error:
        return refusal_of(error).message
    return answer if isinstance(answer, str) else f"{answer!r}"


def by_rest(secret: str, session: str = "") -> dict[str, str]:
    headers = {"host": "localhost", "authorization": f"Bearer {secret}"}
    if session:
        headers["memoryhub-session"] = session
    agent = Client(headers=headers)
    base = "/api/v1/workspaces/acme"
    return {place: agent.get(base + place).content.decode() for place in PLACES}


def leaking(found: dict[str, str]) -> set[str]:
    return {name for name, text in found.items() if WORD in json.dumps(text)}


def test_a_token_for_groups_is_given_nothing_of_private_memory(
    workspace: Workspace,
) -> None:
    secret = make_token(workspace, "scout", [Scope.READ], reader="shared").secret

    assert leaking(given(access_by_token(secret))) == set()
    assert leaking(by_rest(secret)) == set()


def test_a_token_for_groups_is_told_no_name_and_size_of_it(
    workspace: Workspace,
) -> None:
    secret = make_token(workspace, "scout", [Scope.READ], reader="shared").secret
    own = make_token(workspace, "planner", [Scope.READ], reader="private").secret

    found = by_rest(secret)
    found.pop("/documents/MEMORY.md")
    found.pop("/handoffs/20261120-09")  # says that it is private
    assert {place for place, text in found.items() if "MEMORY.md" in text} == set()
    assert "MEMORY.md" in by_rest(own)["/files"]


@pytest.mark.parametrize(
    "session",
    [
        "agent:scout:telegram:group:7",
        "agent:scout:cron:5",
        "agent:scout:subagent:5",
        "agent:scout:slack:thread:1",
        "public",
    ],
)
def test_a_session_that_is_not_main_is_not_given_the_file(
    workspace: Workspace, session: str
) -> None:
    secret = make_token(workspace, "scout", [Scope.READ]).secret
    headers = {
        "host": "localhost",
        "authorization": f"Bearer {secret}",
        "memoryhub-session": session,
    }

    answer = Client(headers=headers).get("/api/v1/workspaces/acme/documents/MEMORY.md")

    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "memory-private"


@pytest.mark.parametrize("scope", [Scope.READ, Scope.ADMIN])
def test_a_token_that_names_no_session_is_given_nothing_of_it(
    workspace: Workspace, scope: Scope
) -> None:
    secret = make_token(workspace, "scout", [scope]).secret

    assert leaking(given(access_by_token(secret))) == set()
    assert leaking(by_rest(secret)) == set()


@pytest.mark.parametrize(
    ("reader", "session"), [("private", ""), ("", "agent:scout:main")]
)
def test_a_main_session_is_given_it(
    workspace: Workspace, reader: str, session: str
) -> None:
    secret = make_token(workspace, "scout", [Scope.READ], reader=reader).secret
    found = leaking(given(access_by_token(secret), session))

    assert {"memory_get", "memory_search"} <= found
    assert leaking(by_rest(secret, session)) >= {
        "/decisions", "/directives", "/open-items", "/snapshots",
        "/snapshots/2026-11-20-01", "/handoffs", "/handoffs/20261120-09",
        "/days/2026-11-20", "/documents/MEMORY.md",
    }  # fmt: skip
    assert leaking(by_rest(secret, "agent:scout:discord:channel:1")) == set()


def test_what_is_ignored_is_given_by_no_door(
    workspace: Workspace, workspace_root: Path
) -> None:
    """The patterns came before the file, and stand for what is not imported."""
    Workspace.objects.update(ignore_patterns=["memory/secret"])
    place = workspace_root / "memory/secret/x.md"
    place.parent.mkdir(parents=True)
    place.write_text(f"# x\n\n{WORD}-ignored\n")
    secret = make_token(workspace, "scout", [Scope.READ]).secret
    ASKED["memory_get"] = {"path": "memory/secret/x.md"}

    found = given(access_by_token(secret)) | by_rest(secret)

    assert not [name for name, text in found.items() if f"{WORD}-ignored" in text]
    ASKED["memory_get"] = {"path": "MEMORY.md"}
