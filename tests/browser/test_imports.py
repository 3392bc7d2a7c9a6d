"""The import wizard in a browser: first run, keyboard, progress, leaving it."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.hub import ROOT, running_hub
from tests.browser.walk import fetch
from tests.browser.watched import Watch
from tests.waiting import wait_for
from tests.writing import write_files


@pytest.fixture
def empty_hub(tmp_path: Path) -> Iterator[str]:
    """Return the address of a hub without any workspace."""
    with running_hub(tmp_path, []) as address:
        yield address


@pytest.fixture
def first_page(browser: Browser, empty_hub: str) -> Iterator[Page]:
    watch = Watch(empty_hub)
    page = watch.page(browser, "light", 1440)
    page.goto(f"{empty_hub}/")
    yield page
    watch.close()


def test_i5_from_first_run_to_the_overview_with_the_keyboard_alone(
    first_page: Page, empty_hub: str
) -> None:
    keys = first_page.keyboard
    start = first_page.locator("button:focus", has_text="Open the sample")
    for _ in range(9):
        keys.press("Tab")
        if start.count():
            break
    keys.press("Enter")
    expect(first_page.locator("h1")).to_contain_text("memory files found")
    expect(first_page.get_by_role("button", name="Import")).to_be_focused()
    keys.press("Enter")
    expect(first_page.locator("h1")).to_have_text("Import done")
    expect(first_page.get_by_role("link", name="Open the workspace")).to_be_focused()
    keys.press("Enter")

    expect(first_page.get_by_text("Sample data")).to_be_visible()
    expect(first_page).to_have_url(re.compile(f"^{empty_hub}/w/acme-checkout/"))


def test_i3_a_closed_page_does_not_stop_the_import(
    first_page: Page, empty_hub: str
) -> None:
    first_page.get_by_role("button", name="Open the sample").click()
    first_page.get_by_role("button", name="Import").click()
    expect(first_page.locator("h1")).to_have_text(re.compile(r"^\s*Import"))
    address = first_page.url
    first_page.goto("about:blank")
    path = address.removeprefix(empty_hub)
    wait_for(lambda: b"Import done" in fetch(empty_hub, path).body)

    first_page.goto(address)

    expect(first_page.locator("h1")).to_have_text("Import done")


def test_a_folder_is_uploaded_without_what_is_no_memory(
    first_page: Page, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    for path in ("memory/context-api.md", "node_modules/a/readme.md", "main.py"):
        (notes / path).parent.mkdir(parents=True, exist_ok=True)
        (notes / path).write_text("# Context: api\n")

    first_page.locator("#files").set_input_files(str(notes))
    expect(first_page.locator("[data-count]")).to_contain_text("1")
    first_page.get_by_role("button", name="Upload and check").click()

    expect(first_page.locator("h1")).to_have_text("1 memory file found")
    first_page.get_by_role("button", name="Import").click()
    expect(first_page.locator("h1")).to_have_text("Import done")
    first_page.get_by_text("1 added").click()
    expect(first_page.get_by_text("memory/context-api.md").first).to_be_visible()


def test_the_wizard_works_without_javascript(
    browser: Browser, empty_hub: str, tmp_path: Path
) -> None:
    sent = tmp_path / "acme.zip"
    with zipfile.ZipFile(sent, "w") as archive:
        for path in (ROOT / "samples/acme-checkout").rglob("*.md"):
            archive.write(path, path.relative_to(ROOT / "samples"))
    watch = Watch(empty_hub)
    page = watch.page(browser, "light", 390, java_script_enabled=False)
    page.goto(f"{empty_hub}/")
    expect(page.locator("#files")).to_be_hidden()
    page.locator("#archive").set_input_files(sent)

    page.get_by_role("button", name="Upload and check").click()
    page.get_by_role("button", name="Import").click()

    expect(page.locator("h1")).to_have_text("Import done")
    watch.close()


def test_memory_found_on_this_computer_is_added_with_one_click(
    first_page: Page, empty_hub: str, tmp_path: Path
) -> None:
    codex, claude = ".codex/memories", ".claude/projects/-srv-shop/memory"
    for folder in (codex, claude):
        write_files(tmp_path / "home", {f"{folder}/MEMORY.md": "# Index\n"})
    first_page.goto(f"{empty_hub}/")
    expect(first_page.get_by_role("button", name="Add all 2")).to_be_visible()

    first_page.get_by_role("button", name=f"Add : ~/{codex}").click()

    expect(first_page.locator("h1")).to_have_text("Import done")
    expect(first_page.get_by_text("1 added")).to_be_visible()
    first_page.goto(f"{empty_hub}/imports/new/")
    added = first_page.get_by_role("link", name=f"~/{codex}")
    expect(added).to_have_attribute("href", "/w/codex/")
    expect(first_page.get_by_role("button", name="Add : -srv-shop")).to_be_visible()


def test_the_sample_goes_when_that_was_asked(first_page: Page, empty_hub: str) -> None:
    first_page.get_by_role("button", name="Open the sample").click()
    first_page.get_by_role("button", name="Import").click()
    first_page.get_by_role("link", name="Open the workspace").click()

    first_page.get_by_role("link", name="Delete the sample").click()
    expect(first_page.locator("h1")).to_have_text("Delete acme-checkout?")
    first_page.get_by_role("link", name="Cancel").click()
    first_page.get_by_role("link", name="Delete the sample").click()
    first_page.get_by_role("button", name="Delete workspace and journal").click()

    expect(first_page.locator("h1")).to_have_text("Workspace deleted")
    first_page.goto(f"{empty_hub}/")
    expect(first_page.locator("h1")).to_have_text("No workspace yet")


def test_progress_is_announced(first_page: Page) -> None:
    first_page.get_by_role("button", name="Open the sample").click()
    first_page.get_by_role("button", name="Import").click()
    expect(first_page.locator("h1")).to_have_text("Import done")

    # A page that was opened before the end asks so; this one may have come after it.
    first_page.evaluate(
        "htmx.ajax('GET', location.pathname, {target: '#job', swap: 'outerHTML'})"
    )

    expect(first_page.locator("#live")).to_have_text("100 % done")
