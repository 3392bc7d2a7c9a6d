"""The stylesheet of all pages: the files of `static/css` joined, without comments.

Its address contains a hash of its text, so browsers store it for good.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from typing import NamedTuple

from django import template
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.templatetags.static import static

#: The files of `static/css` in the order of the cascade: what all pages have, what
#: belongs to some of them, and what depends on the screen or the printer.
PARTS = (
    "tokens", "type", "base", "shell", "nav", "controls", "parts", "lists", "feedback",
    "dialog", "layout", "edits",
    "plots", "timeline", "diff", "prose", "days", "overview", "agents", "handoffs",
    "waits", "lane", "topic", "panel", "snapshot", "decisions", "saved", "files",
    "source", "blame", "health", "export", "search", "imports", "reference",
    "narrow", "print", "contrast",
)  # fmt: skip

_FOREVER = "public, max-age=31536000, immutable"
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
#: No text between quotation marks has such a sign beside a space.
_SPACE = re.compile(r"\s*([{};,])\s*|\s+")

#: `{% stylesheet %}` is a builtin of every template.
register = template.Library()


class Stylesheet(NamedTuple):
    """The stylesheet's text, and the URL of this version."""

    text: str
    url: str


@cache
def built() -> Stylesheet:
    """Join and shorten the files, once per process, as templates are read once."""
    folder = settings.BASE_DIR / "static/css"
    joined = "".join((folder / f"{part}.css").read_text("utf-8") for part in PARTS)
    text = _SPACE.sub(lambda found: found[1] or " ", _COMMENT.sub("", joined)).strip()
    text = text.replace(";}", "}")
    version = sha256(text.encode()).hexdigest()[:12]
    return Stylesheet(text, static(f"sheets/hub.{version}.css"))


@register.simple_tag(name="stylesheet")
def url_of_stylesheet() -> str:
    """Return the address of the current version."""
    return built().url


def stylesheet_served(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Return a middleware that serves it, whatever state the database is in.

    A page from before an update asks for an earlier version: it gets the current one,
    which is not cached under that address.
    """
    versions = re.compile(re.escape(static("sheets/hub.")) + r"[0-9a-f]+\.css")

    def middleware(request: HttpRequest) -> HttpResponse:
        if not versions.fullmatch(request.path):
            return get_response(request)
        text, current = built()
        response = HttpResponse(text, content_type="text/css; charset=utf-8")
        is_current = request.path == current
        response["Cache-Control"] = _FOREVER if is_current else "no-store"
        return response

    return middleware
