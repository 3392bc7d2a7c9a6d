"""A handoff between two workspaces is one conversation with a file in each."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.formats.hub.handoff import Result, Task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.board import Filters, board
from memoryhub.handoffs.queries.lane import unfinished
from memoryhub.handoffs.rules.acting import NotAllowed
from memoryhub.handoffs.services import reconciling
from memoryhub.handoffs.services.resending import hand_off_again
from memoryhub.handoffs.services.results import report
from memoryhub.handoffs.services.sending import send
from memoryhub.handoffs.services.steps import take
from memoryhub.handoffs.services.twins import twin_of
from memoryhub.journal.models import Operation, Workspace
from memoryhub.sync.edit.editing import undo
from tests.handoffs.steps import sign_off, withdraw
from tests.handoffs.twins import NOON, PLACE, by, log_of, of, sent
from tests.writing import assert_a_rebuild_changes_nothing, say


class Killed(BaseException):
    """The process ends here."""


def test_it_is_sent_into_both_workspaces(both: tuple[Workspace, Workspace]) -> None:
    shop, mill = both
    here = sent(shop)

    there = of(mill)
    assert (here.sender, here.recipient, here.twin, here.away) == (
        "baker", "mill/miller", "mill/20261120-01", True
    )  # fmt: skip
    assert (there.sender, there.recipient, there.twin, there.away) == (
        "shop/baker", "miller", "shop/20261120-01", False
    )  # fmt: skip
    assert twin_of(here) == there and twin_of(there) == here
    for workspace in both:
        assert_a_rebuild_changes_nothing(workspace)


def test_both_files_say_what_happened(both: tuple[Workspace, Workspace]) -> None:
    shop, mill = both
    sent(shop)
    take(of(mill), by("miller", 1))

    report(of(mill), Result("", "done", "Flour"), by("miller", 2))

    assert log_of(shop) == [
        "- 2026-11-20T12:00:00Z baker: sent",
        "- 2026-11-20T12:01:00Z mill/miller: taken",
        "- 2026-11-20T12:02:00Z mill/miller: done",
    ]
    assert (of(shop).state, of(shop).result) == ("done", "Flour")
    assert len(log_of(mill)) == 3


def test_the_write_is_in_the_lane_where_it_is_done(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    first = send(mill, Task("", "", "miller", "write", "c", "i"), by("boss")).handoff
    take(first, by("miller"))
    there = twin_of(sent(shop))

    assert there is not None
    assert (len(unfinished(shop).lane.order), len(unfinished(mill).lane.order)) == (
        0,
        2,
    )
    with pytest.raises(NotAllowed, match="lane-busy"):
        take(there, by("miller"))


def test_the_board_of_several_workspaces_shows_it_once(
    both: tuple[Workspace, Workspace],
) -> None:
    sent(both[0])

    (open_, *_) = board(both, Filters(), NOON)

    assert [card.recipient for card in open_.cards] == ["miller"]


def test_what_a_crash_left_out_is_made_good_by_the_next_change(
    both: tuple[Workspace, Workspace], monkeypatch: pytest.MonkeyPatch
) -> None:
    shop, mill = both
    sent(shop)
    _die_before_the_other_file(monkeypatch)
    with pytest.raises(Killed):
        take(of(mill), by("miller", 1))
    monkeypatch.undo()
    assert len(log_of(shop)) == 1

    withdraw(of(shop), by("baker", 2))

    assert len(log_of(shop)) == len(log_of(mill)) == 3


def test_a_call_that_a_crash_cut_off_can_be_made_again(
    both: tuple[Workspace, Workspace], monkeypatch: pytest.MonkeyPatch
) -> None:
    shop, mill = both
    task, form = Task("", "", "mill/miller", "write", "c", "i"), by("baker")
    _die_before_the_other_file(monkeypatch)
    with pytest.raises(Killed):
        send(shop, task, form)
    monkeypatch.undo()

    send(shop, task, form)

    assert Handoff.objects.filter(workspace=shop).count() == 1
    assert of(mill).state == "open"


def test_what_an_agent_wrote_itself_reaches_the_other_file(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    sent(shop, "decision")
    text = (Path(mill.root) / PLACE).read_text()
    say(mill, {PLACE: text + "- 2026-11-20T12:03:00Z boss: signed off -- go\n"})

    sign_off(of(mill), by("boss", 4))

    assert [line.split(" ")[2] for line in log_of(shop)[1:]] == ["mill/boss:"] * 2
    assert of(shop).signed_by == "mill/boss"


def test_undo_takes_a_step_back_in_both(both: tuple[Workspace, Workspace]) -> None:
    shop, mill = both
    sent(shop, "decision")
    done = sign_off(of(shop), by("lead", coordinates=True))
    assert of(mill).signed_by == "shop/lead"

    undo(shop, done.operation, "lead")

    assert [of(w).signed_by for w in both] == ["", ""]
    assert len(log_of(shop)) == len(log_of(mill)) == 1


def test_undo_takes_back_what_was_sent_to_both(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, _ = both
    sent(shop)

    undo(shop, Operation.objects.get(workspace=shop, verb="send_handoff"), "baker")

    assert not Handoff.objects.filter(last_seq__isnull=True).exists()


def test_a_name_with_a_slash_of_no_workspace_is_a_name(
    both: tuple[Workspace, Workspace],
) -> None:
    task = Task("", "", "elsewhere/miller", "write", "c", "i")

    assert send(both[0], task, by("baker")).handoff.twin == ""


def _die_before_the_other_file(monkeypatch: pytest.MonkeyPatch) -> None:
    hear = reconciling._Side.hear

    def die(self: reconciling._Side, other: reconciling._Side, *, leads: bool) -> None:
        if len(other.read().log) > len(self.read().log):
            raise Killed
        hear(self, other, leads=leads)

    monkeypatch.setattr(reconciling._Side, "hear", die)


def test_a_file_that_was_lost_is_made_again_with_all_it_said(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    sent(shop)
    take(of(mill), by("miller", 1))
    before = (Path(shop.root) / PLACE).read_text()
    say(shop, {PLACE: None})

    report(of(mill), Result("", "done", "Flour"), by("miller", 2))

    after = (Path(shop.root) / PLACE).read_text()
    assert after.startswith(before)
    assert "<o>Flour</o>" in after


def test_a_file_that_says_something_else_is_left_alone(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    sent(shop)
    say(shop, {PLACE: "# Notes\n"})

    take(of(mill), by("miller", 1))

    assert (Path(shop.root) / PLACE).read_text() == "# Notes\n"


def test_work_is_handed_off_again_into_another_workspace(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    task = Task("", "", "shop/baker", "write", "c", "i")
    old = send(shop, task, by("boss")).handoff

    hand_off_again(old, by("boss"), recipient="mill/miller")

    assert old.recipient == "baker"
    assert of(mill).sender == "shop/boss"
