"""Stylesheets of pages: one for all, one per area, one for media.

Each is concatenated from parts in `static/css`; its address has a hash of the content.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.templatetags.static import static

#: Parts of each sheet in order; a part that several areas share is in each of them.
SHEETS = {
    name: tuple(parts.split())
    for name, parts in {
        "common": """
            tokens type base shell nav controls parts lists feedback dialog layout edits
        """,
        "overview": "plots overview agents waits",
        "timeline": "timeline saved",
        "topics": "prose topic saved",
        "topic": "timeline diff prose topic panel",
        "snapshots": "diff prose topic panel snapshot source reference",
        "decisions": "diff overview decisions saved",
        "days": "prose days",
        "handoffs": "handoffs waits lane",
        "files": "diff prose files source blame",
        "health": "overview health",
        "exports": "diff export",
        "search": "search",
        "help": "prose search",
        "hub": "imports reference",
        "media": "narrow print contrast",
    }.items()
}
#: The hash makes each version immutable, so none is requested twice.
_FOREVER = "public, max-age=31536000, immutable"
_FOLDER = settings.BASE_DIR / "static/css"
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
#: No quoted text of the sheets has such a sign next to a space.
_SPACE = re.compile(r"\s*([{};,])\s*|\s+")


class Sheet(NamedTuple):
    """A minified sheet and the hash that is its version."""

    text: str
    version: str


def sheet_url(name: str) -> str:
    """Return the address of a sheet.

    Raises:
        KeyError: There is no such sheet.
    """
    return static(f"sheets/{name}.{sheet_of(name).version}.css")


def sheet_of(name: str) -> Sheet:
    """Return a sheet, rebuilt if one of its parts changed.

    Raises:
        KeyError: There is no such sheet.
    """
    paths = [_FOLDER / f"{part}.css" for part in SHEETS[name]]
    return _made(name, tuple(path.stat().st_mtime_ns for path in paths))


def sheets_served(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Return a middleware that serves sheets, whatever state the hub is in."""
    served = re.compile(re.escape(static("sheets/")) + r"([a-z]+)\.([0-9a-f]+)\.css")

    def middleware(request: HttpRequest) -> HttpResponse:
        asked = served.fullmatch(request.path)
        if asked is None or asked[1] not in SHEETS:
            return get_response(request)
        sheet = sheet_of(asked[1])
        response = HttpResponse(sheet.text, content_type="text/css; charset=utf-8")
        is_current = asked[2] == sheet.version
        response["Cache-Control"] = _FOREVER if is_current else "no-store"
        return response

    return middleware


@lru_cache(maxsize=2 * len(SHEETS))
def _made(name: str, _: tuple[int, ...]) -> Sheet:
    parts = [(_FOLDER / f"{part}.css").read_text("utf-8") for part in SHEETS[name]]
    text = _SPACE.sub(lambda found: found[1] or " ", _COMMENT.sub("", "".join(parts)))
    return Sheet(text, sha256(text.encode()).hexdigest()[:12])
