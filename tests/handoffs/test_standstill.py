"""Deadlocks, failed work, open breakers and unfinished parts, at every door."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.dialects.handoff import Task
from memoryhub.handoffs.services.sending import send
from memoryhub.handoffs.services.steps import take
from memoryhub.journal.models import Workspace
from memoryhub.tools.calling import CallerOptions
from tests.conftest import MakeWorkspace
from tests.handoffs.steps import mark_failed, revise
from tests.handoffs.test_alarms import by, sent
from tests.signing import own_program
from tests.tools.doors import directly
from tests.writing import say


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    return make_workspace(workspace_root)


def test_a_heartbeat_warns_of_a_deadlock(workspace: Workspace) -> None:
    first = sent(workspace)
    second = sent(workspace, "ann cid", after=first.task_id)
    revise(first, by("ann", -200), after=second.task_id)
    asked = {"task_id": second.task_id, "action": "heartbeat"}
    options = CallerOptions(workspace=workspace.slug, agent="cid")

    fields = directly(options, "handoff_update", asked).fields

    assert set(fields["deadlock_tasks"]) == {first.task_id, second.task_id}


def test_a_deadlock_is_an_alarm_to_all_that_are_in_it(workspace: Workspace) -> None:
    first = sent(workspace)
    second = sent(workspace, "ann cid", after=first.task_id)
    revise(first, by("ann", -200), after=second.task_id)
    program, slug = own_program(), workspace.slug

    found = program.get(f"/api/v1/workspaces/{slug}/alarms").json()["data"]
    asked = {"task_id": first.task_id}
    read = directly(CallerOptions(workspace=slug), "handoff_list", asked).fields

    circle = {first.task_id, second.task_id}
    assert [row["kind"] for row in found[:2]] == ["deadlock"] * 2
    assert {row["task_id"] for row in found[:2]} == set(found[0]["names"]) == circle
    assert set(read["whole"]["deadlock_tasks"]) == circle
    for agent in ("ann", "bob", "cid"):
        news = program.get(f"/api/v1/workspaces/{slug}/inbox?agent={agent}").json()
        assert "deadlock" in {each["what"] for each in news["data"]["news"]}


def test_rest_names_failed_work_and_open_breakers(workspace: Workspace) -> None:
    mark_failed(
        take(sent(workspace), by("bob", -2)).handoff, by("bob", -1), reason="no hinge"
    )
    failures = "".join(
        f"- 2026-11-20 12:0{n} cid: L2 failed, as reported: slow\n" for n in range(3)
    )
    say(workspace, {"memories/errors.md": f"# Errors\n\n{failures}"})

    found = own_program().get(f"/api/v1/workspaces/{workspace.slug}/alarms").json()

    shown = [(row["kind"], row["names"], row["context"]) for row in found["data"]]
    breaker = ("breaker", ["cid"], "L2 failed, as reported: slow")
    assert shown == [breaker, ("failed", ["bob"], "Mend the door")]


def test_a_result_names_the_parts_that_are_not_finished(workspace: Workspace) -> None:
    whole = take(sent(workspace), by("bob", -1)).handoff
    part = sent(workspace, "ann cid", parent=whole.task_id)
    options = CallerOptions(workspace=workspace.slug, agent="bob")
    result = {"task_id": whole.task_id, "status": "done", "output": "Mended"}

    notes = directly(options, "handoff_report", result).fields["notes"]

    assert notes == [f"Parts of it are not finished: {part.task_id}."]


def test_the_sender_learns_that_its_work_elsewhere_can_never_begin(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    first = send(shop, Task("", "", "baker", "read_only", "Sow", "i"), by("ann", -9))
    task = Task("", "", "mill/bob", "write", "Grind", "i", after=first.handoff.task_id)
    second = send(shop, task, by("ann", -8)).handoff
    options, asked = CallerOptions(workspace=shop.slug), {"task_id": second.task_id}
    before = directly(options, "handoff_list", asked).fields["handoffs"][0]["waits"]
    mark_failed(
        take(first.handoff, by("baker", -7)).handoff, by("baker", -6), reason="x"
    )

    after = directly(options, "handoff_list", asked).fields["handoffs"][0]["waits"]

    away = f"its work is done in {mill.slug}"
    named = f"{shop.slug}/{first.handoff.task_id}"
    assert (before, after) == (away, f"{away}; after {named}, which is failed")
