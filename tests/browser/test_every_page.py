"""What holds on every page; a new route is walked as soon as a link leads to it."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.hub import ROOT, post
from tests.browser.walk import ODD, STARTS, Walk, fetch, route_names, walk
from tests.browser.watched import Watch

ROUTES = route_names()
#: Routes that no link leads to, and why.
UNLINKED = {
    "healthz": "for whoever keeps the server running",
    "undo": "in the message after a change",
}
#: Bytes of a page as it is sent.
LIMIT = 25_000
WIDTHS = (1440, 768, 390, 320)
AXE = ROOT / "build/npm/node_modules/axe-core/axe.min.js"
_RUN_AXE = """
() => axe.run(document, {resultTypes: ["violations"], runOnly: {type: "tag", values:
  ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}})
  .then((found) => found.violations.map((one) =>
    [one.id, one.nodes.map((node) => node.html.slice(0, 200)).slice(0, 3)]))
"""


@pytest.fixture(scope="module")
def walked(hub_root: str) -> Walk:
    """Return the addresses of every route, with an import begun and one done."""
    done = post(hub_root, "/imports/new/?into=acme", "/w/acme/imports/again/", {})
    begun = post(hub_root, "/imports/new/", "/imports/new/", {"source": "sample"})
    return walk(hub_root, (*STARTS, done, begun))


@pytest.fixture(scope="module")
def opened(browser: Browser, hub_root: str) -> Iterator[tuple[Page, Watch]]:
    """Return a page that the tests of this module share, and what watches it."""
    watch = Watch(hub_root)
    yield watch.page(browser, "light", 1440, reduced_motion="reduce"), watch
    watch.close()


def addresses(hub: str, walked: Walk, route: str) -> list[str]:
    """Return where a route has a page; skip where it has none."""
    found = [one for one in walked.pages[route] if is_page(hub, one)]
    return found or pytest.skip("no page")


def is_page(hub: str, address: str) -> bool:
    status, headers, _ = fetch(hub, address)
    return status == 200 and headers["content-type"].startswith("text/html")


def titled(hub: str, address: str) -> str:
    return Reader.of(hub, address).title


class Reader(HTMLParser):
    """Reads what matters of a page's markup."""

    def __init__(self) -> None:
        super().__init__()
        self.title = ""
        self.headings = 0
        self.faults: list[str] = []
        self._path: list[str] = []

    @classmethod
    def of(cls, hub: str, address: str) -> Reader:
        reader = cls()
        reader.feed(fetch(hub, address)[2].decode())
        return reader

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        self._path.append(tag)
        self.headings += tag == "h1"
        inline = tag == "style" or (tag == "script" and "src" not in names)
        handlers = [name for name in names if name.startswith("on") or name == "style"]
        if inline or handlers:
            self.faults.append(f"<{tag} {handlers}>")
        if "hx-get" in names or "hx-post" in names:
            self._check_upgrade(tag, names)

    def handle_data(self, data: str) -> None:
        if self._path[-1:] == ["title"] and "svg" not in self._path:
            self.title += data

    def handle_endtag(self, tag: str) -> None:
        while self._path and self._path.pop() != tag:
            pass

    def _check_upgrade(self, tag: str, names: dict[str, Any]) -> None:
        """Note what htmx does where nothing else would do it without scripts."""
        is_link = tag == "a" and names.get("href")
        in_form = tag == "form" or "form" in self._path
        repeats = "every" in names.get("hx-trigger", "")
        if not (is_link or in_form or repeats):
            self.faults.append(f"needs scripts: <{tag} {names}>")


@pytest.mark.parametrize("route", ROUTES)
def test_links_or_forms_lead_to_every_address(
    hub_root: str, walked: Walk, route: str
) -> None:
    assert walked.pages[route] or walked.changes[route] or route in UNLINKED
    for address in walked.pages[route]:
        assert fetch(hub_root, address)[0] in (200, 301, 302), address
    if not walked.pages[route]:
        for address in walked.changes[route][:1]:
            assert fetch(hub_root, address)[0] == 405


@pytest.mark.parametrize("route", ROUTES)
def test_markup_is_small_and_without_scripts_and_styles(
    hub_root: str, walked: Walk, route: str
) -> None:
    for address in addresses(hub_root, walked, route):
        page = Reader.of(hub_root, address)
        assert not page.faults, address
        assert page.headings == 1, address
        assert page.title.endswith("MemoryHub"), address
        size = len(gzip.compress(fetch(hub_root, address)[2], 6))
        assert size <= LIMIT or address.startswith(ODD), (address, size)


def test_every_page_has_a_title_of_its_own(hub_root: str, walked: Walk) -> None:
    titles: dict[str, str] = {}
    for route in ROUTES:
        for address in walked.pages[route]:
            if "?" in address or not is_page(hub_root, address):
                continue
            title = titled(hub_root, address)
            assert title not in titles, (address, titles[title])
            titles[title] = address


@pytest.mark.parametrize("route", ROUTES)
def test_axe_finds_no_barrier(
    hub_root: str, walked: Walk, opened: tuple[Page, Watch], route: str
) -> None:
    if not AXE.exists():
        pytest.skip("make setup fetches axe-core where there is npm")
    page, watch = opened
    found = {}
    for address in addresses(hub_root, walked, route):
        page.goto(hub_root + address)
        page.evaluate(AXE.read_text())
        for theme in ("light", "dark"):
            for width in (1440, 390):
                page.emulate_media(color_scheme=theme)
                page.set_viewport_size({"width": width, "height": 900})
                if violations := page.evaluate(_RUN_AXE):
                    found[address, theme, width] = violations
    assert not found
    assert not watch.complaints


@pytest.mark.parametrize("route", ROUTES)
def test_no_page_is_wider_than_its_screen(
    hub_root: str, walked: Walk, opened: tuple[Page, Watch], route: str
) -> None:
    page, watch = opened
    wide = {}
    for address in addresses(hub_root, walked, route):
        page.goto(hub_root + address)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            shown = page.evaluate("document.documentElement.scrollWidth")
            if shown > width:
                wide[address, width] = shown
    assert not wide
    assert not watch.complaints


@pytest.mark.parametrize("route", ROUTES)
def test_pages_are_read_without_scripts_in_forced_colours_and_on_paper(
    hub_root: str, walked: Walk, browser: Browser, route: str
) -> None:
    address = addresses(hub_root, walked, route)[0]
    watch = Watch(hub_root)
    page = watch.page(browser, "dark", 390, java_script_enabled=False)
    page.goto(hub_root + address)
    assert page.locator("main a:visible, main button:visible, header a:visible").count()
    page.emulate_media(forced_colors="active")
    assert page.screenshot()
    page.emulate_media(forced_colors="none", media="print")
    assert page.locator("h1").is_visible()
    assert page.pdf()
    watch.close()
