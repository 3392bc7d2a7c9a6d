"""Whole files by REST: read with a tag, replaced on a condition."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from memoryhub.disk import replacing
from memoryhub.disk.places import Place
from memoryhub.journal.models import Operation, Revision, Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.people.services.tokens import make_token
from memoryhub.sync.edit import writing
from memoryhub.sync.edit.editing import undo
from memoryhub.sync.edit.edits import Conflict
from memoryhub.sync.files import Who
from memoryhub.tools.models import ToolCall
from memoryhub.workspaces.services.documents import replace_document

URL = "/api/v1/workspaces/acme/documents/"
INDEX = URL + "MEMORY.md"
NEW = {"if-none-match": "*"}


def put(client: Client, url: str, text: str, **headers: str) -> Any:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.put(url, {"text": text}, "application/json", headers=named)


def code_of(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


@pytest.fixture
def overtaken(workspace_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have another program save the index right before the hub's first write of it."""
    write, saved = replacing.replace_file, ["# Theirs\n"]

    def overtaken_write(place: Place, data: bytes, *, expected: str | None) -> None:
        while saved:
            (workspace_root / "MEMORY.md").write_text(saved.pop())
        write(place, data, expected=expected)

    monkeypatch.setattr(writing, "replace_file", overtaken_write)


def test_its_tag_is_the_hash_of_its_bytes(
    program: Client, workspace: Workspace, workspace_root: Path
) -> None:
    response = program.get(INDEX)

    data = (workspace_root / "MEMORY.md").read_bytes()
    assert response["ETag"] == f'"{sha256(data).hexdigest()}"'
    assert response.json()["data"]["text"].encode() == data
    again = program.get(INDEX, headers={"if-none-match": response["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_it_is_replaced_by_who_read_it_last(
    workspace: Workspace, workspace_root: Path
) -> None:
    secret = make_token(
        workspace, "builder", [Scope.READ, Scope.WRITE], reader="private"
    ).secret
    agent = Client(headers={"authorization": f"Bearer {secret}"})
    tag = agent.get(INDEX)["ETag"]

    response = put(agent, INDEX, "# Mine\n", if_match=f"W/{tag}")

    assert response.status_code == 200, response.content
    assert (workspace_root / "MEMORY.md").read_text() == "# Mine\n"
    assert response["ETag"] == agent.get(INDEX)["ETag"] != tag
    assert Operation.objects.get().actor == "builder"
    assert Revision.objects.order_by("-seq")[0].actor == "builder"


def test_who_has_not_seen_the_newest_version_is_refused(
    program: Client, workspace: Workspace, workspace_root: Path
) -> None:
    tag = program.get(INDEX)["ETag"]
    (workspace_root / "MEMORY.md").write_text("# Theirs\n")

    for condition in (tag, '"other"', "nothing, W/"):
        response = put(program, INDEX, "# Mine\n", if_match=condition)
        assert code_of(response) == (412, "precondition-failed")
    for missing in ({}, {"if_none_match": tag}):
        response = put(program, INDEX, "", **missing)
        assert code_of(response) == (428, "precondition-missing")
    assert (workspace_root / "MEMORY.md").read_text() == "# Theirs\n"


def test_a_new_file_is_made_where_there_is_none(
    program: Client, workspace: Workspace, workspace_root: Path
) -> None:
    made = put(program, URL + "memory/new%20one.md", "New.\n", if_none_match="*")

    assert made.status_code == 200, made.content
    assert (workspace_root / "memory/new one.md").read_text() == "New.\n"
    assert put(program, INDEX, "x", if_none_match="*").status_code == 412
    assert put(program, URL + "a.md", "x", if_match="*").status_code == 412


def test_a_request_sent_twice_with_its_key_is_done_once(
    program: Client, workspace: Workspace
) -> None:
    tag = program.get(INDEX)["ETag"]
    sent = {"if_match": tag, "idempotency_key": "k1"}

    first = put(program, INDEX, "# Mine\n", **sent)
    again = put(program, INDEX, "# Mine\n", **sent)
    ToolCall.objects.update(answer=None)  # as after a kill
    later = put(program, INDEX, "# Mine\n", **sent)

    assert first.status_code == 200
    assert first.json() == again.json() == later.json()
    assert Operation.objects.count() == 1
    assert code_of(put(program, INDEX, "# Other\n", **sent)) == (409, "key-reused")


def test_what_lost_a_race_is_not_forced_by_its_key(
    workspace: Workspace, workspace_root: Path, overtaken: None
) -> None:
    who = Who("builder", "k1")
    newest = sha256(b"# Theirs\n").hexdigest()

    def replaced(text: str) -> Operation:
        return replace_document(workspace, "MEMORY.md", text, newest.__eq__, who)

    read = sha256((workspace_root / "MEMORY.md").read_bytes()).hexdigest()
    for _ in range(2):
        with pytest.raises(Conflict):
            replace_document(workspace, "MEMORY.md", "# Mine\n", read.__eq__, who)
        assert (workspace_root / "MEMORY.md").read_text() == "# Theirs\n"

    assert replaced("# Both\n").state == Operation.State.APPLIED
    assert (workspace_root / "MEMORY.md").read_text() == "# Both\n"
    assert replaced("# Both\n").state == Operation.State.APPLIED


def test_a_withdrawn_replacement_is_not_answered_as_done(
    program: Client, workspace: Workspace
) -> None:
    Workspace.objects.update(review_before_writing=True)
    sent = {"if_none_match": "*", "idempotency_key": "k1"}
    put(program, URL + "a.md", "x", **sent)
    undo(workspace, Operation.objects.get(), "a person")
    ToolCall.objects.update(answer=None)  # as after a kill

    assert put(program, URL + "a.md", "x", **sent).status_code == 412


def test_where_a_person_reviews_it_waits(
    program: Client, workspace: Workspace, workspace_root: Path
) -> None:
    Workspace.objects.update(review_before_writing=True)

    response = put(program, URL + "a.md", "x", if_none_match="*")

    assert response.json()["data"]["state"] == "staged"
    assert "ETag" not in response and not (workspace_root / "a.md").exists()


@pytest.mark.parametrize(
    "path",
    [
        "../out.md", "a/../../out.md", "/etc/a.md", "a.txt",
        ".git/a.md", "drafts/a.md", "link/a.md", "link.md", "a%00.md", "a.md/",
        "%2e%2e/a.md", "workspace-inner/a.md", "a" * 300 + ".md",
        ".a.md.memoryhub-1.md", "%EF%9F%83%EF%9E%A9.md",
    ],
)  # fmt: skip
def test_a_path_that_no_sync_would_import_is_refused(
    program: Client, workspace: Workspace, workspace_root: Path, path: str
) -> None:
    Workspace.objects.update(ignore_patterns=["drafts/*"])
    outside = workspace_root.parent / "outside"
    (outside / "memory").mkdir(parents=True)
    (workspace_root / "link").symlink_to(outside)
    (workspace_root / "link.md").symlink_to(outside / "a.md")
    (workspace_root / "workspace-inner/memory").mkdir(parents=True)
    before = sorted(workspace_root.parent.rglob("*"))

    response = put(program, URL + path, "x", if_none_match="*")

    assert code_of(response) == (403, "path-not-allowed")
    assert sorted(workspace_root.parent.rglob("*")) == before


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ('{"text": "\\ud800"}', 400),
        ("[" * 100_000, 400),
        ("{", 400),
        ('"\xff"', 400),
        ("null", 422),
        ("{}", 422),
        ('{"text": 1}', 422),
        ('{"text": "' + "a" * 1_000_001 + '"}', 422),
        ("a" * 16_000_001, 413),
    ],
)
def test_a_body_that_is_none_is_refused(
    program: Client, workspace: Workspace, body: str, status: int
) -> None:
    sent = body.encode("latin1")
    response = program.put(URL + "a.md", sent, "application/json", headers=NEW)

    assert response.status_code == status, response.content
    assert set(response.json()["error"]) == {"code", "message", "details"}
    assert not Operation.objects.exists()


@pytest.mark.parametrize(
    ("body", "field"), [("{}", "text"), ("null", ""), ('{"text": 1}', "text")]
)
def test_a_wrong_field_is_named_without_where_it_lay(
    program: Client, workspace: Workspace, body: str, field: str
) -> None:
    response = program.put(INDEX, body, "application/json", headers=NEW)

    (wrong,) = response.json()["error"]["details"]["fields"]
    assert wrong["field"] == field
