"""The overview in a browser: what is above the fold, on a phone, and after a click."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PageOf

ANSWERS = ("since-h", "y-h", "ag-h", "oi-h", "d-h")
_BOTTOM = """id => document.getElementById(id).closest("section")
    .getBoundingClientRect().bottom"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a1_five_answers_are_above_the_fold(
    page_of: PageOf, own_hub: str, theme: str
) -> None:
    # Of its own: a banner for what others did in the shared one moves all down.
    page = page_of(theme, 1440)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{own_hub}/w/acme/")

    bottoms = {answer: page.evaluate(_BOTTOM, answer) for answer in ANSWERS}

    assert max(bottoms.values()) <= 900, bottoms


def test_a2_headline_title_badge_and_rows_agree(page: Page, hub: str) -> None:
    page.goto(hub)

    rows = page.locator("section.yours").first.locator("li").count()

    what = "thing needs" if rows == 1 else "things need"
    expect(page.locator("h1")).to_have_text(f"{rows} {what} your answer")
    assert page.title().startswith(f"({rows}) Overview")
    assert page.locator("aside .n.turn").inner_text().startswith(str(rows))


def test_a4_marking_all_seen_offers_undo_and_survives_a_reload(
    page_of: PageOf, own_hub: str
) -> None:
    page = page_of()
    page.goto(f"{own_hub}/w/acme/")
    strip = page.locator("section.since")
    before = strip.locator(".what").inner_text()

    page.get_by_role("button", name="Mark all seen").click()
    expect(strip).to_contain_text("Nothing new.")
    page.get_by_role("button", name="Undo").click()
    expect(strip.locator(".what")).to_have_text(re.compile(r"\d+\s*snapshots"))
    expect(strip.locator(".what")).to_have_text(before, use_inner_text=True)

    page.get_by_role("button", name="Mark all seen").click()
    expect(strip).to_contain_text("Nothing new.")
    page.reload()
    expect(strip).to_contain_text("Nothing new.")


def test_a6_on_a_phone_your_turn_comes_first_with_large_buttons(
    page_of: PageOf, hub: str
) -> None:
    page = page_of("light", 390)
    page.goto(hub)

    assert page.evaluate("document.documentElement.scrollWidth") == 390
    yours = page.locator("section.yours").first
    agents = page.locator("section:has(> header #ag-h)")
    boxes = [yours.bounding_box(), agents.bounding_box()]
    assert boxes[0] and boxes[1] and boxes[0]["y"] < boxes[1]["y"]
    for button in yours.locator(".btn:visible").all():
        box = button.bounding_box()
        assert box and box["height"] >= 32


def test_no_state_of_an_agent_runs_into_the_next_column(page: Page, hub: str) -> None:
    for path in ("", "agents/"):
        page.goto(f"{hub}{path}")
        states = page.locator(".agents td.s")

        assert states.count() > 2
        for state in states.all():
            assert state.evaluate("cell => cell.scrollWidth - cell.clientWidth") <= 0


def test_trends_load_when_one_scrolls_to_them(page: Page, hub: str) -> None:
    page.goto(hub)

    page.locator("#trends").evaluate("node => node.scrollIntoView()")

    expect(page.locator("#trends figure")).to_have_count(5)
    expect(page.locator("#trends svg.plot[role=img]").first).to_be_visible()


def test_without_scripts_everything_is_reached(page_of: PageOf, hub: str) -> None:
    page = page_of("light", 1440, java_script_enabled=False)
    page.goto(hub)

    page.get_by_role("link", name="Show trends").click()
    expect(page.locator("figure")).to_have_count(5)
    page.go_back()
    page.get_by_role("link", name="All agents").click()
    expect(page.locator("h1")).to_have_text(re.compile(r"agents\s*$"))


def test_preferences_hold_for_the_next_page(page_of: PageOf, own_hub: str) -> None:
    page = page_of()
    page.goto(f"{own_hub}/me/")
    page.locator("select[name=theme]").select_option("dark")
    page.get_by_label("Single-key shortcuts").uncheck()
    page.get_by_role("button", name="Save").click()

    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.goto(f"{own_hub}/w/acme/")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_hidden()
