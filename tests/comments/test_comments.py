"""Threads: who may do what, whom they wait for, and who reads them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from memoryhub.audit.models import AuditEntry
from memoryhub.comments.models import Comment, Thread
from memoryhub.comments.queries import open_threads, placed, thread_of
from memoryhub.comments.rules.anchoring import Fate
from memoryhub.comments.services import (
    MOST_REPLIES,
    Author,
    CommentRefused,
    line_place,
    open_thread,
    reopen,
    reply,
    resolve,
)
from memoryhub.forgetting.forgettings import Target, ask, carry_on, confirm, plan
from memoryhub.journal.models import Operation, Workspace
from memoryhub.people.models import User
from memoryhub.people.rights import Role
from memoryhub.people.roles import grant
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record.projection import rebuild
from memoryhub.timeline.queries.turns import turn_facts
from tests.factories import imported
from tests.signing import own_program
from topics.models import Decision

PATH, PRIVATE = "memory/notes.md", "MEMORY.md"
TOPIC = "memory/context-api.md"
TEXT = "# Notes\n\nThe relay retries five times.\nThe queue is small.\n"
CONTEXT = (
    "# api\n\n## Current Status\nHalf done.\n\n## Key Decisions\n- 2026-11-01: Poll\n"
)
REST = "/api/v1/workspaces/acme/comments"


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    files = {PATH: TEXT, PRIVATE: "# Memory\n\nThe key is hunter2.\n", TOPIC: CONTEXT}
    return imported(workspace_root, files)


def by(name: str, *, key: str = "") -> Author:
    is_agent = name in ("builder", "lead")
    return Author(name, timezone.now(), is_agent=is_agent, key=key)


def opened(
    workspace: Workspace, text: str, *, line: int = 3, path: str = PATH
) -> Thread:
    return open_thread(workspace, line_place(workspace, path, line), text, by("ada"))


def spot(workspace: Workspace) -> tuple[str, int, Fate]:
    (found,) = placed(workspace, open_threads(workspace))
    return found.path, found.spot.line, found.spot.fate


def write(workspace: Workspace, path: str, text: str) -> None:
    (Path(workspace.root) / path).write_text(text)
    sync_workspace(workspace)


def test_a_comment_follows_its_line_and_its_file(workspace: Workspace) -> None:
    opened(workspace, "Five?")
    assert spot(workspace) == (PATH, 3, Fate.SAME)

    write(workspace, PATH, f"New\n{TEXT}")
    assert spot(workspace) == (PATH, 4, Fate.SAME)
    write(workspace, PATH, TEXT.replace("five", "seven"))
    assert spot(workspace) == (PATH, 3, Fate.CHANGED)
    old = Path(workspace.root) / PATH
    old.rename(old.with_name("relay.md"))
    sync_workspace(workspace)

    assert spot(workspace) == ("memory/relay.md", 3, Fate.CHANGED)


def test_a_rebuild_leaves_comments_alone(workspace: Workspace) -> None:
    decision = Decision.objects.get()
    opened(workspace, "Five?")

    rebuild(workspace)

    assert spot(workspace) == (PATH, 3, Fate.SAME)
    assert Decision.objects.get().code == decision.code


def test_whom_a_thread_waits_for(workspace: Workspace) -> None:
    User.objects.create(username="zofia")
    write(workspace, "AGENTS.md", "Agent: builder\n")
    thread = opened(workspace, "@zofia and @nobody, is it so? mail@example.org @ada")
    assert thread.waits_for == ["zofia"]

    reply(thread, "@you decide", by("zofia"))
    assert thread.waits_for == ["operator"]
    reply(thread, "Yes", by("operator"))

    assert thread.waits_for == []


def test_your_turn_has_the_rows_of_its_person_alone(
    workspace: Workspace, settings: Settings
) -> None:
    settings.MEMORYHUB_TEAM = True
    for name in ("zofia", "ben"):
        grant(workspace, User.objects.create(username=name), Role.EDITOR)
    opened(workspace, "@zofia Is it so?")
    shown = {}
    for name in ("zofia", "ben"):
        browser = Client()
        browser.force_login(User.objects.get(username=name))
        shown[name] = browser.get("/w/acme/").content.decode()
        listed = browser.get("/w/acme/comments/").content.decode()
        assert "waiting for zofia" in listed

    assert "ada asks you in a comment" in shown["zofia"]
    assert "asks you in a comment" not in shown["ben"]


def test_who_has_no_role_is_not_asked_and_nobody_in_their_place(
    workspace: Workspace, settings: Settings
) -> None:
    settings.MEMORYHUB_TEAM = True
    User.objects.create_user("outsider")
    grant(workspace, User.objects.create_user("zofia"), Role.VIEWER)

    texts = ("@outsider look", "@nobody look", "@outsider and @zofia", "@you or @zofia")
    waiting = [opened(workspace, text).waits_for for text in texts]

    assert waiting == [[], [], ["zofia"], ["operator", "zofia"]]


def test_only_people_resolve_and_agents_do_not_reopen(workspace: Workspace) -> None:
    thread = opened(workspace, "@operator Five?")
    assert len(turn_facts(workspace).comments) == 1

    assert resolve(thread, "ada", timezone.now())
    assert not resolve(thread, "ben", timezone.now())
    workspace.refresh_from_db()
    assert not turn_facts(workspace).comments
    with pytest.raises(CommentRefused, match="thread-resolved"):
        reply(thread, "but", by("builder"))
    assert reopen(thread, "ada", timezone.now())

    reply(thread, "but", by("builder"))
    actions = AuditEntry.objects.filter(action__startswith="comment.").order_by("id")
    assert [(entry.action, entry.actor) for entry in actions] == [
        ("comment.written", "ada"),
        ("comment.resolved", "ada"),
        ("comment.reopened", "ada"),
        ("comment.replied", "builder"),
    ]
    assert "Five" not in repr(list(AuditEntry.objects.values()))


@pytest.mark.parametrize("text", ["", " \n", "x" * 10_001, "nul\0"])
def test_what_is_no_comment_is_refused(workspace: Workspace, text: str) -> None:
    with pytest.raises(CommentRefused):
        opened(workspace, text)
    with pytest.raises(CommentRefused):
        opened(workspace, "beyond the end", line=99)


def test_a_key_is_done_once_and_a_thread_ends(workspace: Workspace) -> None:
    thread = opened(workspace, "Five?")
    for _ in range(2):
        reply(thread, "Yes", by("builder", key="k"))
    assert thread.comments.count() == 2

    for number in range(MOST_REPLIES - 2):
        reply(thread, str(number), by("ada"))
    with pytest.raises(CommentRefused, match="replies-too-many"):
        reply(thread, "more", by("ada"))


def test_an_agent_gets_open_comments_with_its_recall(workspace: Workspace) -> None:
    opened(workspace, "Five or seven?")
    opened(workspace, "hunter2 is old", line=3, path=PRIVATE)
    done = opened(workspace, "Fine now")
    resolve(done, "ada", timezone.now())
    url = "/api/v1/workspaces/acme/tools/recall"
    shared = {"memoryhub-session": "agent:main:discord:channel:1"}
    texts = [
        own_program(**headers).post(url, {"topic": "api"}, "application/json").json()
        for headers in ({}, shared)
    ]
    private, group = (text["data"]["text"] for text in texts)

    assert f"> {PATH}:3 (comment 1)" in private and "ada: Five or seven?" in private
    assert "hunter2 is old" in private and "hunter2" not in group
    assert "Fine now" not in private and "Five or seven?" in group
    assert all(text["data"]["tokens"] <= 2_000 for text in texts)


def test_an_agent_reads_and_answers_by_rest(workspace: Workspace) -> None:
    opened(workspace, "@builder Five?")
    builder = own_program(**{"memoryhub-agent": "builder", "idempotency-key": "a"})

    (listed,) = builder.get(REST).json()["data"]
    assert (listed["path"], listed["line"], listed["outdated"]) == (PATH, 3, False)
    body = json.dumps({"thread": listed["thread"], "text": "Seven since May."})
    for _ in range(2):
        answer = builder.post(REST, body, "application/json")
        assert answer.status_code == 200

    said = answer.json()["data"]["comments"][-1]
    assert (said["author"], said["agent"]) == ("builder", True)
    assert Comment.objects.count() == 2
    program = own_program()
    missing = program.post(REST, {"thread": 99, "text": "x"}, "application/json")
    assert missing.status_code == 404
    nowhere = {"path": "../x", "line": 1, "text": "x"}
    wrong = program.post(REST, nowhere, "application/json")
    assert wrong.status_code in (404, 422)


def test_no_agent_passes_for_a_person(workspace: Workspace) -> None:
    program = own_program()

    answer = program.post(REST, {"path": PATH, "text": "I am"}, "application/json")

    (said,) = answer.json()["data"]["comments"]
    assert said["agent"] is True


def test_open_comments_become_a_file_that_can_be_undone(
    client: Client, workspace: Workspace
) -> None:
    opened(workspace, "Five?\n## Not a heading\n@operator")

    answer = client.post("/w/acme/comments/export/", {"path": PATH}, follow=True)

    review = Path(workspace.root) / "memory/reviews/memory-notes.md"
    text = review.read_text()
    assert f"## {PATH}:3 (comment 1)" in text
    assert "> The relay retries five times." in text and "\n  ## Not a heading" in text
    assert "memory/reviews/memory-notes.md" in answer.content.decode()
    operation = Operation.objects.get()
    client.post(f"/w/acme/undo/{operation.key}/")
    assert not review.exists()


def test_forgetting_covers_comments(workspace: Workspace) -> None:
    write(workspace, PATH, TEXT.replace("small", "hunter2"))
    thread = opened(workspace, "Never write hunter2 here", line=4)
    number = ask(workspace, Target("text", "hunter2", minutes=0), "ada")

    confirm(plan(number), now=True)
    carry_on(number)

    stored = [*Comment.objects.values(), *Thread.objects.values()]
    assert "hunter2" not in repr(stored) and thread_of(workspace, thread.pk)


def test_a_viewer_reads_and_does_not_write(
    workspace: Workspace, settings: Settings
) -> None:
    settings.MEMORYHUB_TEAM = True
    opened(workspace, "Five?")
    grant(workspace, User.objects.create(username="vera"), Role.VIEWER)
    browser = Client()
    browser.force_login(User.objects.get(username="vera"))

    html = browser.get("/w/acme/comments/").content.decode()
    assert "Five?" in html and 'name="resolve"' not in html
    for address in ("new/", "1/reply/", "1/reopen/", "export/"):
        assert browser.post(f"/w/acme/comments/{address}").status_code == 403


def test_a_command_lists_them(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    opened(workspace, "Five?")

    call_command("tool", "comments", "--workspace=acme")

    assert "ada: Five?" in capsys.readouterr().out
