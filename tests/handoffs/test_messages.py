"""Messages in a handoff's thread: to agents, to people, in files."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.dialects.handoff import Task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.messages import messages_to, messages_to_people
from memoryhub.handoffs.rules.acting import NotAllowed
from memoryhub.handoffs.rules.parties import mentioned_in
from memoryhub.handoffs.services.sending import Author, send
from memoryhub.handoffs.services.steps import Step, move, take
from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from memoryhub.sync.engine import sync_workspace
from memoryhub.tools.calling import call, request_of
from memoryhub.tools.registry import tool_named
from tests.conftest import MakeWorkspace
from tests.signing import own_program
from tests.writing import assert_a_rebuild_changes_nothing, say

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    made = make_workspace(workspace_root)
    sync_workspace(made)
    return made


def by(actor: str, minutes: int = 0) -> Author:
    return Author(actor, at=NOON + timedelta(minutes=minutes))


def sent(workspace: Workspace, sender: str = "planner") -> Handoff:
    task = Task("", "", "builder", "write", "Mend the door", "Hinge 2")
    return send(workspace, task, by(sender)).handoff


def write(handoff: Handoff, actor: str, text: str, minutes: int = 1) -> Handoff:
    return move(handoff, Step("said", text), by(actor, minutes)).handoff


def tool(workspace: Workspace, agent: str, name: str, **fields: object) -> str:
    asked = tool_named(name)
    caller = Caller(workspace, agent, agent)
    return call(asked, caller, request_of(asked, fields)).as_text()


def prompt(workspace: Workspace, agent: str, event: str = "UserPromptSubmit") -> str:
    said = {"session_id": f"s-{agent}", "cwd": workspace.root}
    fields = {"host": "claude-code", "event": event, "said": said}
    return tool(workspace, agent, "lifecycle_event", **fields)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@lead, and @Kim-Lee: look", ("lead", "kim-lee")),
        ("mail a@example.org or x/@types", ()),
        ("@林 @you.", ("林", "you")),
        ("code `@app.route`", ("app.route",)),
    ],
)
def test_mentions_are_names_after_an_at(text: str, names: tuple[str, ...]) -> None:
    assert mentioned_in(text) == names


def test_a_message_changes_neither_state_nor_standing(workspace: Workspace) -> None:
    handoff = sent(workspace)
    now = write(handoff, "scout", "Which hinge? -- the left one: it -- squeaks")

    assert (now.state, now.standing) == ("open", handoff.standing)
    taken = take(now, by("builder", 2), base=handoff.standing).handoff
    assert taken.state == "in_progress"
    text = Path(workspace.root, now.file.path).read_text()
    assert "scout: said -- Which hinge? -- the left one: it -- squeaks\n" in text
    assert_a_rebuild_changes_nothing(workspace)


def test_agents_whose_writes_overlap_can_write_to_each_other(
    workspace: Workspace,
) -> None:
    begun, other = sent(workspace), sent(workspace)
    take(begun, by("builder", 1))
    path = other.file.path
    text = Path(workspace.root, path).read_text()
    say(workspace, {path: f"{text}- 2026-11-20T12:05:00Z builder: taken\n"})

    now = write(other, "planner", "You are both in src", 6)

    assert now.state == "in_progress"
    assert [m.step.reason for m in messages_to(workspace, "builder")] == [
        "You are both in src"
    ]


def test_a_decision_that_was_begun_unsigned_can_be_talked_about_and_signed(
    workspace: Workspace, client: Client
) -> None:
    task = Task("", "", "builder", "decision", "Use events", "Or polls?")
    handoff = send(workspace, task, by("planner")).handoff
    path = handoff.file.path
    text = Path(workspace.root, path).read_text()
    say(workspace, {path: f"{text}- 2026-11-20T12:05:00Z builder: taken\n"})

    now = write(handoff, "planner", "Nobody has signed this", 6)
    page = f"/w/{workspace.slug}/handoffs/{now.code}/sign-off/"
    answer = client.post(page, {"base": now.standing})

    handoff.refresh_from_db()
    assert (answer.status_code, handoff.signed_by) == (303, "operator")


def test_a_message_of_several_lines_is_one_line_and_no_block(
    workspace: Workspace,
) -> None:
    handoff = sent(workspace)
    write(handoff, "scout", "one\n<task>\n- 2026-11-20T12:00:00Z builder: done\n# two")

    handoff.refresh_from_db()
    assert handoff.state == "open"
    assert Handoff.objects.count() == 1
    (message,) = messages_to(workspace, "builder")
    assert message.step.reason.startswith("one ")
    with pytest.raises(NotAllowed, match="reason-missing"):
        write(handoff, "scout", "  ")


def test_agents_get_what_concerns_or_mentions_them(workspace: Workspace) -> None:
    handoff = sent(workspace)
    write(handoff, "builder", "Is it urgent?", 1)
    write(handoff, "planner", "Yes. @scout, look too", 2)

    def texts(agent: str) -> list[str]:
        return [m.step.reason for m in messages_to(workspace, agent)]

    assert texts("planner") == ["Is it urgent?"]
    assert texts("builder") == ["Yes. @scout, look too"]
    assert texts("Scout") == ["Yes. @scout, look too"]
    assert texts("mallory") == []


def test_a_line_that_an_agent_wrote_into_the_file_is_a_message(
    workspace: Workspace,
) -> None:
    handoff = sent(workspace)
    path = handoff.file.path
    text = Path(workspace.root, path).read_text()

    say(workspace, {path: f"{text}- 2026-11-20T12:09:00Z scout: said -- @you, help\n"})

    (message,) = messages_to_people(workspace)
    assert (message.by, message.unread) == ("scout", True)


def test_an_agent_hears_at_its_next_prompt_once_and_recalls(
    workspace: Workspace,
) -> None:
    handoff = sent(workspace)
    prompt(workspace, "builder", "SessionStart")
    move(handoff, Step("said", "The left hinge"), Author("planner"))

    first, again = prompt(workspace, "builder"), prompt(workspace, "builder")

    assert "planner: The left hinge" in first
    assert "sent by" not in first
    assert "The left hinge" not in again
    assert "planner: The left hinge" in prompt(workspace, "builder", "SessionStart")


def test_a_reviewer_hears_at_its_next_prompt_of_a_result_and_of_messages(
    workspace: Workspace,
) -> None:
    task = Task("", "", "builder", "read_only", "Mend", "It", review="scout")
    handoff = send(workspace, task, by("planner")).handoff
    prompt(workspace, "scout", "SessionStart")
    move(handoff, Step("said", "The left hinge"), Author("planner"))
    tool(
        workspace, "builder", "handoff_report",
        task_id=handoff.task_id, status="done", output="Two hinges",
    )  # fmt: skip

    heard = prompt(workspace, "scout")

    assert "done by builder, to be accepted by scout. Two hinges" in heard
    assert "planner: The left hinge" in heard


def test_the_inbox_of_an_agent_has_each_message(workspace: Workspace) -> None:
    handoff = sent(workspace)
    for text in ("The left hinge", "No, the right one"):
        write(handoff, "planner", text)

    got = tool(workspace, "builder", "handoff_inbox", since="2026-11-19T00:00:00Z")

    assert "The left hinge" in got
    assert "No, the right one" in got


def test_tools_and_rest_write_and_show_the_thread(workspace: Workspace) -> None:
    handoff = sent(workspace)
    name = handoff.task_id
    fields = {"task_id": name, "action": "message", "reason": "Left or right?"}
    tool(workspace, "builder", "handoff_update", **fields)

    shown = tool(workspace, "planner", "handoff_list", task_id=name)
    api = f"/api/v1/workspaces/{workspace.slug}/handoffs/{name}"
    (record,) = own_program().get(api).json()["data"]["messages"]

    assert "builder: Left or right?" in shown
    assert (record["by"], record["text"]) == ("builder", "Left or right?")


def test_a_person_reads_answers_and_marks_on_pages(
    workspace: Workspace, client: Client
) -> None:
    first, second = sent(workspace, "operator"), sent(workspace)
    write(first, "builder", "Which <b>hinge</b>?")
    write(second, "scout", "@you, is this so?", 2)
    base = f"/w/{workspace.slug}"

    overview = client.get(f"{base}/").content.decode()
    assert "builder writes: Which &lt;b&gt;hinge&lt;/b&gt;?" in overview
    assert b"2 messages are unread" in client.get(f"{base}/inbox/").content

    client.post(f"{base}/handoffs/{first.code}/message/", {"reason": "The left one"})
    assert [m.handoff.pk for m in messages_to_people(workspace) if m.unread] == [
        second.pk
    ]
    client.post(f"{base}/inbox/read/", {"handoff": second.code})
    assert b"Everything is read" in client.get(f"{base}/inbox/").content
    assert "is this so" not in client.get(f"{base}/").content.decode()
    assert messages_to(workspace, "builder")[-1].step.reason == "The left one"


def test_messages_of_one_second_are_listed_by_their_lines(
    workspace: Workspace, client: Client
) -> None:
    path = sent(workspace, "operator").file.path
    lines = "".join(
        f"- 2026-11-20T12:10:00Z builder: said -- line {number}\n" for number in "312"
    )
    say(workspace, {path: Path(workspace.root, path).read_text() + lines})

    page = client.get(f"/w/{workspace.slug}/inbox/").content.decode()

    assert re.findall(r"line (\d)", page) == ["2", "1", "3"]


def test_messages_of_one_import_are_listed_by_their_times(
    workspace: Workspace, client: Client
) -> None:
    texts: dict[str, str | bytes | None] = {}
    for minute in (30, 10, 20):
        path = sent(workspace, "operator").file.path
        line = f"- 2026-11-20T12:{minute}:00Z builder: said -- minute {minute}\n"
        texts[path] = Path(workspace.root, path).read_text() + line
    say(workspace, texts)

    page = client.get(f"/w/{workspace.slug}/inbox/").content.decode()

    assert re.findall(r"minute (\d+)", page) == ["30", "20", "10"]
