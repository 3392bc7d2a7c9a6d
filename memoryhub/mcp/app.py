"""The MCP App: handoffs by state and waiting sign-offs, for hosts that render it.

The page shows what the tool `handoff_list` returned and calls no other tool. It loads
nothing, and a sign-off is a link: a person decides in a signed-in browser.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.urls import reverse
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from mcp_types import Resource

from memoryhub.web.kit.served import absolute, served_at

#: Key of the address of the workspace's pages in the `_meta` of an answer.
PAGES_META = "memoryhub/pages"
BOARD_URI = "ui://memoryhub/board"
#: What the server declares about the extension.
EXTENSION: dict[str, dict[str, Any]] = {EXTENSION_ID: {"mimeTypes": [APP_MIME_TYPE]}}
_TOOL = "handoff_list"
#: No other host is asked for anything.
_UI: dict[str, Any] = {"csp": {"connectDomains": [], "resourceDomains": []}}


def board_app() -> Resource:
    """Return the app as a listed resource."""
    return Resource(
        uri=BOARD_URI,
        name="board",
        title="Board of handoffs and waiting sign-offs",
        mime_type=APP_MIME_TYPE,
        _meta={"ui": _UI},
    )


def ui_of(tool: str) -> dict[str, Any] | None:
    """Return the metadata by which a host renders a tool's answer in the app."""
    return {"ui": {"resourceUri": BOARD_URI}} if tool == _TOOL else None


@cache
def board_html() -> str:
    """Return the page."""
    page: Path = settings.BASE_DIR / "integrations/mcp-app/board.html"
    return page.read_text("utf-8")


def pages_at(slug: str) -> str:
    """Return the address of a workspace's handoffs; "" if no server serves pages."""
    address = served_at(Path(settings.MEMORYHUB_DATA))
    return absolute(reverse("handoffs", args=[slug]), address) if address else ""
