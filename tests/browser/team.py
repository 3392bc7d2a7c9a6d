"""A team's hub: a real server in team mode, and people who sign in with a browser."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.hub import ROOT, environment, manage
from tests.warm import python

TEAM = {"MEMORYHUB_TEAM": "1"}
PASSWORD = "correct horse battery"


@contextmanager
def team_hub(folder: Path, **env: str) -> Iterator[str]:
    """Give the address of a team's hub by the name localhost, which passkeys need.

    It has an administrator, kim.
    """
    command = python(ROOT / "manage.py", "serve", "--port", "0", "--no-watch")
    add = ("person", "admin", "kim", "--password-stdin")
    manage(folder, *add, stdin=f"{PASSWORD}\n", **TEAM)
    server = subprocess.Popen(
        command,
        env=environment(folder) | TEAM | env,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert server.stdout is not None
        found = re.search(r"http://[^/]+:(\d+)/", server.stdout.readline())
        assert found, "the hub did not say its address"
        yield f"http://localhost:{found[1]}"
    finally:
        server.terminate()
        server.communicate(timeout=60)


def sign_in(page: Page, hub: str, name: str = "kim", password: str = PASSWORD) -> None:
    """Sign in on the page where people do, up to a second factor."""
    page.goto(f"{hub}/accounts/login/?next=/me/")
    page.get_by_label("User name or e-mail").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in", exact=True).click()


def signed_in(page: Page, hub: str, name: str = "kim") -> None:
    """Sign in, and expect to be there."""
    sign_in(page, hub, name)
    expect(page.locator("h1")).to_have_text("Your account")
