"""A team's hub: a real server in team mode, and people who sign in with a browser."""

from __future__ import annotations

import base64
import hmac
import re
import struct
import subprocess
import time
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
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        page.get_by_role("button", name="Sign in", exact=True).click()


def signed_in(page: Page, hub: str, name: str = "kim") -> None:
    """Sign in, and expect to be there."""
    sign_in(page, hub, name)
    expect(page.locator("h1")).to_have_text("Your account")


def person(folder: Path, name: str) -> None:
    """Make a person with the usual password."""
    add = ("person", "admin", name, "--password-stdin")
    manage(folder, *add, stdin=f"{PASSWORD}\n", **TEAM)


def code_for(key: str, *, later: int = 0) -> str:
    """Return the code that an app shows, by RFC 6238."""
    counter = struct.pack(">Q", int(time.time()) // 30 + later)
    digest = hmac.digest(base64.b32decode(key), counter, "sha1")
    place = digest[-1] & 15
    number = struct.unpack(">I", digest[place : place + 4])[0] & 0x7FFFFFFF
    return f"{number % 1_000_000:06}"


def confirm(page: Page) -> None:
    """Enter the password once more where a page asks for it."""
    expect(page.locator("h1")).to_have_text("Confirm that it is you")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()


def virtual_key(page: Page, *, verifies: bool = True) -> None:
    """Give a page's browser a virtual authenticator: a laptop's, or a plain key."""
    cdp = page.context.new_cdp_session(page)
    cdp.send("WebAuthn.enable")
    options: dict[str, object] = {
        "protocol": "ctap2",
        "transport": "internal" if verifies else "usb",
        "hasUserVerification": verifies,
        "automaticPresenceSimulation": True,
    }
    if verifies:
        options |= {"hasResidentKey": True, "isUserVerified": True}
    cdp.send("WebAuthn.addVirtualAuthenticator", {"options": options})


def turn_on_app(page: Page) -> str:
    """Turn an authenticator app on from the account page; return its key."""
    page.get_by_role("link", name="Set up").click()
    confirm(page)
    expect(page.locator("#totp-key")).to_be_visible()
    key = page.locator("#totp-key").inner_text()
    page.get_by_label("Code", exact=True).fill(code_for(key))
    page.get_by_role("button", name="Turn on").click()
    expect(page.locator("h1")).to_have_text("Recovery codes")
    return key
