"""The page that connects an agent: a token, and snippets to copy.

A snippet is a file of the project. What it names as an example is replaced: the
address, the workspace, the agent. The token is read from the environment, never written
into a snippet.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from memoryhub.errors.base import ToolError
from memoryhub.people.policy import workspace_or_404
from memoryhub.people.roles import is_team
from memoryhub.people.services.names import checked_agent
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import typed
from memoryhub.web.kit.listing import takes
from memoryhub.web.kit.served import absolute_for

_FOLDER = settings.BASE_DIR / "integrations/connect"
#: Examples in the files, as they occur in texts and in addresses.
_HUB, _WORKSPACE, _EXAMPLE = "http://127.0.0.1:8765", "main", "builder"
_AGENT = "builder"


class Place(NamedTuple):
    """Parameters of a snippet: the hub's address, a workspace, an agent."""

    hub: str
    workspace: str
    agent: str


def snippet(name: str, place: Place) -> dict[str, Any]:
    """Return a file of the folder for this place."""
    text = (_FOLDER / name).read_text("utf-8")
    return {"name": name, "text": _filled(text, Path(name).suffix, place)}


def _filled(text: str, kind: str, place: Place) -> str:
    address = quote(place.workspace, safe=""), quote(place.agent, safe="")
    named = {
        f"workspace={_WORKSPACE}&agent={_EXAMPLE}": "workspace={}&agent={}".format(
            *address
        ),
        f"/workspaces/{_WORKSPACE}": f"/workspaces/{address[0]}",
        f"MemoryHub-Agent: {_EXAMPLE}": f"MemoryHub-Agent: {address[1]}",
        f'"{_WORKSPACE}"': f'"{_escaped(place.workspace)}"',
        f'"{_EXAMPLE}"': f'"{_escaped(place.agent)}"',
        _HUB: place.hub,
    }
    known = re.compile("|".join(map(re.escape, named)))
    return known.sub(lambda found: named[found[0]], text)


def _escaped(name: str) -> str:
    """Return a name as it stands between quotes in JSON, Python and TypeScript."""
    return name.replace("\\", "\\\\").replace('"', '\\"')


@require_GET
@takes("agent")
def connect(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how an agent of this name connects to the workspace."""
    workspace = workspace_or_404(slug)
    named = typed(request.GET, "agent").strip()
    place = Place(absolute_for(request, "/").rstrip("/"), slug, _agent(named) or _AGENT)
    hosts = [
        (gettext("Claude Code, .mcp.json"), "claude-code.json"),
        (gettext("Codex, config.toml"), "codex.toml"),
    ]
    # Its snippet starts a command, which needs the hub's data folder.
    server = [(gettext("OpenClaw, openclaw.json"), "openclaw.json")]
    if not is_team():
        hosts += server
    programs = [
        (gettext("Python"), "client.py"),
        (gettext("TypeScript"), "client.ts"),
        (gettext("Shell"), "client.sh"),
    ]
    title = gettext("Connect an agent")
    context = {
        "shell": shell_of(workspace, [(title, request.path)]),
        "page": "settings",
        "title": title,
        "agent": place.agent,
        "wrong": named if named and not _agent(named) else "",
        "server": [(label, snippet(name, place)) for label, name in server],
        "hosts": [(label, snippet(name, place)) for label, name in hosts],
        "programs": [(label, snippet(name, place)) for label, name in programs],
        "loop": snippet("loop.py", place),
    }
    return render(request, "connect/connect.html", context)


def _agent(name: str) -> str:
    """Return an agent's name; "" for an impossible one."""
    try:
        return checked_agent(name) if name else ""
    except ToolError:
        return ""
