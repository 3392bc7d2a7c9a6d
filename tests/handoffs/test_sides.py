"""A handoff between two workspaces is one file, which both sides read and change."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.dialects.handoff import Result, Task, parse, render_result
from memoryhub.disk.files import FileError
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.board import Filters, board, listing
from memoryhub.handoffs.queries.ids import handoffs_named
from memoryhub.handoffs.queries.lane import unfinished
from memoryhub.handoffs.rules.acting import NotAllowed
from memoryhub.handoffs.services.sending import Author, Terms, send
from memoryhub.handoffs.services.steps import hand_off_again, report, take
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.people.services.tokens import make_token
from memoryhub.sync.edit import editing
from memoryhub.sync.edit.editing import undo
from memoryhub.sync.engine import sync_workspace
from memoryhub.workspaces.services.removal import begin_removal
from tests.handoffs.sides import NOON, PLACE, by, log_of, of, sent
from tests.handoffs.steps import put_back, sign_off, withdraw
from tests.writing import assert_a_rebuild_changes_nothing, say

Both = tuple[Workspace, Workspace]
NOTES = "memories/project.md"


class Killed(BaseException):
    """The process ends here."""


def files(workspace: Workspace) -> list[str]:
    root = Path(workspace.root)
    return sorted(str(path.relative_to(root)) for path in root.rglob("*.md"))


def notes(workspace: Workspace) -> str:
    return (Path(workspace.root) / NOTES).read_text()


def test_it_is_one_file_where_the_work_is_done(both: Both) -> None:
    shop, mill = both
    here = sent(shop)

    assert (files(shop), files(mill)) == ([], [PLACE])
    assert parse((Path(mill.root) / PLACE).read_text()).fields.origin == "shop"
    there = of(mill)
    assert (here.sender, here.recipient, here.away) == ("baker", "mill/miller", True)
    assert (there.sender, there.recipient, there.away) == (
        "shop/baker", "miller", False
    )  # fmt: skip
    assert here.pk == there.pk == of(shop).pk
    for workspace in both:
        assert_a_rebuild_changes_nothing(workspace)


def test_what_moved_since_is_found_from_both_sides(both: Both) -> None:
    first, _ = sent(both[0]), sent(both[0])
    before = NOON + timedelta(seconds=30)
    assert [_moved(workspace, before) for workspace in both] == [[], []]

    take(Handoff.objects.get(pk=first.pk), by("miller", 1))

    for workspace in both:
        assert _moved(workspace, before) == ["in_progress"]
        assert _moved(workspace, NOON + timedelta(minutes=1)) == []


def _moved(workspace: Workspace, since: datetime) -> list[str]:
    page = listing([workspace], Filters(since=since), NOON)
    return [card.state for card in page.cards]


def test_what_each_side_does_is_written_into_the_one_file(both: Both) -> None:
    shop, mill = both
    sent(shop)
    take(of(mill), by("miller", 1))
    put_back(of(shop), by("lead", 2, coordinates=True))
    take(of(mill), by("miller", 3))
    report(of(mill), Result("", "done", "Flour"), by("miller", 4))

    assert log_of(mill) == [
        "- 2026-11-20T12:00:00Z shop/baker: sent",
        "- 2026-11-20T12:01:00Z miller: taken",
        "- 2026-11-20T12:02:00Z shop/lead: put back",
        "- 2026-11-20T12:03:00Z miller: taken",
        "- 2026-11-20T12:04:00Z miller: done",
    ]
    assert (of(shop).state, of(shop).result) == ("done", "Flour")
    assert (of(shop).taken_by, of(mill).taken_by) == ("mill/miller", "miller")
    assert files(shop) == []


def test_the_write_is_in_the_lane_where_it_is_done(both: Both) -> None:
    shop, mill = both
    first = send(mill, Task("", "", "miller", "write", "c", "i"), by("boss")).handoff
    take(first, by("miller"))
    here = sent(shop)

    orders = [len(unfinished(workspace).lane.order) for workspace in both]
    assert orders == [0, 2]
    assert [len(unfinished(workspace).rows) for workspace in both] == [1, 2]
    with pytest.raises(NotAllowed, match="lane-busy"):
        take(here, by("mill/miller"))


@pytest.mark.parametrize("chosen", [(0, 1), (0,), (1,)])
def test_boards_show_it_once(both: Both, chosen: tuple[int, ...]) -> None:
    sent(both[0])

    (open_, *_) = board([both[n] for n in chosen], Filters(), NOON)

    wanted = {(0, 1): "miller", (0,): "mill/miller", (1,): "miller"}[chosen]
    assert [card.recipient for card in open_.cards] == [wanted]


@pytest.mark.parametrize("name", ["baker", "mill/miller"])
def test_filters_have_the_names_of_the_side(both: Both, name: str) -> None:
    shop, mill = both
    sent(shop)
    send(shop, Task("", "", "miller", "read_only", "c", "i"), by("boss"))

    open_, *_ = board([shop], Filters(agent=name), NOON)
    assert [card.sender for card in open_.cards] == ["baker"]
    open_, *_ = board([mill], Filters(agent=name), NOON)
    assert not open_.cards


def test_a_name_with_two_slashes_is_of_the_first_workspace(both: Both) -> None:
    shop, _ = both
    task = Task("", "", "mill/night/miller", "read_only", "c", "i")
    sent_there = send(shop, task, by("baker")).handoff

    open_, *_ = board([shop], Filters(recipient="mill/night/miller"), NOON)

    assert [card.task_id for card in open_.cards] == [sent_there.task_id]


def test_a_step_is_of_what_the_caller_saw_and_once(both: Both) -> None:
    shop, _ = both
    seen = sent(shop).standing
    asked = Author("baker", key="k1", at=NOON)

    withdraw(of(shop), asked, base=seen)
    again = withdraw(of(shop), asked, base=seen)

    assert again.handoff.state == "withdrawn"
    assert Operation.objects.filter(verb="log_handoff").count() == 1


def test_callers_of_two_workspaces_may_use_the_same_key(both: Both) -> None:
    shop, mill = both
    sent(shop)
    take(of(mill), Author("baker", coordinates=True, key="k1", at=NOON))

    withdraw(of(shop), Author("baker", key="k1", at=NOON))

    assert of(mill).state == "withdrawn"


def test_undo_takes_a_step_back_for_both(both: Both) -> None:
    shop, mill = both
    sent(shop, "decision")
    done = sign_off(of(shop), by("lead", coordinates=True))
    assert [of(w).signed_by for w in both] == ["lead", "shop/lead"]

    undo(mill, done.operation, "lead")

    assert [of(w).signed_by for w in both] == ["", ""]
    sending = Operation.objects.get(workspace=mill, verb="send_handoff")
    undo(mill, sending, "lead")
    assert files(mill) == []


def test_ids_are_free_on_both_sides(both: Both) -> None:
    shop, _ = both
    sent(shop)

    second = send(shop, Task("", "", "helper", "write", "c", "i"), by("baker")).handoff

    assert second.task_id == "20261120-02"
    assert [row.task_id for row in handoffs_named(shop, "20261120-01")] == [
        "20261120-01"
    ]


def test_work_is_handed_off_again_into_another_workspace(both: Both) -> None:
    shop, mill = both
    task = Task("", "", "shop/baker", "write", "c", "i")
    old = send(shop, task, by("boss")).handoff

    done = hand_off_again(old, by("boss"), recipient="mill/miller")

    assert (of(mill).sender, done.handoff.recipient) == ("shop/boss", "mill/miller")
    old.refresh_from_db()
    assert old.last_verb == "withdrawn"
    with pytest.raises(NotAllowed, match="again-open"):
        hand_off_again(old, by("boss", 2))
    undo(mill, done.operation, "boss")
    old.refresh_from_db()
    assert (old.state, files(mill)) == ("open", [])


def test_work_comes_back_from_another_workspace(both: Both) -> None:
    shop, _ = both
    done = hand_off_again(sent(shop), by("baker", 1), recipient="helper")

    assert done.handoff.workspace == shop
    (old,) = handoffs_named(shop, "20261120-01")
    assert (old.last_verb, done.handoff.recipient) == ("withdrawn", "helper")


def test_a_memory_update_stays_in_the_workspace_that_reports_it(both: Both) -> None:
    shop, mill = both
    sent(shop, "read_only")
    said = Result("", "done", "Flour", memory_update="memories/flour.md\nFine.")

    done = report(of(shop), said, by("lead", 1, coordinates=True)).done

    assert (files(shop), files(mill)) == (["memories/flour.md"], [PLACE])
    undo(mill, done.operation, "lead")
    assert (files(shop), of(shop).state) == ([], "open")


def test_a_token_sees_what_its_workspace_takes_part_in_alone(both: Both) -> None:
    shop, mill = both
    sent(shop)
    send(shop, Task("", "", "helper", "write", "Secret", "i"), by("baker"))
    token = make_token(mill, "miller", [Scope.READ, Scope.HANDOFF]).secret
    agent = Client(headers={"authorization": f"Bearer {token}"})

    found = agent.get("/api/v1/workspaces/mill/handoffs").json()["data"]

    assert [row["task_id"] for row in found] == ["20261120-01"]
    assert agent.get("/api/v1/workspaces/shop/handoffs").status_code == 404


def test_a_result_goes_once_to_the_file_that_the_sender_named(both: Both) -> None:
    shop, mill = both
    sent(shop, result_to=NOTES)
    take(of(mill), by("miller", 1))
    report(of(mill), Result("", "done", "Flour"), by("miller", 2))

    said = "Handoff 20261120-01 done by mill/miller: Grind\n\nFlour\n"
    assert notes(shop) == said
    for workspace in (mill, shop, mill):
        sync_workspace(workspace)
        assert_a_rebuild_changes_nothing(workspace)
    assert notes(shop) == said


def test_a_result_by_hand_reaches_the_sender_with_the_next_sync(both: Both) -> None:
    shop, mill = both
    sent(shop, result_to=NOTES)
    text = (Path(mill.root) / PLACE).read_text()

    block = render_result(Result("20261120-01", "done", "Flour"))
    said = f"{text}- 2026-11-20T12:02:00Z miller: done\n\n{block}"
    say(mill, {PLACE: said})

    assert notes(shop).endswith("Grind\n\nFlour\n")


def test_a_file_alone_has_nothing_written_elsewhere(both: Both) -> None:
    shop, mill = both
    sent(shop)
    text = (Path(mill.root) / PLACE).read_text()
    said = text.replace("- origin: shop", f"- origin: shop\n- result_to: {NOTES}")

    say(mill, {PLACE: f"{said}- 2026-11-20T12:02:00Z miller: done\n"})

    assert (of(mill).result_to, of(mill).state) == (NOTES, "done")
    assert files(shop) == []


def test_a_result_that_cannot_be_written_is_a_problem_until_it_can(both: Both) -> None:
    shop, mill = both
    sent(shop, result_to=NOTES)
    Path(shop.root).rename(f"{shop.root}-away")
    take(of(mill), by("miller", 1))
    report(of(mill), Result("", "done", "Flour"), by("miller", 2))
    codes = [problem.code for problem in sync_workspace(mill).problems]
    assert codes == ["result-not-delivered"]

    Path(f"{shop.root}-away").rename(shop.root)

    assert not sync_workspace(mill).problems
    assert notes(shop).endswith("Flour\n")


@pytest.mark.parametrize(
    ("to", "path"),
    [("helper", NOTES), ("mill/miller", "AGENTS.md"), ("mill/miller", "../x.md"),
     ("mill/miller", "memory/handoffs/x.md")],
)  # fmt: skip
def test_a_result_goes_to_memory_files_of_another_workspace_alone(
    both: Both, to: str, path: str
) -> None:
    task = Task("", "", to, "write", "c", "i")

    with pytest.raises(NotAllowed, match=r"^handoff-result-to"):
        send(both[0], task, by("baker"), Terms(result_to=path))
    assert not Handoff.objects.exists()


@pytest.mark.parametrize("last", ["write", "record_written"])
def test_a_kill_amid_sending_leaves_nothing_or_one_file(
    both: Both, monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    shop, mill = both
    asked = Author("baker", key="k1", at=NOON)
    task = Task("", "", "mill/miller", "write", "Grind", "Wheat")
    monkeypatch.setattr(editing, last, _die)
    with pytest.raises(Killed):
        send(shop, task, asked)
    monkeypatch.undo()
    assert files(mill) == ([PLACE] if last == "record_written" else [])
    assert files(shop) == []

    send(shop, task, asked)

    assert (files(mill), len(log_of(mill))) == ([PLACE], 1)
    assert of(shop).pk == of(mill).pk
    for workspace in both:
        assert not sync_workspace(workspace).problems
        assert_a_rebuild_changes_nothing(workspace)


def _die(*_: object) -> None:
    raise Killed


def test_a_name_with_a_slash_of_no_workspace_is_a_name(both: Both) -> None:
    task = Task("", "", "elsewhere/miller", "write", "c", "i")

    handoff = send(both[0], task, by("baker")).handoff

    assert (handoff.workspace, handoff.origin) == (both[0], "")


def test_a_workspace_that_is_removed_takes_its_handoffs_along(both: Both) -> None:
    shop, mill = both
    here = sent(shop)

    begin_removal(mill)

    assert not unfinished(shop).rows
    assert not handoffs_named(shop, here.task_id)


def test_the_work_goes_on_where_its_sender_is_removed(both: Both) -> None:
    shop, mill = both
    sent(shop, result_to=NOTES)
    begin_removal(shop)

    take(of(mill), by("miller", 1))
    report(of(mill), Result("", "done", "Flour"), by("miller", 2))

    assert of(mill).state == "done"
    assert not sync_workspace(mill).problems


def test_a_folder_that_is_away_refuses_steps_from_the_other_side(both: Both) -> None:
    shop, mill = both
    here = sent(shop)
    Path(mill.root).rename(f"{mill.root}-away")

    with pytest.raises(FileError):
        withdraw(here, by("baker", 1))
    assert of(shop).state == "open"


@pytest.mark.parametrize(("place", "status"), [(NOTES, 303), ("AGENTS.md", 422)])
def test_the_form_says_where_the_result_goes(
    client: Client, both: Both, place: str, status: int
) -> None:
    draft = {"recipient": "mill/miller", "type": "write", "context": "Grind",
             "input": "Wheat", "result_to": place}  # fmt: skip

    answer = client.post("/w/shop/handoffs/new/", draft)

    assert answer.status_code == status
    if status == 303:
        assert of(both[1]).result_to == place
    else:
        assert f'value="{place}"' in answer.content.decode()
        assert not Handoff.objects.exists()
