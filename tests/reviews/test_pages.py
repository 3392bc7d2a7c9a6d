"""Pages of the review queue and its settings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from memoryhub.journal.models import Workspace
from memoryhub.reviews.models import ReviewCard, ReviewRule
from memoryhub.reviews.queries import policies_of
from memoryhub.reviews.services import Decision, accept
from tests.factories import imported, write
from tests.forgetting.conftest import forgotten
from tests.people.team import person
from tests.reviews.memory import CHANGED, MEMORY, Change, get, on_disk, post

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

LOG = "# 2026-11-20\n\n## {:%H:%M} - Tidied the habits\nAsking took too long.\n"


def test_an_empty_queue_says_so(client: Client, workspace: Workspace) -> None:
    assert "Nothing to review" in get(client)


def test_the_list_has_file_agent_and_changed_lines(
    client: Client, change: Change
) -> None:
    card = change()

    html = get(client)

    assert "1 memory change to review" in html and f"/w/acme/review/{card.pk}/" in html
    assert "scout" in html and "+1" in html and "−1" in html


def test_filters_name_their_values(client: Client, change: Change) -> None:
    change()
    accept(change("# Rules\n", "CLAUDE.md"), Decision("operator"))

    assert "CLAUDE.md" not in get(client, "review/")
    assert "CLAUDE.md" in get(client, "review/?state=accepted")
    assert "CLAUDE.md" in get(client, "review/?state=all&file=CLAUDE.md")
    assert "No such change" in get(client, "review/?agent=builder")
    assert "MEMORY.md" in get(client, "review/?q=memo")


def test_a_card_has_diff_agent_reason_and_host(
    client: Client, workspace: Workspace, change: Change
) -> None:
    write(Path(workspace.root), {"SOUL.md": "# Soul\n"})
    today = timezone.now()
    log = LOG.format(today).replace("2026-11-20", f"{today:%Y-%m-%d}")
    write(Path(workspace.root), {f"memory/{today:%Y-%m-%d}.md": log})
    change()
    card = ReviewCard.objects.get(path="MEMORY.md")

    html = get(client, f"review/{card.pk}/")

    assert "never &lt;b&gt;ask&lt;/b&gt;" in re.sub("</?mark>", "", html)
    assert "Tidied the habits: Asking took too long." in html
    assert "In its log at that time" in html
    assert "OpenClaw reads it: " in html and "of 20000 characters" in html


def test_without_any_reason_the_page_says_so(client: Client, change: Change) -> None:
    html = get(client, f"review/{change().pk}/")

    assert "The agent gave no reason that the hub could find." in html


def test_accept_goes_on_to_the_next_card_and_can_be_undone(
    client: Client, change: Change
) -> None:
    first, second = change(), change("# Rules\n", "CLAUDE.md")

    html = post(client, f"review/{second.pk}/accept/", seen=second.last_seq)

    assert "Accepted" in html and f'action="/w/acme/review/{first.pk}/accept/"' in html
    assert f'action="/w/acme/review/{second.pk}/reopen/"' in html
    post(client, f"review/{second.pk}/reopen/")
    assert ReviewCard.objects.filter(state="open").count() == 2


def test_revert_writes_the_file_and_its_undo_brings_the_card_back(
    client: Client, workspace: Workspace, change: Change
) -> None:
    card = change()

    html = post(client, f"review/{card.pk}/revert/", seen=card.last_seq, reason="no")

    assert "Reverted in MEMORY.md" in html and on_disk(workspace) == MEMORY
    way_back = re.search(r'action="/w/acme/(undo/[^"]+)"', html)
    assert way_back
    post(client, way_back[1])
    assert on_disk(workspace) == CHANGED
    assert "1 memory change to review" in get(client)


def test_all_that_is_shown_is_reverted_by_one_button_and_comes_back_by_one_undo(
    client: Client, workspace: Workspace, change: Change
) -> None:
    first, again = change(), change("# Rules\n", "CLAUDE.md")
    html = get(client)
    assert "Revert the 2 changes shown" in html
    form = html.partition('action="/w/acme/review/revert/"')[2].partition("</form>")[0]
    shown = re.findall(r'name="card" value="([^"]+)"', form)

    html = post(client, "review/revert/", card=shown, reason="not now")

    assert "2 changes reverted" in html and on_disk(workspace) == MEMORY
    assert not Path(workspace.root, "CLAUDE.md").exists()
    reasons = ReviewCard.objects.values_list("reason", flat=True)
    assert list(reasons) == ["not now", "not now"]
    way_back = re.search(r'action="/w/acme/(review/revert/[^"]+)"', html)
    assert way_back
    assert "2 reverts undone" in post(client, way_back[1])
    assert on_disk(workspace) == CHANGED
    assert Path(workspace.root, "CLAUDE.md").read_text() == "# Rules\n"
    assert ReviewCard.objects.filter(state="open").count() == 2
    assert {first.pk, again.pk} == set(ReviewCard.objects.values_list("pk", flat=True))


def test_changes_with_later_lines_are_left_when_all_are_reverted(
    client: Client, workspace: Workspace, change: Change
) -> None:
    cards = [change(), change("# Rules\n", "CLAUDE.md")]
    write(Path(workspace.root), {"MEMORY.md": CHANGED.replace("never", "seldom")})

    shown = [f"{card.pk}-{card.last_seq}" for card in cards]
    html = post(client, "review/revert/", card=shown)

    assert "1 change reverted; 1 is left" in html and "seldom" in on_disk(workspace)
    way_back = re.search(r'action="/w/acme/(review/revert/[^"]+)"', html)
    assert way_back
    write(Path(workspace.root), {"CLAUDE.md": "# Mine\n"})
    assert "0 reverts undone; 1 is left" in post(client, way_back[1])
    assert Path(workspace.root, "CLAUDE.md").read_text() == "# Mine\n"


def test_the_undo_of_a_revert_that_is_not_there_is_not_found(
    client: Client, change: Change
) -> None:
    change()

    nobody = "00000000-0000-4000-8000-000000000000"

    assert client.post(f"/w/acme/review/revert/{nobody}/undo/").status_code == 404


def test_of_a_card_decided_meanwhile_the_second_is_told(
    client: Client, workspace: Workspace, change: Change
) -> None:
    card = change()
    accept(card, Decision("ann"))

    html = post(client, f"review/{card.pk}/revert/", seen=card.last_seq)

    assert "Somebody has decided on this change already." in html
    assert on_disk(workspace) == CHANGED


def test_lines_changed_again_are_chosen_like_those_of_an_export(
    client: Client, workspace: Workspace, change: Change
) -> None:
    card = change()
    write(Path(workspace.root), {"MEMORY.md": CHANGED.replace("never", "seldom")})

    html = post(client, f"review/{card.pk}/revert/", seen=card.last_seq)

    assert "Conflict 1 of 1" in html and "Before the change" in html
    disk = re.search(r'name="disk" value="(\w{64})"', html)
    assert disk and "seldom" in on_disk(workspace)
    fields = {"disk": disk[1], "choice-0-0": "other", "text-0-0": "- ask twice\r\n"}
    post(client, f"review/{card.pk}/revert/", **fields)
    assert on_disk(workspace) == MEMORY.replace("ask first", "ask twice")


def test_choices_for_another_text_are_asked_again(
    client: Client, workspace: Workspace, change: Change
) -> None:
    card = change()
    write(Path(workspace.root), {"MEMORY.md": CHANGED.replace("never", "seldom")})

    fields = {"disk": "0" * 64, "choice-0-0": "here"}

    assert "Conflict 1 of 1" in post(client, f"review/{card.pk}/revert/", **fields)
    assert "seldom" in on_disk(workspace)


def test_the_editor_shows_the_text_of_today_and_saves_it(
    client: Client, workspace: Workspace, change: Change
) -> None:
    card = change()

    html = client.get(f"/w/acme/review/{card.pk}/edit/").content.decode()
    assert "- never &lt;b&gt;ask&lt;/b&gt;" in html
    fields = {"seen": card.last_seq, "base": CHANGED.replace("\n", "\r\n")}
    post(client, f"review/{card.pk}/edit/", text=MEMORY + "- mine\r\n", **fields)

    assert on_disk(workspace) == MEMORY + "- mine\n"
    assert ReviewCard.objects.get(pk=card.pk).state == "edited"


def test_an_edit_of_what_changed_meanwhile_shows_both_texts(
    client: Client, workspace: Workspace, change: Change
) -> None:
    card = change()
    write(Path(workspace.root), {"MEMORY.md": CHANGED + "- later\n"})

    html = post(client, f"review/{card.pk}/edit/", text=MEMORY, base=CHANGED)

    assert "has changed since you began" in html and "- later" in html
    assert on_disk(workspace) == CHANGED + "- later\n"


def test_of_lines_that_both_changed_a_person_chooses(
    client: Client, workspace: Workspace, change: Change
) -> None:
    card = change()
    now = CHANGED.replace("# Memory", "# Our memory")
    write(Path(workspace.root), {"MEMORY.md": now})
    mine = CHANGED.replace("# Memory", "# My memory")
    form = {"text": mine, "base": CHANGED}

    html = post(client, f"review/{card.pk}/edit/", **form)
    assert 'name="choice-0-0" value="here"' in html
    html = post(client, f"review/{card.pk}/edit/", **form, disk=now)
    assert "Choose for every difference first." in html
    assert on_disk(workspace) == now
    fields = {**form, "disk": now, "choice-0-0": "here", "seen": card.last_seq}
    post(client, f"review/{card.pk}/edit/", **fields)

    assert on_disk(workspace) == mine


def test_all_shown_cards_are_accepted_but_those_that_grew(
    client: Client, change: Change
) -> None:
    one, two = change(), change("# Rules\n", "CLAUDE.md")
    shown = [f"{one.pk}-{one.last_seq}", f"{two.pk}-{two.last_seq}", "x-y", "9"]
    change("# Rules\n\nBe kind.\n", "CLAUDE.md")

    html = post(client, "review/accept/", card=shown)

    assert "1 change accepted; 1 is left" in html
    assert [c.path for c in ReviewCard.objects.filter(state="open")] == ["CLAUDE.md"]


def test_never_again_makes_a_rule_that_proposes_reverts(
    client: Client, workspace: Workspace, change: Change
) -> None:
    card = change()

    form = get(client, f"review/rules/new/?card={card.pk}")
    assert 'value="MEMORY.md"' in form and "never &lt;b&gt;ask" in form
    rule = {"pattern": "MEMORY.md", "text": "never", "reason": "we do ask"}
    assert "Rule saved" in post(client, "review/rules/new/", **rule)
    post(client, f"review/{card.pk}/revert/")
    again = change(CHANGED + "- and never stop\n")

    assert "Revert proposed" in get(client, "review/?state=proposed")
    assert "MEMORY.md · never" in get(client, f"review/{again.pk}/")
    assert on_disk(workspace) == CHANGED + "- and never stop\n"


def test_rules_are_changed_and_removed_on_the_settings(
    client: Client, workspace: Workspace
) -> None:
    post(client, "review/rules/new/", pattern="memory/**", text="tea")
    (rule,) = ReviewRule.objects.all()
    assert "memory/** · tea" in get(client, "settings/")

    post(client, f"review/rules/{rule.pk}/", pattern="memory/**", section="Drinks")
    assert "memory/** · Drinks" in get(client, "settings/")
    assert "Rule removed" in post(client, f"review/rules/{rule.pk}/remove/")

    assert not ReviewRule.objects.exists()


@pytest.mark.parametrize(
    "pattern", ["", "/etc/passwd", "../up.md", "*?" * 20, "a" * 400]
)
def test_a_pattern_that_no_file_matches_is_refused(
    client: Client, workspace: Workspace, pattern: str
) -> None:
    response = client.post("/w/acme/review/rules/new/", {"pattern": pattern})

    assert response.status_code == 422 and not ReviewRule.objects.exists()


def test_policies_are_a_pattern_and_a_number_a_line(
    client: Client, workspace: Workspace
) -> None:
    said = "memory/my notes/** 0\r\n\r\nMEMORY.md 2"
    assert "Settings saved" in post(client, "review/policies/", policies=said)
    assert policies_of(workspace) == [("memory/my notes/**", 0), ("MEMORY.md", 2)]

    assert "is not a pattern" in post(
        client, "review/policies/", policies="MEMORY.md 3"
    )
    assert len(policies_of(workspace)) == 2


def test_two_people_are_named_on_the_card(
    client: Client, workspace: Workspace, change: Change, settings: Settings
) -> None:
    settings.MEMORYHUB_TEAM = True
    person("ann", workspace, "editor")
    client.force_login(person("bob", workspace, "administrator"))
    post(client, "review/policies/", policies="MEMORY.md 2")
    card = change()
    accept(card, Decision("ann"))

    html = get(client, f"review/{card.pk}/")

    assert "Two people: ann has accepted it, another person has to." in html
    post(client, f"review/{card.pk}/accept/", seen=card.last_seq)
    assert ReviewCard.objects.get(pk=card.pk).state == "accepted"


@pytest.mark.parametrize("path", ["999/", "999/edit/", "rules/999/", f"{2**64}/"])
def test_unknown_cards_and_rules_are_404(
    client: Client, workspace: Workspace, path: str
) -> None:
    get(client, f"review/{path}", 404)


def test_cards_of_another_workspace_are_404(
    client: Client, change: Change, tmp_path: Path
) -> None:
    card = change()
    Workspace.objects.filter(slug="acme").update(slug="other")
    imported(tmp_path / "second", {"a.md": "x\n"})

    get(client, f"review/{card.pk}/", 404)


def test_queries_do_not_grow_with_the_cards(client: Client, change: Change) -> None:
    def queries() -> int:
        change()
        get(client)
        with CaptureQueriesContext(
            connection,
        ) as captured:
            client.get("/w/acme/review/")
        return len(captured)

    few = queries()
    for number in range(12):
        change(f"# Fact {number}\n", f"memory/facts/{number}.md")

    assert queries() == few


def test_forgetting_takes_a_text_out_of_cards_and_rules(
    client: Client, workspace: Workspace, change: Change
) -> None:
    rule = {"pattern": "**", "text": "the harbour code", "reason": "harbour code 4711"}
    post(client, "review/rules/new/", **rule)
    card = change(MEMORY + "- the harbour code 4711\n")
    post(client, f"review/{card.pk}/revert/", reason="harbour code 4711 is secret")

    forgotten(workspace, kind="text", text="harbour code 4711")

    stored = [*ReviewCard.objects.values(), *ReviewRule.objects.values()]
    assert "4711" not in repr(stored)
    assert "4711" not in get(client, f"review/{card.pk}/")


def test_cards_of_a_forgotten_file_leave_the_queue(
    client: Client, workspace: Workspace, change: Change
) -> None:
    card = change()

    forgotten(workspace, kind="file", path="MEMORY.md")

    assert "Nothing to review" in get(client)
    assert "&lt;b&gt;ask" not in get(client, f"review/{card.pk}/")
