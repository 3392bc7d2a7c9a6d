"""Health and files in a real browser: what is wrong is mended where it is said."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

BLAME = "files/memory/context-api-redesign.md?view=blame"


def test_e1_the_ledgers_tokens_are_those_of_the_gauge(page: Page, hub: str) -> None:
    page.goto(hub + "health/?all=1")
    tokens = page.locator(".ledger tr[data-line] td.k").all_inner_texts()
    total = page.locator("#budget-total").inner_text()

    assert f"{sum(map(int, tokens))} of 800 tokens" == total
    assert page.locator("#budget svg.gauge").get_attribute("aria-label") == total


def test_a_tile_leads_to_its_section(page: Page, hub: str) -> None:
    page.goto(hub + "health/")
    page.locator(".sum a", has_text="Pointers").click()

    expect(page.locator("#pointers")).to_be_in_viewport()
    expect(page).to_have_url(re.compile("#pointers$"))


def test_blame_leads_to_the_change_of_a_line(page: Page, hub: str) -> None:
    page.goto(hub + BLAME)
    page.locator(".blk .by a").first.click()

    expect(page.locator("h1")).to_contain_text("context-api-redesign.md")


def test_e3_a_pointer_is_mended_and_taken_back(
    page: Page, own_hub: str, own_hub_folder: Path
) -> None:
    index = own_hub_folder / "acme/MEMORY.md"
    before = index.read_bytes()
    page.goto(f"{own_hub}/w/acme/health/")

    page.locator("#pointers").get_by_role("button", name="Repoint").click()

    expect(page.locator("#pointers")).to_contain_text("Every pointer leads to a file.")
    assert b"context-search-index.md" in index.read_bytes()
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(page.locator("#pointers")).to_contain_text("memory/context-search.md")
    assert index.read_bytes() == before


def test_a_breaker_is_cleared_with_a_reason(
    page: Page, own_hub: str, own_hub_folder: Path
) -> None:
    log = own_hub_folder / "acme/memories/errors.md"
    page.goto(f"{own_hub}/w/acme/health/")
    page.get_by_text("Clear…").click()
    page.get_by_label("Why it can go on").fill("The model is faster now")

    page.get_by_role("button", name="Clear the breaker").click()

    expect(page.locator("#breaker")).to_contain_text("scout: closed")
    assert log.read_text().endswith("of scout cleared: The model is faster now\n")
