"""Decisions on cards: accept, revert, edit, undo; two people; later changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Thread

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from memoryhub.formats.base import FormatError
from memoryhub.formats.text.merging import Choice
from memoryhub.journal.models import Operation, Workspace
from memoryhub.people.models import User
from memoryhub.people.rights import Role
from memoryhub.people.roles import grant, withdraw
from memoryhub.reviews.models import ReviewCard
from memoryhub.reviews.queries import open_cards, reverted_lines
from memoryhub.reviews.reverting import ReviewRefused, revert_of
from memoryhub.reviews.rules import set_policies
from memoryhub.reviews.services import Decision, accept, edit, reopen, revert
from memoryhub.sync.edit.editing import undo
from memoryhub.sync.edit.edits import Conflict
from memoryhub.sync.engine import sync_workspace
from tests.factories import imported, write
from tests.people.team import person

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

MEMORY = (
    "# Memory\n\n## Habits\n- ask first\n- run the tests\n\n## Places\n- the quay\n"
)
CHANGED = MEMORY.replace("- ask first\n", "- never ask\n- sell the boat\n")
ANN, BOB = Decision("ann", "not so"), Decision("bob")


@pytest.fixture
def workspace(workspace_root: Path) -> Workspace:
    User.objects.create(username="ann")
    roles = "# Agents\n\n- scout: looks\n"
    return imported(workspace_root, {"MEMORY.md": MEMORY, "AGENTS.md": roles})


@pytest.fixture
def change(workspace: Workspace) -> Callable[[str | bytes], ReviewCard]:
    """Return what an agent does: give MEMORY.md a text; the newest card is returned."""

    def changed(text: str | bytes) -> ReviewCard:
        write(Path(workspace.root), {"MEMORY.md": text})
        sync_workspace(workspace)
        return newest()

    return changed


Change = Callable[[str | bytes], ReviewCard]


def newest() -> ReviewCard:
    return ReviewCard.objects.order_by("last_seq")[ReviewCard.objects.count() - 1]


def on_disk(workspace: Workspace, path: str = "MEMORY.md") -> str:
    return Path(workspace.root, path).read_bytes().decode()


def refused(card: ReviewCard, decision: Decision, do: Callable[..., object]) -> str:
    with pytest.raises(FormatError) as refusal:
        do(card, decision)
    return refusal.value.code


def test_an_accepted_card_leaves_the_queue_with_who_and_why(
    workspace: Workspace, change: Change
) -> None:
    done = accept(change(CHANGED), ANN).card

    assert (done.state, done.handled_by, done.reason) == ("accepted", "ann", "not so")
    assert not open_cards(workspace) and on_disk(workspace) == CHANGED


def test_a_revert_takes_back_the_change_alone(
    workspace: Workspace, change: Change
) -> None:
    card = change(CHANGED)
    later = CHANGED.replace("- the quay\n", "- the quay\n- the lighthouse\n")
    write(Path(workspace.root), {"MEMORY.md": later})

    done = revert(card, ANN)

    assert on_disk(workspace) == MEMORY + "- the lighthouse\n"
    assert done.operation and done.operation.reason == "not so"
    assert done.card.state == "reverted" and done.card.excerpt == "- never ask"


def test_undo_of_a_revert_brings_the_change_and_its_card_back(
    workspace: Workspace, change: Change
) -> None:
    operation = revert(change(CHANGED), ANN).operation
    assert operation

    back = undo(workspace, operation, "ann")

    assert on_disk(workspace) == CHANGED
    assert (newest().state, newest().handled_by) == ("open", "")
    undo(workspace, back, "ann")
    assert on_disk(workspace) == MEMORY and newest().state == "reverted"


def test_lines_changed_again_since_are_a_conflict_until_somebody_chooses(
    workspace: Workspace, change: Change
) -> None:
    card = change(CHANGED)
    write(Path(workspace.root), {"MEMORY.md": CHANGED.replace("sell", "paint")})

    assert refused(card, ANN, revert) == "review-conflict"
    assert newest().is_open and "paint" in on_disk(workspace)
    (clash,) = revert_of(workspace, card).clashes
    assert ("paint the boat" in clash.disk, "ask first" in clash.here) == (True, True)

    revert(card, ANN, {0: Choice("other", "- ask twice\n")})

    assert on_disk(workspace) == MEMORY.replace("ask first", "ask twice")


def test_a_new_file_is_removed_and_a_deleted_one_comes_back(
    workspace: Workspace,
) -> None:
    root = Path(workspace.root)
    write(root, {"CLAUDE.md": "# Rules\n"})
    sync_workspace(workspace)
    made = newest()
    (root / "MEMORY.md").unlink()
    sync_workspace(workspace)

    removed, _ = revert(made, ANN), revert(newest(), ANN)

    assert not (root / "CLAUDE.md").exists() and on_disk(workspace) == MEMORY
    assert removed.operation
    undo(workspace, removed.operation, "ann")
    assert on_disk(workspace, "CLAUDE.md") == "# Rules\n"


def test_a_new_file_with_later_lines_of_others_keeps_them(workspace: Workspace) -> None:
    write(Path(workspace.root), {"CLAUDE.md": "# Rules\n"})
    sync_workspace(workspace)
    write(Path(workspace.root), {"CLAUDE.md": "# Rules\n\nBe kind.\n"})

    revert(newest(), ANN)

    assert on_disk(workspace, "CLAUDE.md") == "\nBe kind.\n"


def test_a_renamed_file_is_reverted_at_its_new_place(
    workspace: Workspace, change: Change
) -> None:
    card = change(CHANGED)
    Path(workspace.root, "MEMORY.md").rename(Path(workspace.root, "CLAUDE.md"))
    sync_workspace(workspace)

    revert(ReviewCard.objects.get(pk=card.pk), ANN)

    assert on_disk(workspace, "CLAUDE.md") == MEMORY
    assert not Path(workspace.root, "MEMORY.md").exists()


def test_a_change_of_a_file_deleted_since_is_not_brought_back(
    workspace: Workspace, change: Change
) -> None:
    card = change(CHANGED)
    accept(card, ANN)
    changed_again = change(CHANGED + "- one more\n")
    Path(workspace.root, "MEMORY.md").unlink()

    assert refused(changed_again, ANN, revert) == "review-file-gone"
    assert not Path(workspace.root, "MEMORY.md").exists()


def test_what_is_back_already_is_reverted_without_a_write(
    workspace: Workspace, change: Change
) -> None:
    card = change(CHANGED)
    write(Path(workspace.root), {"MEMORY.md": MEMORY})
    before = Operation.objects.count()

    assert revert(card, ANN).card.state == "reverted"
    assert Operation.objects.count() == before


def test_changes_after_those_that_were_seen_are_not_decided_on(change: Change) -> None:
    seen = change(CHANGED)
    change(CHANGED + "- one more\n")

    decision = Decision("ann", seen=seen.last_seq)

    assert refused(seen, decision, accept) == "review-grown"
    assert refused(seen, decision, revert) == "review-grown"
    assert newest().is_open


@pytest.fixture
def team(workspace: Workspace, settings: Settings) -> None:
    """Make ann and bob editors of a team that has more people elsewhere."""
    settings.MEMORYHUB_TEAM = True
    grant(workspace, User.objects.get(username="ann"), Role.EDITOR)
    person("bob", workspace, "editor")
    person("eve", workspace, "viewer")
    person("zoe")


def test_two_people_need_both_and_not_one_twice(
    workspace: Workspace, change: Change, team: None
) -> None:
    set_policies(workspace, [("MEMORY.md", 2)], "ann", timezone.now())
    card = change(CHANGED)

    assert accept(card, ANN).card.is_open
    assert refused(card, ANN, accept) == "review-second"
    done = accept(card, BOB).card

    assert (done.state, done.first_by, done.handled_by) == ("accepted", "ann", "bob")


@pytest.mark.parametrize("way", ["no team", "viewer", "elsewhere", "deactivated"])
def test_where_one_person_may_decide_one_is_enough(
    workspace: Workspace, change: Change, team: None, way: str, settings: Settings
) -> None:
    settings.MEMORYHUB_TEAM = way != "no team"
    bob = User.objects.get(username="bob")
    if way == "viewer":
        grant(workspace, bob, Role.VIEWER)
    elif way == "elsewhere":
        withdraw(workspace, bob)
    User.objects.filter(pk=bob.pk).update(is_active=way != "deactivated")
    set_policies(workspace, [("**", 2)], "ann", timezone.now())

    assert accept(change(CHANGED), ANN).card.state == "accepted"


def test_an_edit_writes_a_persons_text_and_counts_as_accepted(
    workspace: Workspace, change: Change
) -> None:
    card, text = change(CHANGED), CHANGED.replace("never", "always")

    done = edit(card, ANN, text.replace("\n", "\r\n"), CHANGED)

    assert on_disk(workspace) == text and done.card.state == "edited"
    assert done.operation
    undo(workspace, done.operation, "ann")
    assert on_disk(workspace) == CHANGED and newest().is_open


def test_an_edit_of_a_text_that_changed_meanwhile_is_a_conflict(
    workspace: Workspace, change: Change
) -> None:
    card = change(CHANGED)
    write(Path(workspace.root), {"MEMORY.md": CHANGED + "- later\n"})

    with pytest.raises(Conflict):
        edit(card, ANN, MEMORY, CHANGED)

    assert newest().is_open and on_disk(workspace).endswith("- later\n")


def test_bytes_and_line_ends_of_other_lines_stay(
    workspace: Workspace, workspace_root: Path
) -> None:
    before = "\ufeff# Memory\r\n- caf\u00e9\r\n- two\r\n".encode("utf-16-le")
    write(workspace_root, {"MEMORY.md": before})
    sync_workspace(workspace)
    accept(newest(), ANN)
    write(workspace_root, {"MEMORY.md": before + "- three\r\n".encode("utf-16-le")})
    sync_workspace(workspace)

    revert(newest(), ANN)

    assert (workspace_root / "MEMORY.md").read_bytes() == before


def test_three_thousand_lines_are_reverted_as_a_few_are(
    workspace: Workspace, change: Change
) -> None:
    lines = [f"- fact {n} of the harbour\n" for n in range(3_000)]
    accept(change("".join(lines)), ANN)
    other = [*lines[:1_200], "- rubbish\n", *lines[1_201:], "- more rubbish\n"]
    card = change("".join(other))
    write(Path(workspace.root), {"MEMORY.md": "- first\n" + "".join(other)})

    revert(card, ANN)

    assert on_disk(workspace) == "- first\n" + "".join(lines)


def test_an_accepted_card_can_be_opened_again(change: Change) -> None:
    card = accept(change(CHANGED), ANN).card

    assert reopen(card) and newest().is_open
    assert not newest().handled_by


def test_an_agent_learns_what_was_reverted_and_why(
    workspace: Workspace, change: Change
) -> None:
    revert(change(CHANGED), Decision("ann", "the boat is not ours"))

    (line,) = reverted_lines(workspace, "Scout", timezone.now(), private=True)

    assert line == ('MEMORY.md, reverted by ann: "- never ask" -- the boat is not ours')
    assert reverted_lines(workspace, "builder", timezone.now(), private=True) == ()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("second", [accept, revert])
def test_of_two_people_at_once_one_wins_and_the_other_is_told(
    workspace: Workspace, change: Change, second: Callable[..., object]
) -> None:
    card, start = change(CHANGED), Barrier(2)
    outcomes: list[str] = []

    def decide(do: Callable[..., object], who: str) -> None:
        start.wait()
        try:
            do(card, Decision(who))
            outcomes.append(who)
        except ReviewRefused as refusal:
            outcomes.append(f"{refusal.code} {refusal.parameters['actor']}")
        finally:
            connection.close()

    pair = [(revert, "ann"), (second, "bob")]
    threads = [Thread(target=decide, args=one) for one in pair]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    winner = newest().handled_by
    assert sorted(outcomes) == sorted([winner, f"review-handled {winner}"])
    is_reverted = newest().state == "reverted"
    assert on_disk(workspace) == (MEMORY if is_reverted else CHANGED)
