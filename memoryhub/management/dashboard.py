"""The dashboard of a running server: its address, and opening it in a browser.

A server holds a lock on a file with its address as long as it runs: a killed one is not
mistaken for a running one, whoever has its port by now.
"""

from __future__ import annotations

import fcntl
import os
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from html import escape
from pathlib import Path
from urllib.parse import quote, urlencode

from django.conf import settings
from django.urls import reverse

from memoryhub.people.services.local_token import write_secret
from memoryhub.people.services.sign_in import make_link

#: Folder of the files with addresses, beneath the data folder.
_SERVED = "served"
#: Page that redirects to the link: arguments of the browser's process can be listed by
#: every user of a computer.
_PAGE = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={link}">
<title>MemoryHub</title>
<p><a href="{link}">MemoryHub</a></p>
"""
_PAGE_FILE = "open.html"


@contextmanager
def noted(data: Path, address: str) -> Iterator[None]:
    """Publish the server's address while the context lasts."""
    path = data / _SERVED / quote(address, safe="")
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.ftruncate(descriptor, 0)
        os.write(descriptor, address.encode())
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def served_at(data: Path) -> str:
    """Return the address of a running server, the newest of several; "" if none."""
    files = sorted(
        (data / _SERVED).glob("*"), key=lambda path: path.stat().st_mtime, reverse=True
    )
    return next((path.read_text() for path in files if _is_held(path)), "")


def _is_held(path: Path) -> bool:
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def link_to(address: str, valid: timedelta, page: str = "") -> str:
    """Return a one-time sign-in link to a page of the hub, with this validity."""
    query = {"token": make_link(valid)} | ({"next": page} if page else {})
    return f"{address.rstrip('/')}{reverse('open')}?{urlencode(query)}"


def has_browser() -> bool:
    """Return whether there is a terminal with a desktop, and neither SSH nor CI."""
    if {"SSH_CONNECTION", "CI"} & os.environ.keys() or not sys.stdout.isatty():
        return False
    on_desk = {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys()
    return bool(on_desk) or sys.platform in {"darwin", "win32"}


def open_browser(link: str) -> bool:
    """Open a link in a browser; return whether there is one."""
    page = Path(settings.MEMORYHUB_DATA) / _PAGE_FILE
    write_secret(page, _PAGE.format(link=escape(link)))
    return webbrowser.open(page.as_uri())
