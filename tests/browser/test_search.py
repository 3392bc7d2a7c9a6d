"""The search page and the palette in a real browser."""

from __future__ import annotations

import re

from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import PageOf


def test_results_follow_the_typing(page: Page, hub: str) -> None:
    page.goto(hub + "search/")
    page.locator("main input[type=search]").press_sequentially("idempot")

    expect(page.locator(".hits mark").first).to_have_text("Idempotency")
    expect(page).to_have_url(re.compile(r"\?q=idempot$"))


def test_the_page_fits_its_screen(page: Page, hub: str) -> None:
    page.goto(hub + "search/?q=webhook+signature+-draft+kind:zzz")
    for width in (1440, 390, 320):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_palette_opens_an_exact_id(page: Page, hub: str) -> None:
    page.goto(hub + "timeline/")
    page.keyboard.press("Control+k")
    page.locator("#palette input").fill("20261120-06")
    chosen = page.locator("#pal-found [aria-selected=true]")
    expect(chosen).to_contain_text("Handoff")
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile(r"/handoffs/\w{13}/$"))
    expect(page.locator(".meta .mono")).to_have_text("20261120-06")


def test_the_palette_begins_with_recent_places(page: Page, hub: str) -> None:
    for place in ("health/", "sessions/", "timeline/"):
        page.goto(hub + place)
    page.keyboard.press("Control+k")
    recent = page.locator("#pal-recent [role=option]")

    expect(recent.locator(".trunc")).to_have_text(["Sessions", "Health"])
    page.locator("#palette input").fill("health")
    expect(page.locator("#pal-recent")).to_be_hidden()
    page.locator("#palette input").fill("")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")

    expect(page).to_have_url(hub + "health/")


def test_what_was_chosen_stays_so_when_more_is_found(page: Page, hub: str) -> None:
    held: list[Route] = []
    page.route(re.compile(r"/palette\?"), lambda route: held.append(route))
    page.goto(hub + "timeline/")
    page.keyboard.press("Control+k")
    with page.expect_request(re.compile(r"/palette\?")):
        page.locator("#palette input").fill("top")
    shown = page.locator("#pal-known [role=option]:visible")
    first, second = shown.first, shown.nth(1)
    expect(first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    expect(second).to_have_attribute("aria-selected", "true")

    held[0].continue_()

    expect(page.locator("#pal-all")).to_be_visible()
    expect(second).to_have_attribute("aria-selected", "true")


def test_it_works_without_scripts(page_of: PageOf, hub: str) -> None:
    page = page_of(java_script_enabled=False)
    page.goto(hub + "search/")
    page.locator("main input[type=search]").fill("webhook")
    page.locator("main form button").click()

    expect(page.locator(".hits mark").nth(3)).to_be_visible()


def test_the_palette_opens_with_its_old_query_selected(page: Page, hub: str) -> None:
    page.goto(hub)
    page.keyboard.press("Control+k")
    field = page.locator("#palette input")
    field.fill("polling")
    page.keyboard.press("Escape")
    expect(page.locator("#palette")).to_be_hidden()
    page.keyboard.press("Control+k")
    expect(field).to_be_focused()
    page.wait_for_function("getSelection().toString() === 'polling'")

    page.keyboard.type("x")

    expect(field).to_have_value("x")
