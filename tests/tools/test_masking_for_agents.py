"""Secrets of files are masked for agents at every door, unless a person allows them."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from memoryhub.exports.handover import Picked, compose
from memoryhub.formats.secrets import MASK
from memoryhub.journal.models import Workspace
from memoryhub.journal.problems import current_problems
from memoryhub.mcp.connections import Connection
from memoryhub.mcp.resources import read
from memoryhub.people.access import Access
from memoryhub.sync.engine import sync_workspace
from memoryhub.tools.calling import CallerOptions
from snapshots.models import OpenItem
from tests.factories import imported, write
from tests.signing import own_program
from tests.tools.doors import DOORS
from topics.models import Decision, Directive, Topic

KEY = "m0-" + "aB3x" * 8
PASSWORD = "Zx81-trsw-Q9"
NOTES = f"""# api

## Current Status
The gateway answers with {KEY}.

## Key Decisions
- Use Postgres with password: {PASSWORD}
- Keep the queue small
"""
LOG = f"""# 2026-11-20

## To do
- [ ] Rotate the key {KEY}
- [ ] Order the gasket
"""
TOPIC = "memory/context-api.md"
#: Calls that give text of files.
CALLS = {
    "recall": {"topic": "api"},
    "memory_search": {"query": "gateway answers"},
    "memory_get": {"path": TOPIC},
    "lifecycle_event": {"host": "claude-code", "event": "SessionStart"},
}


@pytest.fixture
def workspace(hub_data: Path, workspace_root: Path, db: None) -> Workspace:
    made = imported(workspace_root, {TOPIC: NOTES, "memory/2026-11-20.md": LOG})
    made.refresh_from_db()
    return made


pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("tool", CALLS)
def test_an_answer_to_an_agent_holds_no_secret(
    workspace: Workspace, tool: str, door: str
) -> None:
    said = CallerOptions(workspace="acme", agent="builder")

    given = DOORS[door](said, tool, CALLS[tool])

    shown = f"{given.fields}{given.text}"
    assert not given.refused and MASK in shown
    assert KEY not in shown and PASSWORD not in shown


def test_a_person_can_let_agents_have_them(workspace: Workspace) -> None:
    Workspace.objects.update(mask_for_agents=False)
    said = CallerOptions(workspace="acme", agent="builder")

    given = DOORS["rest"](said, "memory_get", CALLS["memory_get"])

    assert KEY in str(given.fields) and MASK not in str(given.fields)


def test_what_rest_lists_is_masked_and_a_document_is_exact(
    workspace: Workspace,
) -> None:
    client = own_program()
    home = "/api/v1/workspaces/acme"

    document = client.get(f"{home}/documents/{TOPIC}").json()["data"]["text"]
    day = client.get(f"{home}/days/2026-11-20").content.decode()
    topic = client.get(f"{home}/topics/api")
    conflict = client.put(
        f"{home}/documents/{TOPIC}",
        {"text": "new"},
        "application/json",
        headers={"if-match": '"0"'},
    )

    assert document == NOTES
    assert "Order the gasket" in day and KEY not in day
    # A server cuts the connection where an answer is longer than it states.
    assert MASK in topic.json()["data"]["status"]
    assert int(topic["Content-Length"]) == len(topic.content)
    assert conflict.status_code == 412


@pytest.mark.parametrize("door", DOORS)
def test_a_mask_is_not_written_over_the_secret_that_it_stands_for(
    workspace: Workspace, door: str
) -> None:
    said = CallerOptions(workspace="acme", agent="builder")
    status = {"action": "checkpoint", "topic": "api", "status": f"It has {MASK}."}

    refused = DOORS[door](said, "context_snap", status)

    assert refused.refused and "mask-for-secret" in str(refused.fields)
    assert Path(workspace.root, TOPIC).read_text() == NOTES
    added = {"content": f"- The key is {MASK}.\n"}
    assert not DOORS[door](said, "memory_append", added).refused
    moved = {**status, "status": "The gateway answers."}
    assert not DOORS[door](said, "context_snap", moved).fields["failed"]


def test_a_document_with_masks_instead_of_secrets_is_refused(
    workspace: Workspace,
) -> None:
    client, url = own_program(), f"/api/v1/workspaces/acme/documents/{TOPIC}"
    tag = client.get(url)["etag"]

    def put(text: str) -> int:
        body, headers = {"text": text}, {"if-match": tag}
        return client.put(url, body, "application/json", headers=headers).status_code

    assert put(NOTES.replace(KEY, MASK)) == 422
    assert Path(workspace.root, TOPIC).read_text() == NOTES
    assert put(NOTES.replace("small", "long")) == 200


def test_resources_exports_for_an_agent_and_recall_pages_are_masked(
    workspace: Workspace, client: Client
) -> None:
    connection = Connection(CallerOptions(workspace="acme"), Access())
    topic = Topic.objects.get(name="api")
    texts = [
        read("memoryhub://acme/topics/api", connection),
        client.get("/w/acme/topics/api/recall.md").content.decode(),
    ]
    for form in ("topic", "recall"):
        made = compose(
            workspace, Picked(topics=(topic.pk,)), form, now=workspace.created_at
        )
        texts.append(made.text)

    for text in texts:
        assert MASK in text and KEY not in text and PASSWORD not in text


def test_a_file_of_the_hub_stays_exact_for_people(
    workspace: Workspace, client: Client
) -> None:
    text = client.get(f"/w/acme/files/{TOPIC}?view=text").content.decode()

    assert text == NOTES


def test_nothing_is_stated_by_a_line_with_a_secret(workspace: Workspace) -> None:
    rules = f"# Rules\n\n- Never share the password: {PASSWORD}\n- Never push to main\n"
    write(Path(workspace.root), {"USER.md": rules})
    sync_workspace(workspace)

    decided = set(Decision.objects.values_list("text", flat=True))
    assert decided == {"Keep the queue small"}
    assert set(OpenItem.objects.values_list("text", flat=True)) == {"Order the gasket"}
    assert PASSWORD not in str(list(Directive.objects.values()))


def test_a_file_with_secrets_is_a_problem_until_they_are_gone(
    workspace: Workspace, client: Client
) -> None:
    found = current_problems(workspace).filter(code_name="secrets")
    assert {row.path: (row.line, row.parameters) for row in found} == {
        TOPIC: (4, {"count": 2}),
        "memory/2026-11-20.md": (4, {"count": 1}),
    }
    assert KEY not in str(list(found.values()))
    for page in ("/w/acme/", "/w/acme/health/"):
        text = client.get(page).content.decode()
        assert "3 secrets in 2 files" in text and "/w/acme/forget/?secrets=" in text

    write(Path(workspace.root), {TOPIC: "# api\n", "memory/2026-11-20.md": "gone\n"})
    sync_workspace(workspace)

    assert not current_problems(workspace).filter(code_name="secrets").exists()
