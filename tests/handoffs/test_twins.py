"""A handoff between two workspaces is one conversation with a file in each."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memoryhub.formats.handoff import (
    Fields,
    Result,
    Task,
    find_results,
    render_handoff,
    render_result,
)
from memoryhub.handoffs import services_level
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries import Filters, board
from memoryhub.handoffs.queries_lane import unfinished
from memoryhub.handoffs.rules import NotAllowed
from memoryhub.handoffs.services import Asked, send
from memoryhub.handoffs.services_again import hand_off_again
from memoryhub.handoffs.services_results import report
from memoryhub.handoffs.services_steps import take
from memoryhub.handoffs.services_twins import twin_of
from memoryhub.sync.edits import undo
from memoryhub.sync.engine import SyncReport, sync_workspace
from memoryhub.workspaces.models import Operation, Problem, Workspace
from tests.conftest import MakeWorkspace
from tests.handoffs.steps import sign_off, withdraw
from tests.writing import assert_a_rebuild_changes_nothing, say

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
PLACE = "memory/handoffs/20261120-01.md"


class Killed(BaseException):
    """The process ends here."""


@pytest.fixture
def both(tmp_path: Path, make_workspace: MakeWorkspace) -> tuple[Workspace, Workspace]:
    roots = (tmp_path / "shop", tmp_path / "mill")
    for root in roots:
        root.mkdir()
    shop, mill = map(make_workspace, roots)
    return shop, mill


def by(actor: str, minutes: int = 0, *, coordinates: bool = False) -> Asked:
    return Asked(actor, coordinates, at=NOON + timedelta(minutes=minutes))


def sent(shop: Workspace, kind: str = "write") -> Handoff:
    task = Task("", "", "mill/miller", kind, "Grind", "Wheat")
    return send(shop, task, by("baker")).handoff


def of(workspace: Workspace) -> Handoff:
    return Handoff.objects.get(workspace=workspace)


def log_of(workspace: Workspace) -> list[str]:
    text = (Path(workspace.root) / PLACE).read_text()
    return [line for line in text.split("\n") if line.startswith("- 2026")]


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

    take(of(mill), by("miller", 4))

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
    hear = services_level._Side.hear

    def die(
        self: services_level._Side, other: services_level._Side, *, leads: bool
    ) -> None:
        if len(other.read().log) > len(self.read().log):
            raise Killed
        hear(self, other, leads=leads)

    monkeypatch.setattr(services_level._Side, "hear", die)


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


def add(workspace: Workspace, *lines: str) -> SyncReport:
    """Write lines into a workspace's file by hand, and import them."""
    text = (Path(workspace.root) / PLACE).read_text()
    said = "".join(f"- 2026-11-20T{line}\n" for line in lines)
    return say(workspace, {PLACE: text + said})


def problems(workspace: Workspace) -> list[str]:
    rows = Problem.objects.filter(workspace=workspace, until_seq__isnull=True)
    return [row.code_name for row in rows]


def test_an_edit_by_hand_reaches_the_other_file_with_the_next_sync(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    sent(shop, "decision")

    add(mill, "12:03:00Z boss: signed off -- go")

    assert log_of(shop)[-1] == "- 2026-11-20T12:03:00Z mill/boss: signed off -- go"
    assert of(shop).signed_by == "mill/boss"
    add(shop, "12:04:00Z baker: withdrawn")
    assert of(mill).state == of(shop).state == "done"
    assert not problems(shop) and not problems(mill)


def test_what_reached_the_other_file_goes_no_further(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    sent(shop)
    add(mill, "12:03:00Z mill/miller: taken", "12:04:00 shop/baker: put back")

    before = [log_of(workspace) for workspace in both]
    for workspace in (shop, mill, shop):
        assert sync_workspace(workspace).is_empty

    assert [log_of(workspace) for workspace in both] == before
    for workspace in both:
        assert_a_rebuild_changes_nothing(workspace)


def test_both_files_come_to_the_same_order_where_both_were_edited(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    sent(shop)
    place = Path(shop.root) / PLACE
    place.write_text(place.read_text() + "- 2026-11-20T12:05:00Z baker: withdrawn\n")

    add(mill, "12:03:00Z miller: taken", "12:07:00Z miller: blocked -- no wheat")

    times = ["12:00", "12:03", "12:05", "12:07"]
    for workspace in both:
        assert [line[13:18] for line in log_of(workspace)] == times
    assert of(shop).state == of(mill).state == "blocked"
    assert_a_rebuild_changes_nothing(shop)


def test_a_handoff_that_an_agent_wrote_itself_is_made_in_the_other_workspace(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    task = Task("20261120-01", "baker", "mill/miller", "write", "Grind", "Wheat")
    text = render_handoff(task, Fields(twin="mill/20261120-01"))

    say(shop, {PLACE: text + "\n- 2026-11-20T12:00:00Z baker: sent\n"})

    assert (of(mill).sender, of(mill).recipient) == ("shop/baker", "miller")
    assert log_of(mill) == ["- 2026-11-20T12:00:00Z shop/baker: sent"]


def test_results_by_hand_on_both_sides_are_kept_in_one_order(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    sent(shop)
    for workspace, said in zip(both, ("Nothing", "Flour"), strict=True):
        block = render_result(Result("20261120-01", "done", said))
        place = Path(workspace.root) / PLACE
        place.write_text(f"{place.read_text()}\n{block}")

    sync_workspace(mill)

    for workspace in both:
        found = find_results((Path(workspace.root) / PLACE).read_text())
        assert [result.output for result in found] == ["Nothing", "Flour"]
    sync_workspace(shop)
    assert of(shop).result == of(mill).result == "Flour"


def test_what_the_lane_is_against_is_a_problem_until_it_is_free(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    first = send(mill, Task("", "", "miller", "write", "c", "i"), by("boss")).handoff
    take(first, by("miller"))
    task = Task("20261120-07", "", "mill/miller", "write", "Grind", "Wheat")
    send(shop, task, by("baker"))
    path = PLACE.replace("-01", "-07")
    text = (Path(shop.root) / path).read_text()

    report_of = say(shop, {path: text + "- 2026-11-20T12:02:00Z mill/miller: taken\n"})

    assert [problem.code for problem in report_of.problems] == ["twin-refused"]
    assert problems(shop) == ["twin-refused"]
    withdraw(first, by("boss", 3))
    sync_workspace(shop)
    assert not problems(shop)
    twin = Handoff.objects.get(workspace=mill, task_id="20261120-07")
    assert twin.state == "in_progress"


def test_a_workspace_that_is_gone_is_a_problem_while_work_is_open(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    sent(shop)
    Path(mill.root).rename(f"{mill.root}-away")

    add(shop, "12:03:00Z baker: overridden -- now")
    assert problems(shop) == ["twin-gone"]

    Path(f"{mill.root}-away").rename(mill.root)
    sync_workspace(shop)
    assert not problems(shop)
    assert log_of(mill)[-1].endswith("shop/baker: overridden -- now")


def test_a_file_that_somebody_took_away_is_not_made_again_unasked(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    sent(shop)
    say(mill, {PLACE: None, "memory/a.md": "a", "memory/b.md": "b"})

    add(shop, "12:03:00Z baker: overridden -- now")

    assert problems(shop) == ["twin-gone"]
    assert not (Path(mill.root) / PLACE).exists()


def test_odd_lines_settle_after_one_sync(both: tuple[Workspace, Workspace]) -> None:
    shop, mill = both
    sent(shop)
    add(mill, "12:03:00+02:00 a/b/c: taken -- x -- y", "12:04:00 miller: : put back")
    add(shop, "12:04:00 baker:  blocked  --  two  blanks", "nobody: done", "x: sent z")

    for workspace in (mill, shop):
        sync_workspace(workspace)
    before = [(Path(w.root) / PLACE).read_bytes() for w in both]
    for workspace in (mill, shop):
        sync_workspace(workspace)

    assert [(Path(w.root) / PLACE).read_bytes() for w in both] == before
    assert [of(w).moves for w in both] == [of(shop).moves] * 2
