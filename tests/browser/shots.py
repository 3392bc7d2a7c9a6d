"""Pictures of every page in light and dark, wide and narrow: ``make shots``."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, sync_playwright

from tests.browser.hub import chromium, running_hub
from tests.browser.test_pages import PAGES

_SIZES = ({"width": 1440, "height": 900}, {"width": 390, "height": 844})


def main(target: Path) -> None:
    """Write the pictures into a folder."""
    target.mkdir(parents=True, exist_ok=True)
    with (
        TemporaryDirectory() as folder,
        running_hub(Path(folder)) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox"]
        )
        for theme in ("light", "dark"):
            for size in _SIZES:
                _shoot(browser, f"{address}/w/acme/", target, theme, size)
        browser.close()


def _shoot(
    browser: Browser, hub: str, target: Path, theme: str, size: dict[str, int]
) -> None:
    context = browser.new_context(viewport=size, color_scheme=theme)  # type: ignore[arg-type]
    page = context.new_page()
    for path in PAGES:
        page.goto(hub + path)
        name = re.sub(r"\W+", "-", path).strip("-")
        page.screenshot(path=target / f"{name}-{theme}-{size['width']}.png")
    context.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
