"""A browser is told how to sign in, is signed in by a link, and out again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.hub import manage


@pytest.fixture
def stranger(browser: Browser) -> Iterator[Page]:
    """Return a page of a browser that was never here."""
    # The policy of its own page would keep it from asking another port.
    context = browser.new_context(bypass_csp=True)
    yield context.new_page()
    context.close()


def test_a_link_signs_a_browser_in_and_leaves_the_address_bar(
    stranger: Page, own_hub: str, own_hub_folder: Path
) -> None:
    stranger.goto(f"{own_hub}/w/acme/")
    expect(stranger.locator("h1")).to_have_text("Not signed in")
    expect(stranger.locator("main")).to_contain_text("memoryhub open")

    link = json.loads(manage(own_hub_folder, "open", "/w/acme/", "--json"))["link"]
    stranger.goto(link)
    expect(stranger).to_have_url(f"{own_hub}/w/acme/")
    expect(stranger.locator("h1")).not_to_have_text("Not signed in")

    stranger.goto(f"{own_hub}/me/")
    stranger.get_by_role("button", name="Sign out of this browser").click()
    expect(stranger.locator("h1")).to_have_text("Not signed in")
    stranger.goto(link)
    expect(stranger.locator("h1")).to_have_text("This link is no longer valid")


def test_a_page_of_another_port_is_not_answered_by_scripts(
    stranger: Page, own_hub: str, own_hub_folder: Path, hub_root: str
) -> None:
    link = json.loads(manage(own_hub_folder, "open", "/w/acme/", "--json"))["link"]
    stranger.goto(link)
    stranger.goto(f"{hub_root}/healthz")

    with stranger.expect_response(lambda answer: own_hub in answer.url) as answered:
        stranger.evaluate(
            "(url) => fetch(url, {mode: 'no-cors', credentials: 'include'})"
            ".catch(() => null)",
            f"{own_hub}/w/acme/",
        )
    assert answered.value.status == 403
