"""What each scope lets through, of all that the API can do: a table, asked whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoDbBlocker

from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.people.services.tokens import make_token
from memoryhub.tools.registry import TOOLS
from tests.tools.examples import EXAMPLES
from tests.tools.stage import Stage

pytestmark = pytest.mark.django_db(transaction=True)

BASE = "/api/v1/workspaces/acme"
#: What docs/tools.md says a tool needs; all others need `read`.
NEEDED = {
    "memory": [
        "snapshot_save", "memory_append", "core_memory", "core_memory_bundle",
        "session_text", "compact_transcript", "compaction_report", "error_append",
        "scaffold", "trust_source", "context_snap", "lifecycle_event",
        "open_item_close", "open_item_reopen",
    ],
    "handoff": [
        "handoff_send", "handoff_take", "handoff_update", "handoff_report",
        "files_claim", "comments",
    ],
}  # fmt: skip
#: Of tools that can read as well, a request that writes.
WRITES: dict[str, dict[str, Any]] = {
    "core_memory_bundle": {"operation": "import", "bundle": "{}"},
    "lifecycle_event": {
        "host": "openclaw",
        "event": "before_compaction",
        "said": {"event": {}, "ctx": {"sessionKey": "agent:a:b"}},
    },
    "comments": {"action": "comment", "path": "MEMORY.md", "text": "Still so?"},
    "session_text": {"sessionId": "s", "projectRoot": "/a", "save": True},
}
PATHS = {
    "memory/new.md": "memory",
    "memory/handoffs/new.md": "handoff",
    "CLAUDE.md": "instructions",
    "AGENTS.md": "instructions",
    ".claude/skills/x/SKILL.md": "instructions",
    "memory/settings.json": "instructions",
    "docs/notes.md": "instructions",
}


@pytest.fixture(scope="module")
def stage(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Stage]:
    with django_db_blocker.unblock():
        made = Stage(tmp_path_factory.mktemp("stage"))
        yield made
        made.close()


@pytest.fixture(params=list(Scope))
def scope(request: pytest.FixtureRequest) -> Scope:
    found: Scope = request.param
    return found


@pytest.fixture
def agent(stage: Stage, scope: Scope) -> Client:
    secret = make_token(stage.put_back(), "scout", [scope]).secret
    return Client(headers={"host": "localhost", "authorization": f"Bearer {secret}"})


def allowed(response: Any) -> bool:
    if response.status_code < 400:
        return True
    code = response.json()["error"]["code"]
    assert code != "request-invalid", response.json()
    return bool(code != "scope-missing")


def needed(name: str) -> str:
    return next((scope for scope, names in NEEDED.items() if name in names), "read")


def test_a_tool_is_for_its_own_scope(agent: Client, scope: Scope) -> None:
    passed = set()
    for name in TOOLS:
        body = WRITES.get(name) or EXAMPLES[name][-1][1]
        url = f"{BASE}/tools/{name}"
        if allowed(agent.post(url, body, "application/json")):
            passed.add(name)

    all_of_it = scope is Scope.ADMIN
    assert passed == {n for n in TOOLS if all_of_it or needed(n) == scope.value}


def test_a_file_is_for_the_scope_that_its_path_needs(
    agent: Client, scope: Scope, stage: Stage
) -> None:
    before = stage.files()
    passed = {}
    for path in PATHS:
        url = f"{BASE}/documents/{path}"
        headers = {"if-match": "*"} if path in before else {"if-none-match": "*"}
        put = agent.put(url, {"text": "New.\n"}, "application/json", headers=headers)
        if allowed(put):
            passed[path] = put.json()["data"]["state"]

    wanted = {p for p, s in PATHS.items() if scope.value in (s, "admin")}
    assert passed.keys() == wanted
    written = {path for path, state in passed.items() if state == "applied"}
    assert written == {path for path in wanted if PATHS[path] != "instructions"}
    assert stage.files().keys() - before.keys() == written - before.keys()


def test_what_only_reads_needs_read(agent: Client, scope: Scope) -> None:
    places = ("", "/files", "/events", "/documents/MEMORY.md", "/handoffs", "/topics")
    given = {place for place in places if allowed(agent.get(BASE + place))}

    assert given == (set(places) if scope in (Scope.READ, Scope.ADMIN) else set())


def test_instructions_are_staged_for_admin_too(stage: Stage) -> None:
    secret = make_token(stage.put_back(), "boss", [Scope.ADMIN]).secret
    boss = Client(headers={"host": "localhost", "authorization": f"Bearer {secret}"})

    url = f"{BASE}/documents/GEMINI.md"
    new = {"if-none-match": "*"}
    put = boss.put(url, {"text": "New.\n"}, "application/json", headers=new)

    assert put.json()["data"]["state"] == "staged"
    assert Operation.objects.get().state == Operation.State.STAGED
    assert "GEMINI.md" not in stage.files() and Workspace.objects.count() == 1
