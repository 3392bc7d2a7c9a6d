"""The inbox of an agent: what it hears of, once, and what it hears nothing of."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memoryhub.errors.base import ToolError
from memoryhub.handoffs.queries.inbox import concerned, heads_of
from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from tests.conftest import MakeWorkspace
from tests.tools.asking import asked, given
from tests.writing import say

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ROLES = (
    "# AGENTS\n\n## Roles\n\n- **planner**: Plans\n- **builder**: Builds\n"
    "- **scout**: Looks\n"
)
TASK = {"type": "write", "context": "Mend the door", "input": "src/door.py"}


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    workspace = make_workspace(workspace_root)
    say(workspace, {"AGENTS.md": ROLES})
    return workspace


def agent(workspace: Workspace, name: str, minutes: int = 0) -> Caller:
    now = NOON + timedelta(minutes=minutes)
    return Caller(workspace, name or "operator", name, clock=lambda: now)


def heard(caller: Caller, since: str = "") -> dict[str, Any]:
    caller.workspace.refresh_from_db()  # as each call of a program reads it
    return given(caller, "handoff_inbox", since=since)


def told(inbox: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(news["kind"], news["task_id"], news["what"]) for news in inbox["news"]]


def test_a_task_is_news_once_and_can_be_taken(workspace: Workspace) -> None:
    planner, builder = agent(workspace, "planner"), agent(workspace, "builder")
    before = heard(builder)
    sent = given(planner, "handoff_send", to="builder", **TASK)["task_id"]

    first = heard(builder, before["cursor"])
    assert told(first) == [("task", sent, "sent")]
    assert [row["task_id"] for row in first["ready"]] == [sent]
    again = heard(builder, first["cursor"])
    assert again["news"] == [] and again["cursor"] == first["cursor"]


def test_the_sender_hears_what_became_of_its_work(workspace: Workspace) -> None:
    planner, builder = agent(workspace, "planner"), agent(workspace, "builder")
    mended = given(planner, "handoff_send", to="builder", **TASK)["task_id"]
    unclear = given(planner, "handoff_send", to="builder", **TASK)["task_id"]
    since = heard(planner)["cursor"]
    given(builder, "handoff_take", task_id=mended)
    given(builder, "handoff_report", task_id=mended, status="done", output="Two hinges")
    given(
        builder, "handoff_update", task_id=unclear, action="send_back",
        reason="which door?",
    )  # fmt: skip

    inbox = heard(planner, since)
    assert sorted(told(inbox)) == sorted(
        [("step", mended, "taken"), ("step", mended, "done"),
         ("step", unclear, "sent back")]
    )  # fmt: skip
    by_what = {news["what"]: news for news in inbox["news"]}
    assert by_what["done"]["output"] == "Two hinges"
    assert by_what["sent back"]["reason"] == "which door?"
    assert {news["by"] for news in inbox["news"]} == {"builder"}
    assert heard(builder, heard(builder)["cursor"])["news"] == []


def test_the_same_step_by_another_is_news_beside_ones_own(
    workspace: Workspace,
) -> None:
    planner, builder = agent(workspace, "planner"), agent(workspace, "builder")
    sent = given(planner, "handoff_send", to="builder", **TASK)["task_id"]
    since = heard(builder)["cursor"]
    given(builder, "handoff_update", task_id=sent, action="block", reason="no wood")
    given(builder, "handoff_take", task_id=sent)
    path = f"memory/handoffs/{sent}.md"
    text = Path(workspace.root, path).read_text()
    line = "- 2026-11-20T12:30:00Z planner: blocked -- the shop is shut\n"
    say(workspace, {path: text + line})

    (news,) = (n for n in heard(builder, since)["news"] if n["kind"] == "step")
    assert (news["what"], news["by"], news["reason"]) == (
        "blocked", "planner", "the shop is shut",
    )  # fmt: skip


def test_nobody_hears_of_its_own_report_of_what_a_person_took(
    workspace: Workspace,
) -> None:
    planner, builder = agent(workspace, "planner"), agent(workspace, "builder")
    sent = given(planner, "handoff_send", to="builder", **TASK)["task_id"]
    path = f"memory/handoffs/{sent}.md"
    text = Path(workspace.root, path).read_text()
    say(workspace, {path: f"{text}- 2026-11-20T12:20:00Z operator: taken\n"})
    since = heard(builder)["cursor"]
    given(builder, "handoff_report", task_id=sent, status="done", output="Two hinges")

    assert heard(builder, since)["news"] == []


def test_a_withdrawal_reaches_the_one_that_works_on_it(workspace: Workspace) -> None:
    planner, builder = agent(workspace, "planner"), agent(workspace, "builder")
    sent = given(planner, "handoff_send", to="builder", **TASK)["task_id"]
    given(builder, "handoff_take", task_id=sent)
    since = heard(builder)["cursor"]
    given(planner, "handoff_update", task_id=sent, action="withdraw", reason="sold")

    assert told(heard(builder, since)) == [("step", sent, "withdrawn")]
    assert heard(agent(workspace, "scout"))["news"] == []


def test_a_write_whose_turn_comes_is_news_though_nobody_touched_it(
    workspace: Workspace,
) -> None:
    planner = agent(workspace, "planner")
    builder, scout = agent(workspace, "builder"), agent(workspace, "scout")
    first = given(planner, "handoff_send", to="builder", **TASK)["task_id"]
    second = given(planner, "handoff_send", to="scout", **TASK)["task_id"]
    waiting = heard(scout)
    assert waiting["ready"] == []
    given(builder, "handoff_take", task_id=first)
    given(builder, "handoff_report", task_id=first, status="done", output="ok")

    assert told(heard(scout, waiting["cursor"])) == [("ready", second, "")]


def test_an_alarm_reaches_the_sender_and_no_stranger(workspace: Workspace) -> None:
    planner = agent(workspace, "planner")
    sent = given(
        planner, "handoff_send", to="builder", due="2026-11-20T12:30:00Z", **TASK
    )["task_id"]
    since = heard(planner)["cursor"]

    late = heard(agent(workspace, "planner", 40), since)
    assert told(late) == [("alarm", sent, "overdue")]
    assert heard(agent(workspace, "planner", 41), late["cursor"])["news"] == []
    assert heard(agent(workspace, "scout", 40))["news"] == []


def test_a_reviewer_hears_that_a_result_waits_for_it(workspace: Workspace) -> None:
    planner, builder = agent(workspace, "planner"), agent(workspace, "builder")
    scout = agent(workspace, "scout")
    sent = given(planner, "handoff_send", to="builder", review="scout", **TASK)[
        "task_id"
    ]
    since, heads = heard(scout)["cursor"], heads_of(workspace, NOON)
    given(builder, "handoff_take", task_id=sent)
    given(builder, "handoff_report", task_id=sent, status="done", output="Two hinges")

    assert ("step", sent, "done") in told(heard(scout, since))
    workspace.refresh_from_db()
    woken = concerned(workspace, heads, heads_of(workspace, NOON))
    assert woken is not None and "scout" in woken


def test_every_coordinator_hears_that_a_result_waits_for_one(
    workspace: Workspace,
) -> None:
    workspace.coordinators = ["scout"]
    workspace.save(update_fields=["coordinators"])
    planner, scout = agent(workspace, "planner"), agent(workspace, "scout")
    sent = given(planner, "handoff_send", to="builder", review="coordinator", **TASK)[
        "task_id"
    ]
    since = heard(scout)["cursor"]
    builder = agent(workspace, "builder")
    given(builder, "handoff_take", task_id=sent)
    given(builder, "handoff_report", task_id=sent, status="done", output="Two hinges")

    assert ("step", sent, "done") in told(heard(scout, since))


def test_a_mention_reaches_an_agent_that_has_no_part_in_the_handoff(
    workspace: Workspace,
) -> None:
    planner, scout = agent(workspace, "planner"), agent(workspace, "scout")
    sent = given(planner, "handoff_send", to="builder", **TASK)["task_id"]
    since, heads = heard(scout)["cursor"], heads_of(workspace, NOON)
    for text in ("mail a@scout.example", "@Scout, left or right?"):
        given(
            planner, "handoff_update", task_id=sent, action="message", reason=text
        )  # fmt: skip

    (news,) = heard(scout, since)["news"]
    assert (news["what"], news["reason"]) == ("said", "@Scout, left or right?")
    workspace.refresh_from_db()
    woken = concerned(workspace, heads, heads_of(workspace, NOON))
    assert woken is None or "scout" in woken


def test_a_step_in_a_file_is_heard_of_like_any_other(workspace: Workspace) -> None:
    planner = agent(workspace, "planner")
    text = (
        "<task>\n<from>planner</from>\n<to>builder</to>\n<task_id>door-1</task_id>\n"
        "<type>read_only</type>\n<context>Look</context>\n<input>x</input>\n</task>\n"
    )
    say(workspace, {"memory/handoffs/door-1.md": text})
    since = heard(planner)["cursor"]
    result = (
        "<r>\n<task_id>door-1</task_id>\n<status>done</status>\n<o>Seen</o>\n</r>\n"
    )
    say(workspace, {"memory/handoffs/door-1.md": text + result})

    (news,) = heard(planner, since)["news"]
    assert (news["what"], news["by"], news["output"]) == ("done", "builder", "Seen")


def test_a_time_is_a_place_to_begin_as_well(workspace: Workspace) -> None:
    planner, builder = agent(workspace, "planner"), agent(workspace, "builder")
    given(planner, "handoff_send", to="builder", **TASK)

    assert len(heard(builder, "2000-01-01T00:00:00Z")["news"]) == 1
    assert heard(builder, "2099-01-01T00:00:00Z")["news"][1:] == []


@pytest.mark.parametrize("since", ["x", "2026-11-20", "WyIxIiwiMiJd", "…", "12"])
def test_what_is_no_cursor_is_refused(workspace: Workspace, since: str) -> None:
    with pytest.raises(ToolError, match="cursor-invalid"):
        asked(agent(workspace, "builder"), "handoff_inbox", since=since)


def test_an_inbox_is_somebodys(workspace: Workspace) -> None:
    with pytest.raises(ToolError, match="agent-missing"):
        asked(agent(workspace, ""), "handoff_inbox")


def test_the_text_for_a_model_is_short_and_quoted(workspace: Workspace) -> None:
    planner, builder = agent(workspace, "planner"), agent(workspace, "builder")
    sent = given(planner, "handoff_send", to="builder", **TASK)["task_id"]

    text = asked(builder, "handoff_inbox").as_text()
    assert f"> {sent} new task from planner: Mend the door" in text
    assert f"> You can take now: {sent}" in text and "cursor: " in text


def test_a_fresh_inbox_has_all_that_the_agent_must_act_on(workspace: Workspace) -> None:
    planner, builder = agent(workspace, "planner"), agent(workspace, "builder")
    unclear = given(planner, "handoff_send", to="builder", **TASK)["task_id"]
    done = given(planner, "handoff_send", to="builder", review="scout", **TASK)
    given(
        builder, "handoff_update", task_id=unclear, action="send_back",
        reason="which door?",
    )  # fmt: skip
    given(builder, "handoff_take", task_id=done["task_id"])
    report = {"task_id": done["task_id"], "status": "done", "output": "Two hinges"}
    given(builder, "handoff_report", **report)

    (back,) = heard(planner)["news"]
    (reviewed,) = heard(agent(workspace, "scout"))["news"]

    assert (back["kind"], back["task_id"], back["what"]) == (
        "step", unclear, "sent back"
    )  # fmt: skip
    assert (back["reason"], back["by"]) == ("which door?", "builder")
    assert (reviewed["task_id"], reviewed["output"]) == (done["task_id"], "Two hinges")
    rows = given(planner, "handoff_list")["handoffs"]
    assert {row["task_id"]: row["acts"] for row in rows} == {
        unclear: "planner", done["task_id"]: "scout"
    }  # fmt: skip
    assert heard(builder)["news"] == []
