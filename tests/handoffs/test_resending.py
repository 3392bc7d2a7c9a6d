"""Work handed off again: to one at a time, also when two ask or one is killed."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import pytest
from django.db import connections
from django.test import Client

from memoryhub.dialects.handoff import Result
from memoryhub.handoffs.log_verbs import UNSEND
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules.acting import NotAllowed
from memoryhub.handoffs.services import lane, steps
from memoryhub.handoffs.services.memory import take_back_sequel
from memoryhub.handoffs.services.sending import Author
from memoryhub.handoffs.services.steps import hand_off_again, report, take
from memoryhub.journal.models import Workspace
from memoryhub.sync.edit.editing import undo
from memoryhub.sync.edit.edits import Conflict, Edit
from memoryhub.workspaces.services.adding import add_workspace
from tests.handoffs.crew import by, sent
from tests.handoffs.steps import override, reopen, withdraw
from tests.writing import assert_a_rebuild_changes_nothing, say

LEAD = by("lead", 5)


class Killed(BaseException):
    """The process ends here."""


def _die(*_: object, **__: object) -> None:
    raise Killed


def _die_behind(take_back: Callable[..., None]) -> Callable[..., None]:
    def die(workspace: Workspace, edit: Edit, at: datetime) -> None:
        take_back(workspace, edit, at)
        if edit.verb == UNSEND:
            raise Killed

    return die


def left(workspace: Workspace) -> list[tuple[str, str, str]]:
    rows = Handoff.objects.filter(workspace=workspace, last_seq__isnull=True)
    said = rows.values_list("task_id", "state", "last_verb")
    return list(said.order_by("task_id"))


def test_it_is_made_from_what_was_seen(acme: Workspace) -> None:
    old = sent(acme)
    seen = old.standing
    take(old, by("builder", 1))

    with pytest.raises(Conflict):
        hand_off_again(old, LEAD, base=seen)

    assert left(acme) == [("20261120-01", "in_progress", "taken")]


def test_what_is_not_finished_is_not_handed_off_twice(acme: Workspace) -> None:
    old = sent(acme)
    new = hand_off_again(old, LEAD).handoff

    for act in (hand_off_again, _reopened):
        with pytest.raises(NotAllowed, match="20261120-02") as caught:
            act(old, by("lead", 6))
        assert caught.value.code == "handoff-again-open"

    withdraw(new, by("lead", 7))
    assert hand_off_again(old, by("lead", 8)).handoff.task_id == "20261120-03"


def _reopened(handoff: Handoff, asked: Author) -> object:
    return reopen(handoff, asked, reason="twice")


def test_what_a_file_alone_hands_off_again_can_be_withdrawn(acme: Workspace) -> None:
    old, new = sent(acme), sent(acme, minutes=1)
    path = Path(acme.root) / old.file.path
    line = f"- 2026-11-20T12:02:00Z planner: handed off again {new.task_id}\n"
    say(acme, {old.file.path: path.read_text() + line})
    old.refresh_from_db()
    assert old.state == "open"

    assert withdraw(old, by("planner", 3)).handoff.last_verb == "withdrawn"


def test_the_one_that_has_the_work_now_is_found_along_the_way(acme: Workspace) -> None:
    first = sent(acme)
    second = hand_off_again(first, LEAD).handoff
    hand_off_again(second, by("lead", 6))

    with pytest.raises(NotAllowed, match="20261120-03"):
        hand_off_again(first, by("lead", 7))


def test_an_undo_gives_the_work_back_to_the_old_one(acme: Workspace) -> None:
    done = hand_off_again(sent(acme), LEAD)

    undo(acme, done.operation, "lead")

    assert left(acme) == [("20261120-01", "open", "sent")]
    assert_a_rebuild_changes_nothing(acme)


def test_an_undo_is_refused_where_the_old_one_would_be_a_second_write(
    acme: Workspace,
) -> None:
    done = hand_off_again(take(sent(acme), by("builder", 1)).handoff, LEAD)
    other = sent(acme, to="scout", minutes=6)
    override(other, by("lead", 7), reason="urgent")
    take(other, by("scout", 8))

    with pytest.raises(NotAllowed, match="20261120-03"):
        undo(acme, done.operation, "lead")

    assert [state for _, state, _ in left(acme)] == ["withdrawn", "open", "in_progress"]


def test_no_undo_once_the_new_one_was_taken(acme: Workspace) -> None:
    done = hand_off_again(sent(acme), LEAD)
    take(done.handoff, by("builder", 6))

    with pytest.raises(Conflict):
        undo(acme, done.operation, "lead")

    assert [state for _, state, _ in left(acme)] == ["withdrawn", "in_progress"]


def test_an_undo_killed_on_its_way_loses_no_work(
    acme: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = hand_off_again(sent(acme), LEAD)
    monkeypatch.setattr(lane, "take_back_sequel", _die_behind(take_back_sequel))
    with pytest.raises(Killed):
        undo(acme, done.operation, "lead")
    monkeypatch.undo()
    assert [state for _, state, _ in left(acme)] == ["open", "open"]

    undo(acme, done.operation, "lead")

    assert left(acme) == [("20261120-01", "open", "sent")]


def test_the_page_tells_which_one_has_the_work(client: Client, acme: Workspace) -> None:
    old = sent(acme)
    hand_off_again(old, LEAD)

    page = client.get(f"/w/acme/handoffs/{old.code}/again/").content.decode()

    assert "The work of 20261120-01 went on as 20261120-02" in page


@pytest.mark.django_db(transaction=True)
def test_of_two_tabs_one_is_refused(workspace_root: Path, hub_data: Path) -> None:
    workspace = add_workspace(workspace_root)
    old = sent(workspace)

    def ask(minute: int) -> str:
        try:
            made = hand_off_again(old, by("lead", minute), base="1 sent, planner")
            return made.handoff.task_id
        except Conflict:
            return "moved on"
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(ask, (1, 2))) == ["20261120-02", "moved on"]


def test_killed_before_the_old_one_ended_it_ends_with_the_next_step(
    acme: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = sent(acme)
    monkeypatch.setattr(steps, "follow", _die)
    with pytest.raises(Killed):
        hand_off_again(old, LEAD)
    monkeypatch.undo()
    assert [state for _, state, _ in left(acme)] == ["open", "open"]

    with pytest.raises(NotAllowed):
        take(old, by("builder", 6))

    assert left(acme) == [
        ("20261120-01", "withdrawn", "withdrawn"),
        ("20261120-02", "open", "sent"),
    ]
    hand_off_again(old, LEAD)
    assert len(left(acme)) == 2
    assert_a_rebuild_changes_nothing(acme)


def test_killed_before_the_memory_update_it_is_written_with_the_next_step(
    acme: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    handoff = take(sent(acme), by("builder", 1)).handoff
    result = Result("", "done", "Hung", memory_update="memories/doors.md\nTwo hinges.")
    monkeypatch.setattr(steps, "remembered", _die)
    with pytest.raises(Killed):
        report(handoff, result, by("builder", 2))
    monkeypatch.undo()
    doors = Path(acme.root) / "memories/doors.md"
    assert not doors.exists()

    sent(acme, minutes=3)
    sent(acme, minutes=4)

    assert doors.read_text() == "Two hinges.\n"
    assert_a_rebuild_changes_nothing(acme)
