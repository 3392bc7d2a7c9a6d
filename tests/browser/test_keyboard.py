"""The keyboard reaches everything, and its single keys can be switched off."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PageOf

#: On itself, on what covers its row, or on the field around it.
_IS_RINGED = """
() => { const at = document.activeElement;
  const around = at.closest("label, .field, li, tr, article") || at;
  return [getComputedStyle(at), getComputedStyle(at, "::after"),
    getComputedStyle(around)].some((style) =>
    style.outlineStyle !== "none" || style.boxShadow !== "none"); }
"""
_AT_BODY = "document.activeElement === document.body"


def test_the_first_stop_skips_to_the_content(page: Page, hub: str) -> None:
    page.goto(hub + "timeline/")
    page.keyboard.press("Tab")
    expect(page.locator("a.skip")).to_be_focused()
    expect(page.locator("a.skip")).to_be_in_viewport()
    page.keyboard.press("Enter")

    expect(page.locator("main")).to_be_focused()


def test_a_question_mark_lists_the_keys_and_escape_closes_them(
    page: Page, hub: str
) -> None:
    page.goto(hub + "timeline/")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("j")
    page.keyboard.press("Escape")

    expect(page.locator("#keys")).to_be_hidden()
    assert page.evaluate(_AT_BODY)


def test_focus_returns_to_what_opened_a_dialog(page: Page, hub: str) -> None:
    page.goto(hub + "timeline/")
    opener = page.get_by_role("button", name="Keyboard shortcuts")
    opener.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")

    expect(opener).to_be_focused()


def test_control_k_opens_the_palette_and_arrows_choose(page: Page, hub: str) -> None:
    page.goto(hub + "timeline/")
    page.keyboard.press("Control+k")
    field = page.locator("#palette input")
    expect(field).to_be_focused()
    page.keyboard.type("files")
    chosen = page.locator("#palette [aria-selected=true]")
    expect(chosen).to_contain_text("Go to Files")
    expect(page.locator("#pal-all")).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(chosen).not_to_contain_text("Go to Files")
    page.keyboard.press("ArrowUp")
    expect(chosen).to_contain_text("Go to Files")
    expect(field).to_have_attribute("aria-activedescendant", re.compile("^pal-nav-"))
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile(r"/files/$"))


def test_a_slash_goes_to_the_filter_of_the_page_or_to_the_palette(
    page: Page, hub: str
) -> None:
    page.goto(hub + "timeline/")
    page.keyboard.press("/")
    field = page.locator("main input[type=search]").first
    expect(field).to_be_focused()
    expect(field).to_have_value("")

    page.goto(hub + "imports/")
    page.keyboard.press("/")
    expect(page.locator("#palette")).to_be_visible()


def test_g_and_a_letter_go_to_each_page_of_the_sidebar(page: Page, hub: str) -> None:
    page.goto(hub + "timeline/")
    links = page.locator("#side [data-go]")
    ways = {
        str(link.get_attribute("data-go")): str(link.get_attribute("href"))
        for link in links.all()
    }
    assert {"o", "t", "f"} <= ways.keys()
    for key, address in ways.items():
        page.keyboard.press("g")
        page.keyboard.press(key)
        # The page of days leads to that of the newest one.
        page.wait_for_url(re.compile(re.escape(address) + r"([\d-]+/)?$"))


def test_j_and_k_walk_the_rows_and_stop_at_the_ends(page: Page, hub: str) -> None:
    page.goto(hub + "topics/")
    rows = page.locator("main a.cover")
    for key in ("j", "j", "k", "k", "k"):
        page.keyboard.press(key)
    expect(rows.first).to_be_focused()
    for _ in range(rows.count() + 2):
        page.keyboard.press("j")

    expect(rows.last).to_be_focused()


def test_a_focused_row_is_never_under_the_bar_above(page: Page, hub: str) -> None:
    page.goto(hub + "timeline/")
    for _ in range(30):
        page.keyboard.press("j")
    for _ in range(12):
        page.keyboard.press("k")
    bar = page.locator("header.top").bounding_box()
    row = page.locator("li:has(a.cover:focus)").bounding_box()

    assert bar and row
    assert row["y"] >= bar["y"] + bar["height"] - 1


@pytest.mark.parametrize("combination", ["Control+j", "Alt+j", "Meta+j"])
def test_combinations_are_the_browsers(page: Page, hub: str, combination: str) -> None:
    page.goto(hub + "topics/")
    page.keyboard.press(combination)

    expect(page.locator("main a.cover:focus")).to_have_count(0)


def test_keys_are_text_in_fields(page: Page, hub: str) -> None:
    page.goto(hub + "timeline/")
    field = page.locator("main input[type=search]").first
    field.focus()
    page.keyboard.type("?gj/k")

    expect(field).to_have_value("?gj/k")
    expect(page.locator("dialog[open]")).to_have_count(0)


def test_single_keys_can_be_switched_off_for_good(page: Page, hub: str) -> None:
    page.goto(hub + "topics/")
    page.keyboard.press("?")
    page.get_by_label("Single-key shortcuts").uncheck()
    page.keyboard.press("Escape")
    page.reload()
    for key in ("j", "?", "/", "g", "t"):
        page.keyboard.press(key)

    expect(page).to_have_url(re.compile("/topics/$"))
    expect(page.locator("dialog[open], a.cover:focus, input:focus")).to_have_count(0)
    page.keyboard.press("Control+k")
    expect(page.locator("#palette")).to_be_visible()


def test_focus_stays_where_rows_came_in(page_of: PageOf, hub: str) -> None:
    page = page_of("light", 1440, reduced_motion="reduce")
    page.goto(hub + "timeline/")
    events = page.locator(".events > li")
    more = page.locator("a.more")
    for loaded in (100, 150, 200, 250):
        more.focus()
        # Those before come as soon as the link is seen, and take its place.
        if loaded == 250:
            page.keyboard.press("Enter")
        expect(events).to_have_count(loaded)
        expect(page.locator("main :focus")).to_have_count(1)


def test_every_stop_of_a_page_is_seen_when_it_has_focus(page: Page, hub: str) -> None:
    page.goto(hub + "topics/api-redesign/")
    unseen = []
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(_AT_BODY):
            break
        if not page.evaluate(_IS_RINGED):
            unseen.append(page.evaluate("document.activeElement.outerHTML"))
    assert not unseen
