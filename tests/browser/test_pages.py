"""The first pages in a real browser, on a real server."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.hub import signed_in_context

#: What `test_every_page.py` does not come to, because it takes two of a kind.
PAGES = [
    "agents/builder/",
    "health/?all=1",
    "snapshots/2026-11-20-05/",
    "snapshots/2026-11-20-05/?view=raw",
    "snapshots/2026-11-20-05/?view=recall",
    "topics/api-redesign/recall/",
    "topics/api-redesign/recall/?view=changes",
    "files/memory/2026-11-20.md",
    "files/memory/2026-11-20.md?view=history",
    "files/memory/2026-11-20.md?view=blame",
]


@pytest.mark.parametrize("path", PAGES)
def test_no_page_is_wider_than_its_screen(page: Page, hub: str, path: str) -> None:
    page.goto(hub + path)
    for width in (1440, 768, 390, 320):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("h1").count() == 1


@pytest.mark.parametrize("path", ["timeline/", "topics/", "files/", "health/"])
def test_long_words_and_odd_names_fit_too(page: Page, hub: str, path: str) -> None:
    page.set_viewport_size({"width": 320, "height": 844})
    page.goto(hub.replace("/w/acme/", "/w/nasty/") + path)
    # Older rows may take the link's place while one scrolls to it.
    for link in ("a.cover", "a.more"):
        page.evaluate(
            f"[...document.querySelectorAll('{link}')].at(-1)?.scrollIntoView()"
        )

    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert page.title().endswith("MemoryHub")


def test_older_events_come_while_one_scrolls(page: Page, hub: str) -> None:
    page.goto(hub + "timeline/")
    events = page.locator(".events > li")
    expect(events).to_have_count(50)

    for loaded in (100, 150, 200):
        page.locator("a.more").evaluate("node => node.scrollIntoView()")
        expect(events).to_have_count(loaded)
    more = page.locator("a.more")
    expect(more).not_to_have_attribute("hx-trigger", re.compile("revealed"))

    more.click()
    expect(events).to_have_count(250)
    days = page.locator(".day > h2").all_inner_texts()
    assert len(days) == len(set(days))


def test_keys_walk_the_rows_also_those_that_came_later(page: Page, hub: str) -> None:
    page.goto(hub + "timeline/?kind=snapshot")
    page.keyboard.press("j")
    page.keyboard.press("j")
    second = page.locator("a.cover").nth(1)

    expect(second).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/snapshots/[0-9a-z]{13}/\?kind=snapshot$"))


def test_back_restores_the_filter(page: Page, hub: str) -> None:
    page.goto(hub + "timeline/")
    page.locator(".chip", has_text="Decisions").click()
    page.wait_for_url(re.compile(r"/timeline/\?kind=decision$"))
    page.locator("a.cover").first.click()
    page.wait_for_url(lambda address: "/timeline/" not in address)
    page.go_back()

    expect(page).to_have_url(re.compile(r"/timeline/\?kind=decision$"))
    expect(page.locator(".chip[aria-current]")).to_contain_text("Decisions")


def test_a_row_leads_to_the_line_in_its_file(page: Page, hub: str) -> None:
    page.goto(hub + "timeline/?kind=history&topic=api-redesign")
    page.locator("a.cover").first.click()

    expect(page).to_have_url(re.compile(r"view=raw.*#L\d+$"))
    expect(page.locator(":target")).to_be_in_viewport()


def test_a_snapshot_is_compared_with_another(page: Page, hub: str) -> None:
    page.goto(hub + "snapshots/2026-11-20-05/")
    expect(page.locator(".dl ins").first).to_be_visible()

    page.get_by_label("Compared with").select_option(index=1)
    page.wait_for_url(re.compile("vs="))
    page.keyboard.press("h")
    expect(page.locator("h1")).to_contain_text("2026-11-19-04")


def test_pages_work_without_scripts(browser: Browser, hub: str) -> None:
    context = signed_in_context(browser, hub, java_script_enabled=False)
    page = context.new_page()
    page.goto(hub + "timeline/?kind=note")
    page.get_by_text("Show 50 older events").click()

    expect(page).to_have_url(re.compile("kind=note&before="))
    expect(page.locator(".day > h2").first).to_contain_text("continued")
    context.close()


def test_what_failed_is_said_until_it_is_closed(page: Page, hub: str) -> None:
    page.goto(hub + "health/")
    page.evaluate("document.dispatchEvent(new Event('htmx:sendError'))")
    toast = page.locator(".toast.bad")

    expect(toast).to_contain_text("Not connected")
    expect(page.locator("#live")).to_contain_text("Not connected")
    toast.get_by_role("button", name="Close").click()
    expect(toast).to_have_count(0)
