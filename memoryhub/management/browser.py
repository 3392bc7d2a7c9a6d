"""A browser that is sent to the dashboard, with a link that signs it in."""

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

from memoryhub.people.services.secret_files import write_secret
from memoryhub.people.services.sign_in import make_link

#: Leads to a link without its being among the arguments of the browser's process,
#: which every user of a computer can list.
_PAGE = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={link}">
<title>MemoryHub</title>
<p><a href="{link}">MemoryHub</a></p>
"""
_FILE = "open.html"


def link_to(address: str, valid: timedelta, page: str = "") -> str:
    """Return a link to a page of the hub at an address, good once and so long."""
    asked = {"token": make_link(valid)} | ({"next": page} if page else {})
    return f"{address.rstrip('/')}{reverse('open')}?{urlencode(asked)}"


def has_browser() -> bool:
    """Tell whether a person sits here, with a browser that has windows."""
    if "SSH_CONNECTION" in os.environ or not sys.stdout.isatty():
        return False
    on_desk = {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys()
    return bool(on_desk) or sys.platform in {"darwin", "win32"}


def open_browser(link: str) -> bool:
    """Send a browser to a link; return whether there is one."""
    page = Path(settings.MEMORYHUB_DATA) / _FILE
    write_secret(page, _PAGE.format(link=escape(link)))
    return webbrowser.open(page.as_uri())
