"""Handoffs through the hub: what is written, and what the rules refuse."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memoryhub.dialects import handoff as handoff_format
from memoryhub.dialects.handoff import Task
from memoryhub.events.models import Event
from memoryhub.formats.base import FormatError
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.board import Filters, board
from memoryhub.handoffs.rules.acting import NotAllowed
from memoryhub.handoffs.services.sending import Author, Terms, find, send
from memoryhub.handoffs.services.steps import Step, hand_off_again, move, take
from memoryhub.journal.models import Workspace
from memoryhub.sync.edit.editing import undo
from memoryhub.sync.edit.edits import Conflict
from tests.conftest import MakeWorkspace
from tests.handoffs.steps import (
    block,
    mark_failed,
    override,
    put_back,
    reopen,
    revise,
    send_back,
    sign_off,
    withdraw,
)
from tests.writing import assert_a_rebuild_changes_nothing, say

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    return make_workspace(workspace_root)


def asked(actor: str, minutes: int = 0, *, coordinates: bool = False) -> Author:
    return Author(actor, coordinates, at=NOON + timedelta(minutes=minutes))


LEAD = asked("lead", 1, coordinates=True)


TASK = Task("", "", "builder", "write", "Mend the door", "Hinge 2\n```\n## Log")


def sent(workspace: Workspace, kind: str = "write", minutes: int = 0) -> Handoff:
    task = replace(TASK, type=kind)
    return send(workspace, task, asked("planner", minutes)).handoff


def refused(caught: pytest.ExceptionInfo[FormatError]) -> str:
    return caught.value.code


def test_a_handoff_is_a_file_that_an_agent_can_read(workspace: Workspace) -> None:
    handoff = sent(workspace)
    done = take(handoff, asked("builder", 5)).handoff

    text = (Path(workspace.root) / "memory/handoffs/20261120-01.md").read_text()
    assert text == (
        "# Handoff 20261120-01\n\n<task>\n  <from>planner</from>\n"
        "  <to>builder</to>\n  <task_id>20261120-01</task_id>\n"
        "  <type>write</type>\n  <context>Mend the door</context>\n"
        "  <input>Hinge 2\n```\n## Log</input>\n"
        "  <expected_output></expected_output>\n  <constraints></constraints>\n"
        "</task>\n\n## Log\n\n- 2026-11-20T12:00:00Z planner: sent\n"
        "- 2026-11-20T12:05:00Z builder: taken\n"
    )
    assert (done.state, done.taken_by, done.standing) == (
        "in_progress", "builder", "2 taken, builder"
    )  # fmt: skip
    assert_a_rebuild_changes_nothing(workspace)


def test_ids_count_up_within_a_day(workspace: Workspace) -> None:
    say(workspace, {"AGENTS.md": "<task>\n<from>a</from>\n<to>b</to>\n"
                    "<task_id>20261120-07</task_id>\n</task>\n"})  # fmt: skip

    assert sent(workspace).task_id == "20261120-08"
    assert sent(workspace).task_id == "20261120-09"


def test_writes_go_one_by_one_in_their_order(workspace: Workspace) -> None:
    first, second = sent(workspace), sent(workspace, minutes=1)

    with pytest.raises(NotAllowed) as out_of_turn:
        take(second, asked("builder"))
    take(first, asked("builder"))
    with pytest.raises(NotAllowed) as busy:
        take(second, asked("builder"))

    assert refused(out_of_turn) == "handoff-lane-order"
    assert refused(busy) == "handoff-lane-busy"
    assert busy.value.parameters == {"task_id": "20261120-01", "actor": "builder"}


def test_a_blocked_write_keeps_its_place_and_lets_the_next_go(
    workspace: Workspace,
) -> None:
    first, second = sent(workspace), sent(workspace, minutes=1)
    third = sent(workspace, minutes=2)
    block(first, asked("builder"), reason="no key")
    take(second, asked("builder"))
    put_back(second, asked("builder"))

    take(first, asked("builder"))

    block(first, asked("builder"), reason="again")
    with pytest.raises(NotAllowed):
        take(third, asked("builder"))


def test_a_coordinator_lets_a_write_go_out_of_turn_but_not_beside_another(
    workspace: Workspace,
) -> None:
    first, second = sent(workspace), sent(workspace, minutes=1)
    override(second, LEAD, reason="the fire is there")

    take(second, asked("builder"))

    with pytest.raises(NotAllowed, match="lane-busy"):
        override(first, asked("lead", coordinates=True), reason="also")
        take(first, asked("builder"))


def test_a_decision_waits_for_its_sign_off(workspace: Workspace) -> None:
    handoff = sent(workspace, "decision")
    with pytest.raises(NotAllowed, match="not-signed"):
        take(handoff, asked("builder"))
    with pytest.raises(NotAllowed, match=r"^sign-off-needs-person"):
        move(handoff, Step("signed off"), asked("planner"))

    signed = sign_off(handoff, LEAD, base=handoff.standing).handoff

    assert signed.signed_by == "lead"
    assert take(handoff, asked("builder", 2)).handoff.state == "in_progress"


def test_a_decision_signed_in_another_tab_says_by_whom(workspace: Workspace) -> None:
    handoff = sent(workspace, "decision")
    sign_off(handoff, LEAD, base=handoff.standing)

    with pytest.raises(Conflict) as caught:
        sign_off(handoff, asked("ann", coordinates=True), base=handoff.standing)

    assert caught.value.current == "2 signed off, lead"


def test_a_decision_sent_back_is_unsigned(workspace: Workspace) -> None:
    handoff = sent(workspace, "decision")
    sign_off(handoff, LEAD)
    send_back(handoff, asked("lead", 2, coordinates=True), reason="on second thought")
    revise(handoff, asked("planner", 3))

    with pytest.raises(NotAllowed, match="not-signed"):
        take(handoff, asked("builder"))


def test_reads_run_side_by_side(workspace: Workspace) -> None:
    for handoff in [sent(workspace, "read_only"), sent(workspace, "read_only")]:
        assert take(handoff, asked("builder")).handoff.state == "in_progress"


def test_only_those_concerned_change_a_handoff(workspace: Workspace) -> None:
    handoff = sent(workspace)

    for act in (take, withdraw):
        with pytest.raises(NotAllowed, match="not-yours"):
            act(handoff, asked("stranger"))
    assert withdraw(handoff, asked("planner")).handoff.state == "withdrawn"


def test_the_same_key_is_done_once(workspace: Workspace) -> None:
    task = Task("", "", "builder", "write", "c", "i")
    form = asked("planner")
    once, again = send(workspace, task, form), send(workspace, task, form)
    turn = asked("builder")

    take(once.handoff, turn)

    assert once.handoff.pk == again.handoff.pk
    assert take(once.handoff, turn).handoff.moves == 2


def test_undo_takes_a_step_back(workspace: Workspace) -> None:
    handoff = sent(workspace, "decision")
    done = sign_off(handoff, LEAD)

    undo(workspace, done.operation, "lead")

    handoff.refresh_from_db()
    assert (handoff.signed_by, handoff.moves) == ("", 1)
    assert_a_rebuild_changes_nothing(workspace)


def test_undo_begins_no_write_beside_another(workspace: Workspace) -> None:
    first, second = sent(workspace), sent(workspace, minutes=1)
    take(first, asked("builder"))
    stopped = block(first, asked("builder"), reason="no key")
    take(second, asked("builder"))

    with pytest.raises(NotAllowed, match="lane-busy"):
        undo(workspace, stopped.operation, "operator")


def test_handing_off_again_ends_the_old_one(workspace: Workspace) -> None:
    old = sent(workspace)
    new = hand_off_again(old, asked("planner"), recipient="mason").handoff

    old.refresh_from_db()
    assert (new.task_id, new.recipient) == ("20261120-02", "mason")
    assert (old.state, old.last_verb) == ("withdrawn", "withdrawn")


def test_a_task_elsewhere_has_its_log_in_a_file_of_the_hub(
    workspace: Workspace,
) -> None:
    block_ = "<task>\n<from>planner</from>\n<to>builder</to>\n<task_id>T-1</task_id>\n"
    both = f"{block_}<type>write</type>\n</task>\n\n" * 2
    say(
        workspace,
        {"AGENTS.md": both, "memory/a.md": both.replace("write", "read_only")},
    )

    for handoff in Handoff.objects.filter(type="read_only"):
        take(handoff, asked("builder"))

    states = Handoff.objects.values_list("type", "state").distinct()
    assert set(states) == {("write", "open"), ("read_only", "in_progress")}
    assert_a_rebuild_changes_nothing(workspace)


def test_an_id_that_two_have_is_a_choice(workspace: Workspace) -> None:
    task = "<task>\n<from>a</from>\n<to>b</to>\n<task_id>T-1</task_id>\n</task>\n\n"
    say(workspace, {"AGENTS.md": task * 2})

    with pytest.raises(NotAllowed, match=r"in AGENTS\.md:1, .* in AGENTS\.md:7"):
        find(workspace, "T-1")
    for handoff in Handoff.objects.all():
        assert find(workspace, handoff.code) == handoff


def test_every_step_is_an_event_with_who_and_why(workspace: Workspace) -> None:
    handoff = sent(workspace, "decision")
    sign_off(handoff, LEAD, reason="cheap")
    take(handoff, asked("builder", 2))
    mark_failed(handoff, asked("builder", 3), reason="no wood")

    told = Event.objects.filter(kind="handoff").order_by("position")
    assert [(e.verb, (e.data or {})["by"], e.detail) for e in told] == [
        ("sent", "planner", ""),
        ("signed_off", "lead", "cheap"),
        ("in_progress", "builder", ""),
        ("failed", "builder", "no wood"),
    ]


def test_it_is_written_at_once_where_a_person_reviews(workspace: Workspace) -> None:
    Workspace.objects.update(review_before_writing=True)
    workspace.refresh_from_db()

    assert take(sent(workspace), asked("builder")).handoff.state == "in_progress"


@pytest.mark.parametrize("name", ["{to}", "a | b", "a\nb", "<task>x\0", "", "a" * 101])
def test_a_name_that_would_not_be_read_back_is_refused(
    workspace: Workspace, name: str
) -> None:
    task = Task("", "", name, "write", "c", "i")

    with pytest.raises(FormatError):
        send(workspace, task, asked("planner"))

    assert not list(Path(workspace.root).iterdir())


def test_undo_of_what_was_sent_leaves_no_file(workspace: Workspace) -> None:
    task = Task("", "", "builder", "write", "c", "i")
    done = send(workspace, task, asked("planner"))

    back = undo(workspace, done.operation, "planner")

    assert not list(Path(workspace.root).rglob("*.md"))
    undo(workspace, back, "planner")
    assert find(workspace, "20261120-01").moves == 1
    assert sent(workspace).task_id == "20261120-02"


def test_undo_of_the_first_step_of_a_task_elsewhere_leaves_no_file(
    workspace: Workspace,
) -> None:
    names = "<from>a</from>\n<to>b</to>\n<task_id>T-1</task_id>"
    task = f"<task>\n{names}\n<type>write</type>\n</task>\n"
    say(workspace, {"AGENTS.md": task})
    done = take(find(workspace, "T-1"), asked("b"))

    undo(workspace, done.operation, "b")

    assert [p.name for p in Path(workspace.root).rglob("*.md")] == ["AGENTS.md"]
    assert find(workspace, "T-1").state == "open"


@pytest.mark.parametrize("due", [datetime.max, datetime.min.replace(tzinfo=UTC)])
def test_a_due_time_is_written_or_refused(workspace: Workspace, due: datetime) -> None:
    task = Task("", "", "builder", "write", "c", "i")

    handoff = send(workspace, task, asked("planner"), Terms(due)).handoff

    assert handoff.due_at is not None


def test_work_of_a_topic_without_a_file_is_handed_off_again(
    workspace: Workspace,
) -> None:
    task = Task("", "", "builder", "write", "c", "i")
    old = send(workspace, task, asked("planner"), Terms(topic="doors")).handoff

    assert hand_off_again(old, asked("planner")).handoff.task_id == "20261120-02"


def test_a_result_that_was_not_logged_is_logged_before_what_follows(
    workspace: Workspace,
) -> None:
    handoff = take(sent(workspace), asked("builder", 1)).handoff
    path = handoff.file.path
    text = (Path(workspace.root) / path).read_text()
    block = "<r>\n  <task_id>20261120-01</task_id>\n  <status>done</status>\n</r>\n"
    say(workspace, {path: f"{text}\n{block}"})

    done = reopen(handoff, LEAD, reason="The hinge squeaks").handoff

    log = handoff_format.parse((Path(workspace.root) / path).read_text()).log
    said = ["sent", "taken", "done", "reopened"]
    assert ([line.verb for line in log], log[2].actor) == (said, "builder")
    assert done.state == "open"


def test_the_lane_and_the_board_go_by_number_within_a_second(
    workspace: Workspace,
) -> None:
    for task_id in ("20261120-100", "20261120-99"):
        send(workspace, replace(TASK, task_id=task_id), asked("planner"))
    first, second = (find(workspace, f"20261120-{n}") for n in (99, 100))

    with pytest.raises(NotAllowed, match="lane-order"):
        take(second, asked("builder"))

    (open_, *_) = board([workspace], Filters(), NOON)
    assert [card.id for card in open_.cards] == [first.id, second.id]
    assert take(first, asked("builder")).handoff.state == "in_progress"
