"""Snapshots, what agents are told and handing over, in a browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PageOf

SNAPSHOT = "/w/acme/snapshots/2026-11-20-05/"
RECALL = "/w/acme/topics/api-redesign/recall"


@pytest.mark.parametrize("form", ["hub", "snap-memory", "openclaw"])
def test_r1_the_page_gives_the_text_byte_for_byte(
    page_of: PageOf, hub_root: str, form: str
) -> None:
    page = page_of()
    page.goto(f"{hub_root}{RECALL}/?form={form}")

    text = page.locator("#exact-text").evaluate("each => each.textContent")

    answer = page.request.get(f"{hub_root}{RECALL}.md?form={form}")
    assert text.encode() == answer.body()


def test_blocks_are_left_out_and_the_text_says_so(
    page_of: PageOf, hub_root: str
) -> None:
    page = page_of()
    page.goto(f"{hub_root}{RECALL}/")
    expect(page.locator("#exact-text")).to_contain_text("### Newest snapshot")

    page.get_by_role("checkbox", name="Newest snapshot").uncheck()
    page.get_by_role("button", name="Show").click()

    expect(page.locator("#exact-text")).not_to_contain_text("### Newest snapshot")
    expect(page.get_by_role("checkbox", name="Topic file")).to_be_checked()


def test_s3_keys_go_to_older_and_newer_and_stop_at_the_end(
    page_of: PageOf, hub_root: str
) -> None:
    page = page_of()
    page.goto(hub_root + SNAPSHOT)
    newest = page.url

    page.keyboard.press("h")
    page.wait_for_url(lambda address: address != newest)
    page.keyboard.press("l")
    page.wait_for_url(newest)

    end = page.get_by_role("link", name="Newer snapshot, none")
    expect(end).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("l")
    expect(page).to_have_url(newest)


def reviewed(page: Page) -> Locator:
    return page.locator('.sec [aria-pressed="true"]')


def test_s2_the_key_r_reviews_one_section_after_the_other(
    page_of: PageOf, own_hub: str
) -> None:
    page = page_of()
    page.goto(own_hub + SNAPSHOT)
    expect(page.locator('[data-key="r"]')).to_have_count(1)
    before = reviewed(page).count()

    for number in (1, 2):
        page.keyboard.press("r")
        expect(reviewed(page)).to_have_count(before + number)
        page.wait_for_load_state()

    page.reload()
    expect(reviewed(page)).to_have_count(before + 2)
    expect(page.locator(".toc a.ok")).to_have_count(before + 2)


def test_s2_without_scripts_a_section_is_reviewed_too(
    page_of: PageOf, own_hub: str
) -> None:
    page = page_of(java_script_enabled=False)
    page.goto(own_hub + SNAPSHOT)
    before = reviewed(page).count()

    page.locator('.sec [aria-pressed="false"]').last.click()

    expect(reviewed(page)).to_have_count(before + 1)
    expect(page).to_have_url(re.compile(r"#s\d+$"))


def test_a_hand_over_is_picked_seen_and_written(page_of: PageOf, own_hub: str) -> None:
    page = page_of()
    page.goto(f"{own_hub}/w/acme/handover/?form=topic")
    page.get_by_role("checkbox", name="webhook-docs").check()
    page.get_by_role("button", name="Show").click()
    expect(page.locator("#over-1")).to_contain_text("# webhook-docs")

    page.get_by_label("Write it into").select_option("nasty")
    page.get_by_role("button", name="Write 1 file").click()

    expect(page).to_have_url(re.compile(r"/w/nasty/files/"))
    expect(page.locator("#toasts")).to_contain_text("was written into")


def test_the_text_can_be_copied(page_of: PageOf, hub_root: str) -> None:
    page = page_of(permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"{hub_root}{RECALL}/")

    page.get_by_role("button", name="Copy").click()

    expect(page.locator("#live")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    answer = page.request.get(f"{hub_root}{RECALL}.md")
    assert copied == answer.text()
