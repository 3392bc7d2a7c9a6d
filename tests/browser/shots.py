"""Pictures of every page in light and dark, wide and narrow: ``make shots``."""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import parse_qs, urlsplit

import django
from playwright.sync_api import Browser, Page

from tests.browser.hub import ROOT, running_browser, running_hub
from tests.browser.walk import ODD, Walk, shape_of, walk
from tests.browser.watched import Theme, Watch

#: Pages of README.md: name, address, theme.
_README: tuple[tuple[str, str, Theme], ...] = (
    ("overview", "/w/acme/", "light"),
    ("board", "/w/acme/handoffs/", "light"),
    ("topic", "/w/acme/topics/api-redesign/", "dark"),
    ("health", "/w/acme/health/", "light"),
)
#: The folder of these pictures is temporary; nobody's own is called like that.
_AT_HOME = """
() => document.querySelectorAll(".ws small").forEach((place) => {
  place.textContent = "~/agents/acme-checkout"; })
"""


def main(target: Path) -> None:
    """Write a picture of every page into a folder."""
    target.mkdir(parents=True, exist_ok=True)
    with (
        TemporaryDirectory() as folder,
        running_hub(Path(folder)) as hub,
        running_browser() as browser,
    ):
        pages = named(walk(hub))
        for theme in ("light", "dark"):
            for width in (1440, 390):
                page = _page(hub, browser, theme, width)
                for name, address in pages.items():
                    page.goto(hub + address)
                    _take(page, target / f"{name}-{theme}-{width}.png")
        sys.stdout.write(f"{len(pages) * 4} pictures are in {target}\n")


def readme() -> None:
    """Write the pictures of README.md."""
    target = ROOT / "docs/shots"
    target.mkdir(parents=True, exist_ok=True)
    with (
        TemporaryDirectory() as folder,
        running_hub(Path(folder)) as hub,
        running_browser() as browser,
    ):
        for name, address, theme in _README:
            page = _page(hub, browser, theme, 1440)
            page.goto(hub + address)
            page.evaluate(_AT_HOME)
            _take(page, target / f"{name}.png")


def named(found: Walk) -> dict[str, str]:
    """Return a page of every route and view of the sample, by a name for its file."""
    pages: dict[str, str] = {}
    for address, answer in found.answers.items():
        if answer.is_page and not address.startswith(ODD):
            pages.setdefault(_name(address), address)
    return pages


def _name(address: str) -> str:
    route, shape = shape_of(address)
    query = parse_qs(urlsplit(address).query)
    parts = [route, shape[2], *query.pop("view", []), *sorted(query)]
    return re.sub(r"\W+", "-", "-".join(filter(None, parts))).strip("-")


def _page(hub: str, browser: Browser, theme: Theme, width: int) -> Page:
    return Watch(hub).page(browser, theme, width, reduced_motion="reduce")


def _take(page: Page, path: Path) -> None:
    page.evaluate("document.fonts.ready.then(() => true)")
    page.screenshot(path=path)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
    django.setup()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("shots"))
    parser.add_argument("--readme", action="store_true", help="the README's alone")
    chosen = parser.parse_args()
    if chosen.readme:
        readme()
    else:
        main(chosen.folder)
