"""Tasks that come after others or are part of one, and deadlocks among them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.dialects.handoff import Result, Task, find_tasks, render_task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.board import Filters, ready
from memoryhub.handoffs.queries.lane import parts_of, turns
from memoryhub.handoffs.queries.waiting import Deadlock, deadlocks
from memoryhub.handoffs.rules.acting import NotAllowed
from memoryhub.handoffs.services.sending import send
from memoryhub.handoffs.services.steps import Step, hand_off_again, move, report, take
from memoryhub.journal.models import Workspace
from tests.conftest import MakeWorkspace
from tests.handoffs.pairs import NOON, by, sent
from tests.handoffs.steps import mark_failed, revise
from tests.writing import assert_a_rebuild_changes_nothing, say


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    return make_workspace(workspace_root)


def done(handoff: Handoff, actor: str) -> Handoff:
    taken = take(handoff, by(actor, 1)).handoff
    return report(taken, Result("", "done", "Mended"), by(actor, 2)).done.handoff


def can_take(workspace: Workspace) -> list[str]:
    rows = ready(workspace, Filters(), turns(workspace), NOON, limit=9)
    return [row.task_id for row in rows]


def test_a_block_says_what_it_comes_after() -> None:
    task = Task(
        "7", "a", "b", "write", "c", "<parent>x</parent>", after="5, 6", parent="1"
    )

    (found,) = find_tasks(render_task(task))

    assert (found.after, found.parent, found.input) == (
        "5, 6",
        "1",
        "<parent>x</parent>",
    )
    assert "<paths>" not in render_task(task)


def test_a_task_is_ready_once_all_that_it_comes_after_is_done(
    workspace: Workspace,
) -> None:
    one, two = sent(workspace, "ann bob"), sent(workspace, "ann cid")
    last = sent(workspace, "ann dan", after="20261120-01, 20261120-02")

    done(one, "bob")
    with pytest.raises(NotAllowed, match=r"handoff-after .*first=20261120-02"):
        take(last, by("dan", 3))
    assert can_take(workspace) == ["20261120-02"]

    done(two, "cid")
    assert can_take(workspace) == ["20261120-03"]
    assert_a_rebuild_changes_nothing(workspace)


def test_a_read_is_not_reported_before_what_it_comes_after(
    workspace: Workspace,
) -> None:
    sent(workspace, "ann bob")
    last = sent(workspace, "ann dan", after="20261120-01")

    with pytest.raises(NotAllowed, match=r"^handoff-after"):
        report(last, Result("", "done", "Mended"), by("dan", 3))


def test_what_failed_lets_nothing_begin_until_it_is_done_again(
    workspace: Workspace,
) -> None:
    one = sent(workspace, "ann bob")
    last = sent(workspace, "ann dan", after="20261120-01")
    mark_failed(one, by("bob", 1), reason="no wood")

    with pytest.raises(NotAllowed, match="state=failed"):
        take(last, by("dan", 2))
    again = hand_off_again(one, by("ann", 3), recipient="eve").handoff
    assert can_take(workspace) == [again.task_id]


def test_failed_work_that_went_on_counts_by_its_last_handoff(
    workspace: Workspace,
) -> None:
    one = sent(workspace, "ann bob")
    last = sent(workspace, "ann dan", after="20261120-01")
    mark_failed(one, by("bob", 1), reason="no wood")
    again = hand_off_again(one, by("ann", 3), recipient="eve").handoff

    done(again, "eve")

    assert can_take(workspace) == [last.task_id]


def test_withdrawn_work_that_went_on_counts_by_its_last_handoff(
    workspace: Workspace,
) -> None:
    one = sent(workspace, "ann bob")
    last = sent(workspace, "ann dan", after="20261120-01")
    again = hand_off_again(one, by("ann", 3), recipient="eve").handoff

    done(again, "eve")

    assert can_take(workspace) == [last.task_id]


def test_nothing_comes_after_what_nobody_knows(workspace: Workspace) -> None:
    with pytest.raises(NotAllowed, match=r"^handoff-after-unknown") as refused:
        sent(workspace, "ann bob", after="20261120-09")
    assert refused.value.parameters == {"task_id": "20261120-09"}

    say(workspace, {"notes.md": render_task(Task("7", "a", "b", "write", after="9"))})
    assert can_take(workspace) == []


def test_a_write_that_comes_after_others_lets_the_next_one_go(
    workspace: Workspace,
) -> None:
    sent(workspace, "ann bob")
    sent(workspace, "ann cid", "write", after="20261120-01")
    free = sent(workspace, "ann dan", "write")

    assert take(free, by("dan", 1)).handoff.state == "in_progress"


def test_another_workspaces_task_is_named_by_its_workspace(
    workspace: Workspace, make_workspace: MakeWorkspace, tmp_path: Path
) -> None:
    (tmp_path / "mill").mkdir()
    mill = make_workspace(tmp_path / "mill")
    first = sent(workspace, "ann bob")
    sent(workspace, f"ann {mill.slug}/eve", after=first.task_id)

    row = Handoff.objects.get(workspace=mill)
    assert row.after == f"{workspace.slug}/{first.task_id}"
    assert can_take(mill) == []
    done(first, "bob")
    assert can_take(mill) == [row.task_id]


def test_the_parts_of_a_task_are_named_with_it(
    client: Client, workspace: Workspace
) -> None:
    whole = sent(workspace, "ann bob")
    part = sent(workspace, "bob cid", parent=whole.task_id)

    assert parts_of(whole) == [part]
    url = f"/w/{workspace.slug}/handoffs/"
    assert f'"{url}{part.code}/"' in client.get(f"{url}{whole.code}/").content.decode()
    page = client.get(f"{url}{part.code}/").content.decode()
    assert "Part of" in page
    assert f'"{url}{whole.code}/"' in page


def test_two_untaken_unrelated_reads_are_no_deadlock(workspace: Workspace) -> None:
    sent(workspace, "eve fay")
    sent(workspace, "fay eve")

    assert deadlocks(workspace) == ()


def test_a_question_back_is_no_deadlock(workspace: Workspace) -> None:
    plan = take(sent(workspace, "lead alpha", "write"), by("alpha", 1)).handoff
    asked = sent(workspace, "alpha beta", parent=plan.task_id)
    sent(workspace, "beta alpha", parent=asked.task_id)
    assert deadlocks(workspace) == ()

    take(asked, by("beta", 2))
    assert deadlocks(workspace) == ()


def test_work_in_progress_that_needs_anothers_work_is_a_deadlock(
    workspace: Workspace,
) -> None:
    first = take(sent(workspace, "lead ann"), by("ann", 1)).handoff
    second = take(
        sent(workspace, "ann bob", parent=first.task_id), by("bob", 2)
    ).handoff
    task = Task("", "", "ann", "write", "c", "i", parent=second.task_id)

    told = send(workspace, task, by("bob", 3)).deadlock

    assert told is not None
    assert (set(told.tasks), set(told.agents)) == (
        {"20261120-01", "20261120-02", "20261120-03"}, {"ann", "bob"}
    )  # fmt: skip
    assert deadlocks(workspace) == (told,)


def test_the_holder_of_a_lane_that_needs_a_write_is_in_a_deadlock(
    workspace: Workspace,
) -> None:
    held = take(sent(workspace, "lead cid", "write"), by("cid", 1)).handoff
    sent(workspace, "cid dan", "write", parent=held.task_id)

    (found,) = deadlocks(workspace)

    assert found == Deadlock(("20261120-01", "20261120-02"), ("cid", "dan"))


def test_begun_work_waits_no_more_for_what_it_came_after(workspace: Workspace) -> None:
    first = done(sent(workspace, "lead ann", "write"), "ann")
    second = sent(workspace, "lead bob", "write", after=first.task_id)
    begun = take(second, by("bob", 3)).handoff

    again = move(first, Step("reopened", "it squeaks"), by("lead", 4))

    assert again.deadlock is None
    assert deadlocks(workspace) == ()
    assert report(begun, Result("", "done", "x"), by("bob", 5)).done.handoff.finished_at


def test_an_agents_own_part_of_its_begun_work_is_no_deadlock(
    workspace: Workspace,
) -> None:
    whole = take(sent(workspace, "lead ann"), by("ann", 1)).handoff
    part = sent(workspace, "ann ann", "write", parent=whole.task_id)

    assert deadlocks(workspace) == ()
    assert take(part, by("ann", 2)).handoff.state == "in_progress"


def test_what_waits_for_its_acceptance_is_in_no_deadlock(workspace: Workspace) -> None:
    task = Task("", "", "ann", "read_only", "c", "i", review="sender")
    whole = send(workspace, task, by("lead")).handoff
    part = replace(task, recipient="bob", parent=whole.task_id, after=whole.task_id)
    assert send(workspace, part, by("lead")).deadlock

    assert done(whole, "ann").state == "review"
    assert deadlocks(workspace) == ()


def test_a_write_for_other_files_is_in_no_deadlock(workspace: Workspace) -> None:
    held = sent(workspace, "lead cid", "write", paths="src")
    take(held, by("cid", 1))
    sent(workspace, "cid dan", "write", parent=held.task_id, paths="docs")

    assert deadlocks(workspace) == ()


def test_tasks_that_come_after_each_other_are_a_deadlock(workspace: Workspace) -> None:
    one = sent(workspace, "ann bob")
    sent(workspace, "ann cid", after=one.task_id)

    told = revise(one, by("ann", 1), after="20261120-02").deadlock

    assert told == Deadlock(("20261120-01", "20261120-02"), ("bob", "cid"))


def test_each_task_of_two_joined_circles_is_in_a_deadlock(
    workspace: Workspace,
) -> None:
    whole = sent(workspace, "ann bob")
    part = sent(workspace, "ann cid", after=whole.task_id, parent=whole.task_id)

    last = Task("", "", "dan", "read_only", "c", "i", after=part.task_id)
    last = replace(last, parent=whole.task_id)
    told = send(workspace, last, by("ann")).deadlock

    assert told is not None
    assert told.tasks == ("20261120-01", "20261120-03", "20261120-02")


def test_a_deadlock_leads_through_work_that_was_handed_off_again(
    workspace: Workspace,
) -> None:
    one = sent(workspace, "ann bob")
    two = sent(workspace, "ann cid", after=one.task_id)
    heir = hand_off_again(one, by("ann", 1), recipient="eve").handoff

    told = revise(heir, by("ann", 2), after=two.task_id).deadlock

    assert told is not None
    assert set(told.tasks) == {two.task_id, heir.task_id}
    assert deadlocks(workspace) == (told,)


def test_a_deadlock_names_anothers_task_by_its_workspace(
    workspace: Workspace, make_workspace: MakeWorkspace, tmp_path: Path
) -> None:
    (tmp_path / "mill").mkdir()
    mill = make_workspace(tmp_path / "mill")
    first = sent(workspace, "ann bob")
    sent(workspace, f"ann {mill.slug}/eve", after=first.task_id)
    there = f"{mill.slug}/{Handoff.objects.get(workspace=mill).task_id}"

    told = revise(first, by("ann", 1), after=there).deadlock

    assert told is not None
    assert set(told.tasks) == {first.task_id, there}


def test_whoever_takes_a_task_hears_of_the_deadlock_with_its_part(
    workspace: Workspace,
) -> None:
    whole = sent(workspace, "ann bob")
    part = sent(workspace, "ann cid", after=whole.task_id, parent=whole.task_id)

    told = take(whole, by("bob", 2)).deadlock

    assert told == Deadlock((whole.task_id, part.task_id), ("bob", "cid"))
