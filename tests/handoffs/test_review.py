"""Work that its task asks to be accepted: who accepts, what waits, the evidence."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.dialects.handoff import Result, Task, parse, state_of
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.conversation import evidence_of
from memoryhub.handoffs.queries.sides import handoffs_of, seen_from
from memoryhub.handoffs.rules.acting import NotAllowed
from memoryhub.handoffs.services.sending import Author, Done, send
from memoryhub.handoffs.services.steps import Step, hand_off_again, move, report, take
from memoryhub.journal.models import Workspace
from tests.conftest import MakeWorkspace
from tests.handoffs.steps import reopen
from tests.signing import own_program
from tests.writing import assert_a_rebuild_changes_nothing, say

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    return make_workspace(workspace_root)


def by(actor: str, minutes: int = 0, *, lead: bool = False) -> Author:
    return Author(actor, lead, at=NOON + timedelta(minutes=minutes))


def reported(workspace: Workspace, review: str, **said: str) -> Handoff:
    """Return a write that its recipient has reported as done."""
    task = Task("", "", "builder", "write", "Mend the door", "Hinge 2", review=review)
    handoff = send(workspace, task, by("planner")).handoff
    take(handoff, by("builder", 1))
    result = Result("", "done", said.get("output", "Mended"), said.get("effects", ""))
    return report(handoff, result, by("builder", 5)).done.handoff


def accept(handoff: Handoff, author: Author) -> Done:
    return move(handoff, Step("accepted"), author)


def test_done_work_waits_for_its_sender_and_then_is_done(workspace: Workspace) -> None:
    handoff = reported(workspace, "sender")
    assert (handoff.state, handoff.acts, handoff.in_lane) == (
        "review",
        "planner",
        False,
    )
    assert handoff.finished_at is None

    done = accept(handoff, by("planner", 9)).handoff

    assert (done.state, done.acts) == ("done", "")
    assert done.finished_at == NOON + timedelta(minutes=9)
    assert_a_rebuild_changes_nothing(workspace)


def test_the_recipient_cannot_accept_its_own_work(workspace: Workspace) -> None:
    handoff = reported(workspace, "sender")

    with pytest.raises(NotAllowed, match="handoff-not-yours"):
        accept(handoff, by("builder", 6))
    with pytest.raises(NotAllowed, match="handoff-state"):
        report(handoff, Result("", "done", "Again"), by("builder", 7))


def test_a_reviewer_sends_work_back_with_a_reason(workspace: Workspace) -> None:
    handoff = reported(workspace, "checker")
    again = reopen(handoff, by("checker", 6), reason="it squeaks").handoff

    assert (again.state, again.acts) == ("open", "builder")
    take(again, by("builder", 7))
    done = report(again, Result("", "done", "Oiled"), by("builder", 8)).done.handoff
    assert (done.state, done.acts) == ("review", "checker")


@pytest.mark.parametrize("review", ["person", "you"])
def test_only_a_person_at_the_hub_accepts_where_a_person_is_asked(
    workspace: Workspace, review: str
) -> None:
    handoff = reported(workspace, review)
    assert handoff.for_person

    with pytest.raises(NotAllowed, match="review-needs-person"):
        accept(handoff, by("lead", 6, lead=True))
    says = replace(by("operator", 7, lead=True), person=True)
    assert accept(handoff, says).handoff.state == "done"
    assert_a_rebuild_changes_nothing(workspace)


@pytest.mark.parametrize(
    ("review", "actor", "state"),
    [
        ("sender", "planner", "done"),
        ("sender", "builder", "review"),
        ("sender", "mallory", "review"),
        ("person", "operator", "review"),
        ("", "planner", "done"),
    ],
)
def test_a_line_in_a_file_accepts_only_by_whom_the_task_names(
    workspace: Workspace, review: str, actor: str, state: str
) -> None:
    handoff = reported(workspace, review)
    path = Path(workspace.root, handoff.file.path)
    text = path.read_text()
    line = f"- 2026-11-20T12:30:00Z {actor}: accepted\n"

    say(workspace, {handoff.file.path: text.replace("done\n", f"done\n{line}", 1)})

    handoff.refresh_from_db()
    assert handoff.state == state


def test_what_comes_after_is_ready_once_it_is_accepted(workspace: Workspace) -> None:
    first = reported(workspace, "sender")
    task = Task("", "", "scout", "read_only", "Look", "it", after=first.task_id)
    second = send(workspace, task, by("planner", 6)).handoff

    with pytest.raises(NotAllowed, match="handoff-after"):
        take(second, by("scout", 7))
    accept(first, by("planner", 8))

    assert take(second, by("scout", 9)).handoff.state == "in_progress"


def test_the_file_says_the_same_state(workspace: Workspace) -> None:
    handoff = reported(workspace, "sender")
    path = Path(workspace.root, handoff.file.path)
    assert "<review>sender</review>" in path.read_text()
    assert state_of(parse(path.read_text())) == "review"

    accept(handoff, by("planner", 9))

    assert state_of(parse(path.read_text())) == "done"


def test_evidence_is_what_the_journal_has(
    workspace: Workspace,
) -> None:
    task = Task("", "", "builder", "read_only", "Mend", "It", review="sender")
    handoff = send(workspace, task, by("planner")).handoff
    say(workspace, {"memory/before.md": "old\n"})
    take(handoff, by("builder"))
    say(workspace, {"memory/gate.md": "new\n", "memory/odd.md": "new\n"})
    said = Result("", "done", "See 4f2a91c, cafe and 1234567", "memory/gate.md, x/y.md")
    report(handoff, said, by("builder", 5))
    say(workspace, {"memory/later.md": "new\n"})

    handoff.refresh_from_db()
    found = evidence_of(handoff)

    assert found is not None
    named = {file.path: file.named for file in found.files}
    assert named == {"memory/gate.md": True, "memory/odd.md": False}
    assert found.unchanged == ("x/y.md",)
    assert found.commits == ("4f2a91c",)


def test_a_person_accepts_on_the_page_and_rest_names_the_evidence(
    workspace: Workspace, client: Client
) -> None:
    handoff = reported(workspace, "person", effects="src/door.py")
    base = f"/w/{workspace.slug}"
    overview = client.get(f"{base}/").content.decode()
    page = client.get(f"{base}/handoffs/{handoff.code}/").content.decode()
    api = f"/api/v1/workspaces/{workspace.slug}/handoffs/{handoff.task_id}"
    record = own_program().get(api).json()["data"]

    assert "Done, to be accepted: Mend the door" in overview
    assert "no change of it is recorded here" in page
    assert record["evidence"]["unchanged"] == ["src/door.py"]
    assert (record["state"], record["review"]) == ("review", "person")
    client.post(f"{base}/handoffs/{handoff.code}/accept/", {})
    handoff.refresh_from_db()
    assert (handoff.state, handoff.last_actor) == ("done", "operator")


@pytest.mark.parametrize(
    ("asked", "there"),
    [
        ("checker", "shop/checker"),
        ("mill/tester", "tester"),
        ("sender", "sender"),
        ("Coordinator", "Coordinator"),
        ("person", "person"),
    ],
)
def test_a_reviewer_is_named_as_the_workspace_that_does_the_work_calls_it(
    both: tuple[Workspace, Workspace], asked: str, there: str
) -> None:
    shop, mill = both
    task = Task("", "", "mill/miller", "write", "Grind", "Wheat", review=asked)
    send(shop, task, by("baker"))

    (seen,), (row,) = seen_from([shop], handoffs_of(shop)), handoffs_of(mill)
    assert (seen.review, row.review) == (asked, there)


def test_who_reviews_work_that_was_handed_off_to_another_workspace_can_accept_it(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    task = Task("", "", "miller", "write", "Grind", "Wheat", review="checker")
    there = hand_off_again(
        send(shop, task, by("baker")).handoff, by("baker", 1), recipient="mill/miller"
    ).handoff
    (row,) = handoffs_of(mill)
    take(row, by("miller", 2))
    report(row, Result("", "done", "Ground"), by("miller", 3))
    (waits,) = (one for one in seen_from([shop], handoffs_of(shop)) if one.away)

    assert (there.pk, waits.state, waits.acts) == (row.pk, "review", "checker")
    assert accept(waits, by("checker", 4)).handoff.state == "done"
