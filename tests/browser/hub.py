"""A real hub with real files on a free port, for browser tests and pictures."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit
from urllib.request import Request, urlopen

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.migrated import DATABASE, migrated
from tests.warm import python

ROOT = Path(__file__).parents[2]
#: Where a browser is not optional.
IN_CI = bool(os.environ.get("CI"))
#: In one process, because each takes a second to start.
_CALLS = """
from django.core.management import call_command
for call in {calls}:
    call_command(*call)
"""
#: What lets a test in at the address of a hub that it started.
_cookies: dict[str, str] = {}
_tokens: dict[str, str] = {}
_folders: dict[str, Path] = {}
#: The first starts and draws in half the time: it has no window to draw into.
_BROWSERS = (
    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
)  # fmt: skip
#: Nothing of the browser's own may ask another host, nor be taken for the page's.
_QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium() -> str | None:
    """Return where a browser is installed, or None."""
    return next(filter(None, map(shutil.which, _BROWSERS)), None)


@contextmanager
def running_browser() -> Iterator[Browser]:
    """Give Debian's Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=list(_QUIET)
        )
        yield browser
        browser.close()


def sample_workspaces(folder: Path) -> list[Path]:
    """Write copies of the samples into a folder: `acme` and `nasty`."""
    shutil.copytree(ROOT / "samples/acme-checkout", folder / "acme")
    make = [sys.executable, str(ROOT / "samples/make_nasty.py"), str(folder / "nasty")]
    subprocess.run(make, check=True)
    return [folder / "acme", folder / "nasty"]


def manage(folder: Path, *command: str, stdin: str = "", **env: str) -> str:
    """Run a command of the hub whose files are in a folder; return what it prints."""
    done = subprocess.run(
        python(ROOT / "manage.py", *command),
        env=environment(folder) | env,
        input=stdin,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def running_hub(
    folder: Path, workspaces: list[Path] | None = None, *, watch: bool = False
) -> Iterator[str]:
    """Give the address of a hub with these workspaces, or else with the samples."""
    prepare_hub(folder, sample_workspaces(folder) if workspaces is None else workspaces)
    with serving_hub(folder, watch=watch) as address:
        yield address


def prepare_hub(folder: Path, workspaces: list[Path]) -> None:
    """Make workspaces known to the hub of a folder, and import them."""
    empty_hub(folder)
    calls = [("add", str(workspace)) for workspace in workspaces]
    if calls:
        manage(folder, "shell", "-c", _CALLS.format(calls=[*calls, ("sync",)]))


def empty_hub(folder: Path) -> None:
    """Make the hub of a folder, where there is none."""
    data = folder / "data"
    data.mkdir(mode=0o700, exist_ok=True)
    if not (data / DATABASE).exists():
        (data / DATABASE).write_bytes(migrated())


def copy_hub(source: Path, folder: Path) -> Path:
    """Copy a hub that is not running, with the workspaces in its folder; return it."""
    sockets = shutil.ignore_patterns("*.sock")
    shutil.copytree(source, folder, symlinks=True, ignore=sockets, dirs_exist_ok=True)
    with closing(sqlite3.connect(folder / "data" / DATABASE)) as hub, hub:
        moved = "UPDATE workspaces_workspace SET root = replace(root, ?, ?)"
        hub.execute(moved, (str(source), str(folder)))
    return folder


@contextmanager
def serving_hub(folder: Path, *, watch: bool = False) -> Iterator[str]:
    """Give the address of the hub whose files are in a folder."""
    command = python(ROOT / "manage.py", "serve", "--port", "0")
    server = subprocess.Popen(
        command if watch else [*command, "--no-watch"],
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert server.stdout is not None
        found = re.search(r"(http://[^/]+)/\S+", server.stdout.readline())
        assert found, "the hub did not say its address"
        _cookies[found[1]] = signed_in_by(found[0])
        _tokens.pop(found[1], None)
        _folders[found[1]] = folder
        yield found[1]
    finally:
        server.terminate()
        server.communicate(timeout=60)


def signed_in_by(link: str) -> str:
    """Return the cookie of the browser that a link signs in."""
    parts = urlsplit(link)
    with closing(HTTPConnection(parts.netloc, timeout=60)) as browser:
        browser.request("GET", f"{parts.path}?{parts.query}")
        answer = browser.getresponse()
        assert answer.status == 303, answer.read()
        cookies = answer.headers.get_all("Set-Cookie", [])
    return next(cookie for cookie in cookies if "HttpOnly" in cookie).split(";")[0]


def cookie_of(hub: str) -> str:
    """Return the cookie of a browser that is signed in at an address."""
    parts = urlsplit(hub)
    return _cookies[f"{parts.scheme}://{parts.netloc}"]


def local_token_of(hub: str) -> str:
    """Return the local token of the hub at an address, from a cache."""
    if hub not in _tokens:
        _tokens[hub] = manage(_folders[hub], "token", "local", "--show").strip()
    return _tokens[hub]


def signed_in_context(browser: Browser, hub: str, **options: Any) -> BrowserContext:
    """Return a browser's context that is signed in; options are Playwright's."""
    context = browser.new_context(**options)
    name, _, value = cookie_of(hub).partition("=")
    parts = urlsplit(hub)
    place = f"{parts.scheme}://{parts.netloc}"
    context.add_cookies(
        [{"name": name, "value": value, "url": place, "httpOnly": True}]
    )
    return context


def post(hub: str, form_page: str, address: str, values: dict[str, str]) -> str:
    """Send a form as a browser would; return the address it leads to."""
    signed_in = {"Cookie": cookie_of(hub)}
    with urlopen(Request(hub + form_page, headers=signed_in)) as page:
        token = re.search(
            r'name="csrfmiddlewaretoken" value="(\w+)"', page.read().decode()
        )
        given = page.headers.get_all("Set-Cookie", [])
    assert token, f"{form_page} has no form"
    cookies = "; ".join([cookie_of(hub), *(one.split(";")[0] for one in given)])
    fields = {"csrfmiddlewaretoken": token[1], **values}
    sent = Request(hub + address, urlencode(fields).encode(), {"Cookie": cookies})
    with urlopen(sent) as answer:
        return str(answer.url).removeprefix(hub)


def environment(folder: Path) -> dict[str, str]:
    """Return the variables of commands of the hub in a folder."""
    own = {"MEMORYHUB_DATA": folder / "data", "MEMORYHUB_HOME": folder / "home"}
    return {**os.environ, **{name: str(place) for name, place in own.items()}}
