"""Pages that are open while files change on disk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect

from tests.browser.hub import running_hub, signed_in_context
from tests.factories import TOPIC

_LOG = """# 2026-11-20

## 08:00 - Begun
First.

## 08:10 - Chose
Decided: poll the queue every minute.
"""
PAGES = (
    "", "timeline/", "topics/api/", "decisions/", "sessions/", "agents/", "files/",
    "handoffs/", "handoffs/?view=list", "days/2026-11-20/", "imports/", "health/",
    "files/memory/2026-11-20.md", "trends/", "search/?q=queue",
)  # fmt: skip


@pytest.fixture(scope="module")
def live_hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Give a hub that watches two folders, and a log in the first one."""
    folder = tmp_path_factory.mktemp("open")
    log = folder / "crew/memory/2026-11-20.md"
    log.parent.mkdir(parents=True)
    log.write_text(_LOG)
    (log.parent / "context-api.md").write_text(TOPIC)
    (folder / "other").mkdir()
    (folder / "other/MEMORY.md").write_text("# Memory\n")
    with running_hub(folder, [folder / "crew", folder / "other"], watch=True) as hub:
        yield hub, log


@pytest.fixture
def live(browser: Browser, live_hub: tuple[str, Path]) -> Iterator[Page]:
    size = {"width": 1440, "height": 900}
    context = signed_in_context(browser, live_hub[0], viewport=size)
    yield context.new_page()
    context.close()


def opened(page: Page, address: str) -> None:
    """Open a page, and wait until it listens to what changes."""
    with page.expect_response(re.compile(r"/live/\?")):
        page.goto(address)


def number_of(label: str) -> int:
    found = re.search(r"#(\d+)", label)
    assert found, label
    return int(found[1])


@pytest.mark.parametrize("place", PAGES)
def test_no_page_moves_its_label_before_it_shows_what_is_new(
    live: Page, live_hub: tuple[str, Path], place: str
) -> None:
    hub, log = live_hub
    opened(live, f"{hub}/w/crew/{place}")
    label, pill = live.locator(".imp span"), live.locator(".pill")
    was = label.inner_text()

    with log.open("a") as file:
        file.write(f"\n## 23:00 - Open {place or 'overview'}\nWritten meanwhile.\n")
    expect(pill).to_have_text("1 new, show")
    expect(label).to_have_text(was)

    pill.click()
    expect(pill).to_be_hidden()
    expect(label).to_contain_text(f"#{number_of(was) + 1},")


def test_imports_list_what_the_header_names(
    live: Page, live_hub: tuple[str, Path]
) -> None:
    hub, log = live_hub
    opened(live, f"{hub}/w/crew/imports/")
    with log.open("a") as file:
        file.write("\n## 23:10 - Imported\nOnce.\n")

    live.locator(".pill").click()

    expect(live.locator(".pill")).to_be_hidden()
    number = number_of(live.locator(".imp span").inner_text())
    expect(live.locator("main li, main tr").get_by_text(f"#{number}")).to_be_visible()


@pytest.mark.parametrize("place", ["/?all", "/handoffs/"])
def test_pages_over_all_workspaces_get_the_pill(
    live: Page, live_hub: tuple[str, Path], place: str
) -> None:
    hub, log = live_hub
    opened(live, hub + place)
    with log.open("a") as file:
        file.write("\n## 23:20 - Elsewhere\nOnce more.\n")

    expect(live.locator(".pill")).to_have_text("1 new, show")
    live.locator(".pill").click()
    expect(live.locator(".pill")).to_be_hidden()


def test_a_page_is_renewed_where_it_was_read(
    live: Page, live_hub: tuple[str, Path]
) -> None:
    hub, log = live_hub
    live.set_viewport_size({"width": 1440, "height": 200})
    opened(live, f"{hub}/w/crew/days/2026-11-20/")
    live.evaluate("scrollTo(0, 80)")
    with log.open("a") as file:
        file.write("\n## 23:30 - Below\nAt the end.\n")

    expect(live.locator(".pill")).to_be_visible()
    live.locator(".pill").press("Enter")
    expect(live.locator("main").get_by_text("At the end.")).to_be_attached()
    assert live.evaluate("scrollY") == 80


def test_what_was_typed_is_lost_only_when_a_person_agrees(
    live: Page, live_hub: tuple[str, Path]
) -> None:
    hub, log = live_hub
    opened(live, f"{hub}/w/crew/handoffs/new/")
    field = live.locator("main form[method=post] textarea").first
    field.fill("half a handoff")
    with log.open("a") as file:
        file.write("\n## 23:40 - Meanwhile\nOnce.\n")

    with live.expect_event("dialog") as asked:
        live.once("dialog", Dialog.dismiss)
        live.locator(".pill").click()

    assert "lost" in asked.value.message
    expect(field).to_have_value("half a handoff")
    expect(live.locator(".pill")).to_be_visible()
