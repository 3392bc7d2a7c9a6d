"""One hub per worker for tests that only look, and pages that must not complain."""

from __future__ import annotations

import asyncio
import gc
import warnings
from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.hub import (
    IN_CI,
    chromium,
    copy_hub,
    prepare_hub,
    running_browser,
    sample_workspaces,
    serving_hub,
)
from tests.browser.watched import PATIENCE, Theme, Watch
from tests.migrated import made_once

PageOf = Callable[..., Page]

expect.set_options(timeout=PATIENCE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out the tests of this folder where there is no browser, but not in CI."""
    if chromium() is None and not IN_CI:
        here = Path(__file__).parent
        for item in items:
            if here in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="no Chromium installed"))


@pytest.fixture(scope="session")
def imported_samples() -> Path:
    """Return the folder of a hub that is not running, to be copied."""
    return made_once(
        "samples", lambda folder: prepare_hub(folder, sample_workspaces(folder))
    )


@pytest.fixture(scope="session")
def hub_root(
    imported_samples: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Return the address of a hub with `acme` and `nasty`; tests do not change it."""
    folder = copy_hub(imported_samples, tmp_path_factory.mktemp("hub"))
    with serving_hub(folder) as address:
        yield address


@pytest.fixture(scope="session")
def hub(hub_root: str) -> str:
    """Return the address of the sample workspace."""
    return f"{hub_root}/w/acme/"


@pytest.fixture(scope="module")
def own_hub_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of `own_hub`: its data, and its workspaces beside it."""
    return tmp_path_factory.mktemp("own-hub")


@pytest.fixture(scope="module")
def own_hub(imported_samples: Path, own_hub_folder: Path) -> Iterator[str]:
    """Return the address of a hub that the tests of one module may change."""
    with serving_hub(copy_hub(imported_samples, own_hub_folder)) as address:
        yield address


@pytest.fixture(scope="session")
def paused_browser() -> Iterator[list[tuple[Browser, AbstractEventLoop]]]:
    """Return Debian's Chromium, and the loop that Playwright left to this thread.

    While a thread has a running loop, Django takes it for an asynchronous one.
    """
    with running_browser() as browser:
        paused = [(browser, asyncio.get_running_loop())]
        del browser
        asyncio._set_running_loop(None)
        yield paused
        asyncio._set_running_loop(paused[0][1])
    paused.clear()
    with warnings.catch_warnings(action="ignore", category=ResourceWarning):
        # Its process may need a moment longer to end.
        gc.collect()


@pytest.fixture(scope="module")
def browser(
    paused_browser: list[tuple[Browser, AbstractEventLoop]],
) -> Iterator[Browser]:
    """Return Debian's Chromium, with its loop for as long as the module."""
    ((browser, loop),) = paused_browser
    asyncio._set_running_loop(loop)
    yield browser
    asyncio._set_running_loop(None)


@pytest.fixture
def watch(request: pytest.FixtureRequest) -> Iterator[Watch]:
    """Return what pages are watched by; the test fails if one complained."""
    own = "own_hub" in request.fixturenames
    watch = Watch(request.getfixturevalue("own_hub" if own else "hub_root"))
    yield watch
    watch.close()


@pytest.fixture
def page_of(browser: Browser, watch: Watch) -> PageOf:
    """Return what opens a page: `page_of("dark", 390)`, more options as Playwright's.

    ``watch.allowed`` names the status codes that a test expects, such as ``{"409"}``.
    """

    def opened(theme: Theme = "light", width: int = 1440, **options: Any) -> Page:
        return watch.page(browser, theme, width, **options)

    return opened


@pytest.fixture
def page(page_of: PageOf) -> Page:
    """Return a light page, 1440 wide."""
    return page_of()
