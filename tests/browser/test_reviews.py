"""The review queue in a browser: accept, revert, never again, by mouse and keys."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.hub import manage

Change = Callable[..., None]
_EMPTY = """
from memoryhub.reviews.models import ReviewCard
ReviewCard.objects.filter(state="open").update(state="accepted")
"""
LINE = "- Deploys on Friday are fine\n"


@pytest.fixture
def change(own_hub_folder: Path) -> Change:
    """Return what an agent does: append a line to MEMORY.md, or to another file.

    What other tests of the module left to review is accepted first.
    """
    manage(own_hub_folder, "shell", "-c", _EMPTY)

    def changed(line: str = LINE, name: str = "MEMORY.md") -> None:
        with (own_hub_folder / "acme" / name).open("a") as memory:
            memory.write(line)
        manage(own_hub_folder, "sync", "acme")

    return changed


def index_of(own_hub_folder: Path) -> str:
    return (own_hub_folder / "acme/MEMORY.md").read_text()


def test_a_change_is_accepted_and_the_acceptance_undone(
    page: Page, own_hub: str, change: Change
) -> None:
    change()
    page.goto(f"{own_hub}/w/acme/review/")
    page.get_by_role("link", name="MEMORY.md", exact=True).click()
    expect(page.locator(".diff ins")).to_contain_text("Deploys on Friday are fine")

    page.get_by_role("button", name="Accept", exact=True).click()

    expect(page.locator("main")).to_contain_text("Nothing to review")
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(page.locator(".toast")).to_contain_text("Back in the queue")
    page.get_by_role("button", name=re.compile("^Accept.*MEMORY.md")).click()
    expect(page.locator("main")).to_contain_text("Nothing to review")


def test_a_change_is_reverted_on_disk_and_the_revert_undone(
    page: Page, own_hub: str, own_hub_folder: Path, change: Change
) -> None:
    change("- Nobody needs to be asked\n")
    page.goto(f"{own_hub}/w/acme/review/")
    page.get_by_role("link", name="MEMORY.md", exact=True).click()
    page.get_by_label("Reason").fill("we do ask")

    page.get_by_role("button", name="Revert", exact=True).click()

    expect(page.locator(".toast")).to_contain_text("Reverted in MEMORY.md")
    assert "Nobody needs" not in index_of(own_hub_folder)
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(page.locator(".toast")).to_contain_text("Undone")
    assert "Nobody needs" in index_of(own_hub_folder)
    page.goto(f"{own_hub}/w/acme/review/")
    page.get_by_role("button", name=re.compile("^Revert.*MEMORY.md")).click()
    expect(page.locator("main")).to_contain_text("Nothing to review")


def test_keys_go_through_the_list_accept_and_revert(
    page: Page, own_hub: str, own_hub_folder: Path, change: Change
) -> None:
    change("- One rule more\n")
    change("\nBe kind.\n", "SOUL.md")
    page.goto(f"{own_hub}/w/acme/review/")
    rows = page.locator("main .rows li")
    expect(rows).to_have_count(2)

    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(rows.nth(1).locator("a.cover")).to_be_focused()
    page.keyboard.press("r")
    expect(rows).to_have_count(1)
    assert "One rule more" not in index_of(own_hub_folder)
    page.wait_for_url(f"{own_hub}/w/acme/review/")
    page.keyboard.press("j")
    page.keyboard.press("a")

    expect(page.locator("main")).to_contain_text("Nothing to review")
    assert "Be kind." in (own_hub_folder / "acme/SOUL.md").read_text()


def test_never_again_makes_a_rule_that_proposes_and_reverts_nothing(
    page: Page, own_hub: str, own_hub_folder: Path, change: Change
) -> None:
    change("- The vault key is kept in the drawer\n")
    page.goto(f"{own_hub}/w/acme/review/")
    page.get_by_role("link", name="MEMORY.md", exact=True).click()
    page.get_by_role("link", name="Never again").click()
    expect(page.get_by_label("Text")).to_have_value(re.compile("vault key"))
    page.get_by_label("Text").fill("vault * drawer")

    page.get_by_role("button", name="Save the rule").click()

    expect(page.locator("#reviews")).to_contain_text("MEMORY.md · vault * drawer")
    page.goto(f"{own_hub}/w/acme/review/")
    page.get_by_role("button", name=re.compile("^Accept.*MEMORY.md")).click()
    expect(page.locator("main")).to_contain_text("Nothing to review")
    change("- The vault is in the third drawer\n")
    page.goto(f"{own_hub}/w/acme/review/?state=proposed")
    page.get_by_role("link", name="MEMORY.md", exact=True).click()
    expect(page.locator(".h1row")).to_contain_text("Revert proposed")
    assert "third drawer" in index_of(own_hub_folder)
