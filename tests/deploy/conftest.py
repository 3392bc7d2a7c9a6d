"""Hubs behind each proxy, at each base path; tests do not depend on one another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.hub import IN_CI, manage, prepare_hub, running_browser
from tests.browser.hub import chromium as chromium_here
from tests.browser.team import PASSWORD, TEAM
from tests.deploy.proxies import Front, fronted, missing_proxies

#: What needs a proxy asks for one of these.
_BEHIND = {"front", "untrusted_front", "team_front"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what needs a proxy where one is not installed, but not in CI."""
    missing = {name: set(_BEHIND) for name in missing_proxies()}
    if chromium_here() is None:
        missing["Chromium"] = {"chromium"}
    for name, fixtures in () if IN_CI else missing.items():
        for item in items:
            if fixtures & set(getattr(item, "fixturenames", ())):
                item.add_marker(pytest.mark.skip(reason=f"no {name} installed"))


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Give a browser."""
    with running_browser() as one:
        yield one


def notes_hub(folder: Path) -> Path:
    """Make a hub with the workspace `notes` in a folder; return it."""
    memory = folder / "notes/memory"
    memory.mkdir(parents=True)
    (memory / "2026-11-20.md").write_text("# 2026-11-20\n\n- a note about ports\n")
    prepare_hub(folder, [folder / "notes"])
    return folder


@pytest.fixture(
    scope="module",
    params=[("nginx", "/"), ("nginx", "/hub/"), ("caddy", "/"), ("caddy", "/hub/")],
    ids=lambda param: "".join(param),
)
def front(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Front]:
    """Give a hub behind a proxy."""
    folder = notes_hub(tmp_path_factory.mktemp("front"))
    with fronted(folder, *request.param) as one:
        yield one


@pytest.fixture(scope="module")
def untrusted_front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """Give a hub behind a proxy whose X-Forwarded headers do not count."""
    folder = notes_hub(tmp_path_factory.mktemp("untrusted"))
    peers = {"MEMORYHUB_TRUSTED_PROXIES": "10.9.8.0/24"}
    with fronted(folder, "nginx", "/hub/", **peers) as one:
        yield one


@pytest.fixture(scope="module")
def team_front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """Give a team's hub behind a proxy; it has an administrator, kim."""
    folder = notes_hub(tmp_path_factory.mktemp("team"))
    add = ("person", "admin", "kim", "--password-stdin")
    manage(folder, *add, stdin=f"{PASSWORD}\n", **TEAM)
    with fronted(folder, "nginx", "/hub/", **TEAM) as one:
        yield one
