"""The dashboard of a running server: a sign-in link, and opening it in a browser."""

from __future__ import annotations

import os
import sys
import webbrowser
from datetime import timedelta
from html import escape
from pathlib import Path
from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse

from memoryhub.people.services.local_token import write_secret
from memoryhub.people.services.sign_in import make_link
from memoryhub.web.kit.served import absolute, own_path

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


def link_to(address: str, valid: timedelta, page: str = "") -> str:
    """Return a one-time sign-in link to a page of the hub, with this validity."""
    wanted = f"{settings.FORCE_SCRIPT_NAME or ''}{own_path(page)}" if page else ""
    query = {"token": make_link(valid)} | ({"next": wanted} if page else {})
    return f"{absolute(reverse('open'), address)}?{urlencode(query)}"


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
