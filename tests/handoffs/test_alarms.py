"""What stands still is told: silent holders, lanes, overdue work, unknown names."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from memoryhub.dialects.handoff import Result, Task, render_task
from memoryhub.handoffs.queries.alarms import alarms, lease_end, leases
from memoryhub.handoffs.rules.acting import NotAllowed
from memoryhub.handoffs.services import leases as leases_service
from memoryhub.handoffs.services.leases import put_back_silent, renew
from memoryhub.handoffs.services.sending import Author, Terms, send
from memoryhub.handoffs.services.steps import report, take
from memoryhub.journal.models import Agent, Workspace
from memoryhub.notices.models import Notice
from memoryhub.runtime.notifier import notify
from memoryhub.sync.engine import sync_workspace
from memoryhub.tools.calling import CallerOptions
from tests.conftest import MakeWorkspace
from tests.handoffs import pairs
from tests.handoffs.steps import mark_failed, override, withdraw
from tests.signing import own_program
from tests.tools.doors import directly
from tests.writing import say

NOW = timezone.now().replace(microsecond=0)


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    return make_workspace(workspace_root)


by = partial(pairs.by, noon=NOW)
sent = partial(pairs.sent, noon=NOW, minutes=-300)


def told(workspace: Workspace) -> list[tuple[str, str, tuple[str, ...]]]:
    return [
        (alarm.kind, alarm.handoff.task_id[-2:], alarm.names)
        for alarm in alarms(workspace, NOW)
    ]


def seen(workspace: Workspace, *names: str) -> None:
    for name in names:
        renew(workspace, name, NOW - timedelta(days=9))


@pytest.mark.parametrize(
    ("due", "sign", "end"),
    [
        (None, None, 120), (30, None, 30), (500, None, 500), (-9, None, 120),
        (30, 20, 140), (500, 20, 500), (None, -5, 120), (None, 100, 220),
        (0, None, 120), (30, 0, 30),
    ],
)  # fmt: skip
def test_a_lease_ends_at_its_due_time_or_a_while_after_the_last_call(
    due: int | None, sign: int | None, end: int
) -> None:
    def at(minutes: int | None) -> datetime | None:
        return None if minutes is None else NOW + timedelta(minutes=minutes)

    assert lease_end(NOW, at(due), at(sign), timedelta(minutes=120)) == at(end)


def test_a_holder_that_neither_calls_nor_writes_is_silent(workspace: Workspace) -> None:
    take(sent(workspace), by("bob", -200))
    assert told(workspace) == [("silent", "01", ("bob",))]

    renew(workspace, "bob", NOW - timedelta(minutes=100))
    assert told(workspace) == []


def test_a_first_import_is_no_sign_of_life(
    workspace: Workspace, make_workspace: MakeWorkspace, tmp_path: Path
) -> None:
    take(sent(workspace), by("bob", -200))
    copy = tmp_path / "copy"
    shutil.copytree(workspace.root, copy)
    other = make_workspace(copy)

    sync_workspace(other)

    assert told(other) == [("silent", "01", ("bob",))]


def test_what_others_do_with_its_handoffs_is_no_sign_of_life(
    workspace: Workspace,
) -> None:
    take(sent(workspace), by("bob", -200))
    question = send(
        workspace, Task("", "", "ann", "read_only", "c", "i"), by("bob", -200)
    )
    withdraw(question.handoff, Author("lead", coordinates=True, at=NOW))

    assert told(workspace) == [("silent", "01", ("bob",))]


def test_an_override_renews_no_lease(workspace: Workspace) -> None:
    handoff = take(sent(workspace, kind="write"), by("bob", -200)).handoff
    override(handoff, Author("lead", coordinates=True, at=NOW), reason="go on")

    assert told(workspace) == [("silent", "01", ("bob",))]


def test_a_person_has_no_lease(workspace: Workspace) -> None:
    handoff = take(sent(workspace, "ann operator"), by("operator", -200)).handoff

    assert told(workspace) == []
    assert leases(workspace, [handoff], NOW) == {}


def test_a_call_of_its_holder_renews_a_lease(workspace: Workspace) -> None:
    take(sent(workspace), by("bob", -200))
    options = CallerOptions(workspace=workspace.slug, agent="bob")

    directly(options, "handoff_list", dict[str, str]())

    assert told(workspace) == []


def test_the_call_that_takes_a_task_does_not_renew_its_lease(
    workspace: Workspace,
) -> None:
    leases_service._noted.clear()
    due = timezone.now().replace(microsecond=0) + timedelta(minutes=1)
    task = Task("", "", "bob", "read_only", "c", "i")
    handoff = send(workspace, task, by("ann", 0), Terms(due)).handoff
    options = CallerOptions(workspace=workspace.slug, agent="bob")

    assert not directly(options, "handoff_take", {"task_id": handoff.task_id}).refused

    handoff.refresh_from_db()
    assert leases(workspace, [handoff], NOW) == {handoff.pk: due}


def test_a_call_that_is_refused_is_a_sign_of_life(workspace: Workspace) -> None:
    take(sent(workspace), by("bob", -200))
    other = sent(workspace, "ann cid", minutes=-5)
    options = CallerOptions(workspace=workspace.slug, agent="bob")

    assert directly(options, "handoff_take", {"task_id": other.task_id}).refused

    assert told(workspace) == []


def test_a_heartbeat_says_until_when_the_lease_lasts(workspace: Workspace) -> None:
    handoff = take(sent(workspace), by("bob", -200)).handoff
    asked = {"task_id": handoff.task_id, "action": "heartbeat"}
    options = CallerOptions(workspace=workspace.slug, agent="bob")

    fields = directly(options, "handoff_update", asked).fields

    assert datetime.fromisoformat(fields["lease_until"]) > NOW + timedelta(minutes=119)
    assert fields["standing"] == handoff.standing


def test_what_a_silent_agent_holds_is_put_back_where_the_settings_say_so(
    workspace: Workspace,
) -> None:
    handoff = take(sent(workspace, kind="write"), by("bob", -200)).handoff
    assert put_back_silent(workspace, NOW) == 0

    workspace.put_back_silent = True
    workspace.save(update_fields=["put_back_silent"])
    assert put_back_silent(workspace, NOW) == 1

    handoff.refresh_from_db()
    assert (handoff.state, handoff.last_actor) == ("open", "memoryhub")
    with pytest.raises(NotAllowed, match=r"^handoff-not-taken"):
        report(handoff, Result("", "done", "late"), by("bob", 0))
    assert "memoryhub" not in Agent.objects.values_list("name", flat=True)


def test_overdue_work_is_told_once(workspace: Workspace) -> None:
    seen(workspace, "bob")
    sent(workspace, due=-40)
    sent(workspace, due=40)

    assert told(workspace) == [("overdue", "01", ("bob",))]


def test_work_for_a_name_that_nobody_knows_is_told(workspace: Workspace) -> None:
    seen(workspace, "bob")
    sent(workspace, "ann ghost", minutes=-11)
    sent(workspace, "ann bob", minutes=-11)
    sent(workspace, "ann wraith", minutes=-9)

    assert told(workspace) == [("unknown-recipient", "01", ("ghost",))]


@pytest.mark.parametrize(
    ("reviewer", "expected"), [("ghost", ("ghost",)), ("bob", None), ("sender", None)]
)
def test_done_work_that_nobody_known_is_to_accept_is_told(
    workspace: Workspace, reviewer: str, expected: tuple[str, ...] | None
) -> None:
    task = Task("", "", "bob", "read_only", "Mend the door", "i", review=reviewer)
    handoff = take(
        send(workspace, task, by("ann", -20)).handoff, by("bob", -15)
    ).handoff
    report(handoff, Result("", "done", "Mended"), by("bob", -11))

    assert told(workspace) == ([("unknown-recipient", "01", expected)] * bool(expected))


def test_agents_and_roles_that_files_declare_are_known(workspace: Workspace) -> None:
    roles = "# Agents\n\n| Agent | Role |\n| --- | --- |\n| bob | Builder |\n"
    say(workspace, {"AGENTS.md": roles})
    for name in ("bob", "role:builder", "role:painter"):
        sent(workspace, f"ann {name}", minutes=-11)

    assert told(workspace) == [("unknown-recipient", "03", ("role:painter",))]


def test_a_lane_that_stands_is_told_with_what_waits_behind(
    workspace: Workspace,
) -> None:
    seen(workspace, "bob", "cid")
    sent(workspace, "ann bob", "write", minutes=-130)
    assert told(workspace) == []

    for _ in range(2):
        sent(workspace, "ann cid", "write", minutes=-20)
    assert told(workspace) == [("lane", "01", ("bob", "2"))]


def test_each_lane_that_stands_is_told_with_its_own_writes(
    workspace: Workspace,
) -> None:
    seen(workspace, "bob")
    for repository in ("web", "web", "api"):
        task = Task("", "", "bob", "write", "Mend", "i", repository=repository)
        send(workspace, task, by("ann", -130))

    assert told(workspace) == [("lane", "01", ("bob", "1"))]


def test_a_lane_that_was_in_use_until_now_does_not_stand(workspace: Workspace) -> None:
    seen(workspace, "bob", "cid")
    first = take(sent(workspace, kind="write"), by("bob", -200)).handoff
    for name in ("bob", "cid"):
        sent(workspace, f"ann {name}", "write", minutes=-150)
    report(first, Result("", "done", "Mended"), by("bob", -5))

    assert told(workspace) == []


def test_what_comes_after_failed_work_is_told(workspace: Workspace) -> None:
    seen(workspace, "bob", "cid")
    first = sent(workspace)
    sent(workspace, "ann cid", after=first.task_id)
    mark_failed(first, by("bob", -100), reason="no wood")

    assert told(workspace) == [("stuck", "02", (first.task_id, "failed"))]


def test_a_task_that_is_sent_while_alarms_are_looked_for_is_not_stuck(
    workspace: Workspace,
) -> None:
    seen(workspace, "bob", "cid")
    first = sent(workspace)
    sent(workspace, "ann cid", after=first.task_id)
    number, asked = 0, [0]

    def send_before(execute: Any, *statement: Any) -> Any:
        """Send a task before one of the statements, a later one each time."""
        asked[0] += 1
        if asked[0] == number:
            asked[0] += 1000
            sent(workspace, "ann cid", after=sent(workspace).task_id)
        return execute(*statement)

    while asked[0] >= number:
        number, asked[0] = number + 1, 0
        workspace.refresh_from_db()
        with connection.execute_wrapper(send_before):
            found = told(workspace)
        assert not [kind for kind, *_ in found if kind == "stuck"], number
    assert number > 9


def test_what_comes_after_anothers_failed_work_is_told_at_once(
    workspace: Workspace, make_workspace: MakeWorkspace, tmp_path: Path
) -> None:
    (tmp_path / "mill").mkdir()
    mill = make_workspace(tmp_path / "mill")
    seen(workspace, "bob", "cid")
    seen(mill, "eve")
    first = sent(mill, "ann eve")
    sent(workspace, "ann cid", after=f"{mill.slug}/{first.task_id}")
    workspace.refresh_from_db()
    assert told(workspace) == []
    mark_failed(first, by("eve", -100), reason="no wood")
    workspace.refresh_from_db()

    named = (f"{mill.slug}/{first.task_id}", "failed")
    assert told(workspace) == [("stuck", "01", named)]


def test_what_stands_still_is_told_behind_hundreds_that_wait(
    workspace: Workspace,
) -> None:
    declared = "# AGENTS\n\n## Roles\n\n- **bob**: Builds\n- **cid**: Looks\n"
    files: dict[str, str | bytes | None] = {"AGENTS.md": declared}
    first = render_task(Task("first", "ann", "bob", "read_only", "c", "i"))
    files["memory/first.md"] = first
    for number in range(205):
        task = Task(f"20260101-{number:03}", "ann", "cid", "read_only", "c", "i")
        task = replace(task, after="first")
        files[f"memory/t{number}.md"] = render_task(task)
    say(workspace, files)
    seen(workspace, "bob")
    lost = sent(workspace, "ann ghost", minutes=-60)
    failed = sent(workspace, "ann bob", minutes=-50)
    stuck = sent(workspace, "ann cid", minutes=-40, after=failed.task_id)
    mark_failed(failed, by("bob", -30), reason="no wood")
    write = sent(workspace, "ann bob", "write", minutes=-300)
    sent(workspace, "ann cid", "write", minutes=-290)

    found = {(alarm.kind, alarm.handoff.pk) for alarm in alarms(workspace, NOW)}
    assert found == {
        ("unknown-recipient", lost.pk), ("stuck", stuck.pk), ("lane", write.pk)
    }  # fmt: skip


def test_writes_that_overlap_are_told(workspace: Workspace) -> None:
    at = f"{NOW.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    log = f"\n## Log\n\n- {at} a: sent\n- {at} b: taken\n"
    files: dict[str, str | bytes | None] = {}
    for n in "12":
        task = render_task(Task(n, "a", "b", "write", "c", "i"))
        files[f"memory/handoffs/{n}.md"] = f"# Handoff {n}\n\n{task}{log}"
    say(workspace, files)

    ((kind, _, names),) = told(workspace)
    assert (kind, sorted(names)) == ("overlap", ["1", "2"])


def test_every_door_tells_of_an_alarm(client: Client, workspace: Workspace) -> None:
    handoff = take(sent(workspace), by("bob", -200)).handoff
    program, slug = own_program(), workspace.slug

    page = client.get(f"/w/{slug}/").content.decode()
    assert "bob does not respond: Mend the door" in page
    assert (
        "assignee not responding" in client.get(f"/w/{slug}/handoffs/").content.decode()
    )
    assert (
        "bob does not respond"
        in client.get(f"/w/{slug}/your-turn.atom").content.decode()
    )
    (alarm,) = program.get(f"/api/v1/workspaces/{slug}/alarms").json()["data"]
    assert (alarm["kind"], alarm["code"]) == ("silent", handoff.code)
    (row,) = program.get(f"/api/v1/workspaces/{slug}/handoffs").json()["data"]
    assert (row["silent"], row["taken_by"]) == (True, "bob")
    notify(workspace)
    assert Notice.objects.filter(body__kind="silent").exists()
