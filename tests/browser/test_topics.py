"""Editing a topic in a browser: in place, with Escape, with undo, on a phone."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import PageOf
from tests.browser.watched import Watch

TOPIC = "w/acme/topics/api-redesign/"


def begin(page: Page, hub: str) -> None:
    page.goto(f"{hub}/{TOPIC}")
    page.get_by_role("link", name="Edit status").click()
    expect(page.get_by_role("textbox", name="Status in")).to_be_focused()


def test_p1_saving_says_so_and_can_be_taken_back(page_of: PageOf, own_hub: str) -> None:
    page = page_of()
    begin(page, own_hub)
    before = page.locator("#status-text").input_value()

    page.locator("#status-text").fill(f"{before} More is to come.")
    expect(page.locator("#status-tokens")).to_contain_text("+")
    page.get_by_role("button", name="Save status").click()

    expect(page.locator("#status-card")).to_contain_text("More is to come.")
    expect(page.locator("#live")).to_contain_text("Status saved")
    expect(page.locator(".tl")).to_contain_text("Edited here")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#status-card")).not_to_contain_text("More is to come.")


def test_p1_escape_restores_the_card(page_of: PageOf, own_hub: str) -> None:
    page = page_of()
    begin(page, own_hub)

    page.keyboard.type("lost words")
    page.keyboard.press("Escape")

    expect(page.locator("#status-card form")).to_have_count(0)
    expect(page.locator("#status-card")).not_to_contain_text("lost words")
    expect(page.get_by_role("link", name="Edit status")).to_be_focused()


def test_p1_the_second_tab_loses_nothing(
    page_of: PageOf, own_hub: str, watch: Watch
) -> None:
    watch.allowed = frozenset({"409"})
    first, second = page_of(), page_of()
    begin(first, own_hub)
    begin(second, own_hub)
    first.locator("#status-text").fill("From the first tab.")
    first.get_by_role("button", name="Save status").click()
    expect(first.locator("#status-card")).to_contain_text("From the first tab.")

    second.locator("#status-text").fill("From the second tab.")
    with second.expect_response(lambda answer: answer.status == 409):
        second.get_by_role("button", name="Save status").click()

    expect(second.locator(".conflict")).to_contain_text("From the first tab.")
    second.get_by_label("Both, the left one first").check()
    second.get_by_role("button", name="Save the merged text").click()
    expect(second.locator("#status-card")).to_contain_text("From the first tab.")
    expect(second.locator("#status-card")).to_contain_text("From the second tab.")


def test_p2_tabs_are_addresses_and_back_keeps_the_place(page: Page, hub: str) -> None:
    page.goto(f"{hub}topics/api-redesign/")
    page.evaluate("scrollTo(0, 200)")
    at = page.evaluate("scrollY")

    tabs = page.get_by_role("navigation", name="Topic sections")
    tabs.get_by_role("link", name=re.compile(r"^Decisions \d+$")).click()
    expect(page).to_have_url(f"{hub}topics/api-redesign/decisions/")
    page.go_back()

    expect(page).to_have_url(f"{hub}topics/api-redesign/")
    page.wait_for_function("at => scrollY === at", arg=at)


def test_without_scripts_a_status_is_edited_on_a_page_of_its_own(
    page_of: PageOf, own_hub: str
) -> None:
    page = page_of(java_script_enabled=False)
    page.goto(f"{own_hub}/{TOPIC}")

    page.get_by_role("link", name="Edit status").click()
    page.locator("#status-text").fill("Written without scripts.")
    page.get_by_role("button", name="Save status").click()

    card = page.locator("#status-card")
    expect(page).to_have_url(f"{own_hub}/{TOPIC}")
    expect(card).to_contain_text("Written without scripts.")
    page.get_by_role("button", name="Undo").click()
    expect(card).not_to_contain_text("without scripts")


def test_the_line_of_a_decision_is_shown_while_it_is_written(
    page_of: PageOf, own_hub: str
) -> None:
    page = page_of()
    page.goto(f"{own_hub}/w/acme/decisions/new/")

    page.get_by_label("Decision", exact=True).fill("Keep REST")
    page.get_by_label("Why").fill("clients know it")

    line = re.compile(r"- \d{4}-\d\d-\d\d: Keep REST \(clients know it\)")
    expect(page.locator("#preview")).to_contain_text(line)
    page.get_by_role("button", name="Add decision").click()
    expect(page.locator("h1")).to_have_text("Keep REST")
    expect(page.get_by_role("button", name="Undo")).to_be_visible()


def test_the_way_back_goes_after_ten_seconds(page_of: PageOf, own_hub: str) -> None:
    page = page_of()
    begin(page, own_hub)
    page.locator("#status-text").fill("Soon gone.")
    page.get_by_role("button", name="Save status").click()
    toast = page.locator(".toast.timed")
    expect(toast).to_be_visible()

    page.evaluate("document.getAnimations().forEach((each) => each.finish())")

    expect(toast).to_be_hidden()


def test_a_decision_is_signed_off_from_the_log(page_of: PageOf, own_hub: str) -> None:
    page = page_of()
    page.goto(own_hub + "/w/acme/decisions/?state=unsigned")
    page.get_by_role("link", name="Sign off", exact=False).first.click()
    page.locator("#act[open]").get_by_role("button", name="Sign off").click()

    expect(page.locator("#act")).to_be_hidden()
    expect(page.locator("#waiting-title")).to_have_count(0)
    expect(page).to_have_url(own_hub + "/w/acme/decisions/?state=unsigned")
