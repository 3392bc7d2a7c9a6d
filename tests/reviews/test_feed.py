"""Which changes become cards of the review queue, and which fold into one."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from memoryhub.journal.models import Workspace
from memoryhub.reviews.models import ReviewCard
from memoryhub.reviews.queries import open_cards
from memoryhub.reviews.rules import RuleParts, save_rule, set_policies
from memoryhub.reviews.services import Decision, accept, revert
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record.projection import rebuild
from tests.factories import TOPIC, imported, write

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

MEMORY = "# Memory\n\n## Habits\n- ask before a release\n- run the tests\n"
NOBODYS = {"notes/plan.txt.md": "# Plan\n", "memory/2026-11-20.md": "# 2026-11-20\n"}
PROMOTED = (
    "<!-- openclaw-memory-promotion:memory/2026-11-19.md:4-4 -->\n- The scout likes tea"
    " [score=0.81 signals=3 recalls=2 avg=0.6 source=memory/2026-11-19.md:4-4]\n"
)

Save = Callable[..., list[ReviewCard]]


@pytest.fixture
def workspace(workspace_root: Path) -> Workspace:
    files = {"MEMORY.md": MEMORY, "memory/context-api.md": TOPIC, **NOBODYS}
    return imported(
        workspace_root, {"AGENTS.md": "# Agents\n\n- scout: looks\n", **files}
    )


@pytest.fixture
def save(workspace: Workspace) -> Save:
    """Return what an agent does: write files, then the hub imports them."""

    def written(files: dict[str, str] | None = None, *gone: str) -> list[ReviewCard]:
        write(Path(workspace.root), files or {})
        for path in gone:
            Path(workspace.root, path).unlink()
        sync_workspace(workspace)
        return cards()

    return written


def cards() -> list[ReviewCard]:
    return list(ReviewCard.objects.order_by("last_seq"))


def note(workspace: Workspace, actor: str, text: str, session: str = "") -> None:
    """Add a line to a topic through the hub, as an agent or a person."""
    payload = {"text": text, "day": "2026-11-20", "session": session}
    path = "memory/context-api.md"
    apply_edit(workspace, Edit(path, "add_history", payload, actor, reason="asked to"))


def test_a_first_import_makes_no_cards(workspace: Workspace, save: Save) -> None:
    assert save() == []
    assert not open_cards(workspace)


def test_a_change_on_disk_is_a_card_with_both_versions(save: Save) -> None:
    (card,) = save({"MEMORY.md": f"{MEMORY}- never ask\n"})

    assert (card.path, card.kind, card.agent) == ("MEMORY.md", "changed", "")
    assert 0 < card.before_seq < card.first_seq == card.last_seq
    assert len(card.before_sha) == len(card.after_sha) == 64 and card.is_open


@pytest.mark.parametrize("path", NOBODYS)
def test_files_that_are_not_long_lived_make_none(save: Save, path: str) -> None:
    assert save({path: "# 2026-11-20\n\n## 09:00 - A\nWords.\n"}) == []


def test_new_and_deleted_files_are_cards(save: Save) -> None:
    save({"memory-bank/progress.md": "# Progress\n\nAll is well.\n"})

    new, gone = save({}, "MEMORY.md")

    assert (new.path, new.kind, new.before_seq) == ("memory-bank/progress.md", "new", 0)
    assert (gone.path, gone.kind, gone.after_sha) == ("MEMORY.md", "deleted", "")


def test_a_rename_is_a_card_of_its_own(workspace: Workspace, save: Save) -> None:
    root = Path(workspace.root)
    (root / "memory-bank").mkdir()
    (root / "MEMORY.md").rename(root / "memory-bank/habits.md")

    (card,) = save()

    assert (card.path, card.kind) == ("memory-bank/habits.md", "moved")
    assert card.is_rename


def test_a_file_older_than_its_workspace_is_found_not_made(
    workspace: Workspace, save: Save
) -> None:
    path = Path(workspace.root, "CLAUDE.md")
    path.write_text("# Rules\n")
    before = (timezone.now() - timedelta(days=9)).timestamp()
    os.utime(path, (before, before))

    assert save() == []


def test_changes_of_one_agent_in_one_session_fold_into_one_card(
    workspace: Workspace,
) -> None:
    note(workspace, "scout", "one", "agent:scout:main")
    note(workspace, "scout", "two", "agent:scout:main")
    note(workspace, "scout", "three", "agent:scout:other")
    note(workspace, "builder", "four", "agent:scout:other")

    found = [(card.agent, card.session, card.changes) for card in cards()]

    assert found == [
        ("scout", "agent:scout:main", 2),
        ("scout", "agent:scout:other", 1),
        ("builder", "agent:scout:other", 1),
    ]


def test_a_persons_own_change_makes_no_card_and_ends_the_one_before(
    workspace: Workspace,
) -> None:
    note(workspace, "scout", "one", "s")
    note(workspace, "operator", "mine")
    note(workspace, "scout", "two", "s")

    assert [(card.agent, card.changes) for card in cards()] == [("scout", 1)] * 2


def test_a_change_on_disk_half_an_hour_later_is_another_card(
    workspace: Workspace, save: Save
) -> None:
    save({"MEMORY.md": f"{MEMORY}- one\n"})
    ReviewCard.objects.update(last_at=timezone.now() - timedelta(minutes=31))

    assert len(save({"MEMORY.md": f"{MEMORY}- one\n- two\n"})) == 2


def test_changes_that_come_to_nothing_leave_no_card(save: Save) -> None:
    save({"MEMORY.md": f"{MEMORY}- one\n"})

    assert save({"MEMORY.md": MEMORY}) == []


def test_a_handled_card_is_not_added_to(save: Save) -> None:
    (card,) = save({"MEMORY.md": f"{MEMORY}- one\n"})
    accept(card, Decision("operator"))

    first, second = save({"MEMORY.md": f"{MEMORY}- one\n- two\n"})

    assert (first.state, second.state) == ("accepted", "open")
    assert second.before_sha == first.after_sha


def test_the_same_bytes_written_again_after_a_revert_are_a_new_card(
    workspace: Workspace, save: Save
) -> None:
    text = f"{MEMORY}- never ask\n"
    (card,) = save({"MEMORY.md": text})
    revert(card, Decision("operator"))

    first, again = save({"MEMORY.md": text})

    assert (first.state, again.state) == ("reverted", "open")
    assert (first.before_sha, first.after_sha) == (again.before_sha, again.after_sha)


def test_a_rebuild_brings_no_handled_card_back_and_loses_none(
    workspace: Workspace, save: Save
) -> None:
    (card,) = save({"MEMORY.md": f"{MEMORY}- one\n"})
    accept(card, Decision("operator"))
    save({"CLAUDE.md": "# Rules\n\nBe kind.\n"})
    before = list(ReviewCard.objects.order_by("pk").values())

    rebuild(workspace)
    sync_workspace(workspace)

    assert list(ReviewCard.objects.order_by("pk").values()) == before
    (goes_on,) = [one for one in save({"CLAUDE.md": "# Rules\n"}) if one.is_open]
    assert goes_on.changes == 2


def test_a_policy_says_which_files_nobody_reviews(
    workspace: Workspace, save: Save
) -> None:
    save({"MEMORY.md": f"{MEMORY}- one\n", "CLAUDE.md": "# Rules\n"})

    set_policies(workspace, [("MEMORY.md", 0)], "operator", timezone.now())
    save({"MEMORY.md": MEMORY, "CLAUDE.md": "# Rules\n\nBe kind.\n"})

    assert {(card.path, card.state) for card in cards()} == {
        ("MEMORY.md", "accepted"),
        ("CLAUDE.md", "open"),
    }


def test_what_nobody_reviewed_does_not_come_with_a_later_rebuild(
    workspace: Workspace, save: Save
) -> None:
    set_policies(workspace, [("**", 0)], "operator", timezone.now())
    save({"MEMORY.md": f"{MEMORY}- one\n"})
    set_policies(workspace, [], "operator", timezone.now())

    rebuild(workspace)

    assert cards() == []


@pytest.mark.parametrize(
    ("rule", "is_proposed"),
    [
        (RuleParts("MEMORY.md"), True),
        (RuleParts("*.md", text="likes t?a"), True),
        (RuleParts("**", "Hab*", "LIKES * TEA"), True),
        (RuleParts("**", "Other"), False),
        (RuleParts("**", text="ask before"), False),
        (RuleParts("memory/*", text="tea"), False),
    ],
)
def test_a_rule_proposes_later_matching_changes_for_a_revert(
    workspace: Workspace, save: Save, rule: RuleParts, *, is_proposed: bool
) -> None:
    save_rule(workspace, rule, "operator", timezone.now())

    (card,) = save({"MEMORY.md": f"{MEMORY}- the scout likes green tea\n- x likes tea"})

    assert (card.rule is not None) is is_proposed
    assert card.state == "open"


def test_promotions_of_dreaming_are_counted(save: Save) -> None:
    (card,) = save({"MEMORY.md": MEMORY + PROMOTED})

    assert card.promoted == 1


def test_a_new_fact_of_claude_code_names_its_session(save: Save) -> None:
    head = "name: tea\ndescription: d\ntype: user\noriginSessionId: 8f1-c2"
    fact = f"---\n{head}\n---\n\nTea\n"

    (card,) = save({".claude/projects/x/memory/tea.md": fact})

    assert card.session == "8f1-c2"
