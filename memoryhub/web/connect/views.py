"""The page that connects an agent: a token, and snippets to copy."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from memoryhub.errors.base import ToolError
from memoryhub.people.policy import workspace_or_404
from memoryhub.people.roles import is_team
from memoryhub.people.services.names import checked_agent
from memoryhub.web.connect.snippets import Place, snippet
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import typed
from memoryhub.web.kit.listing import takes
from memoryhub.web.kit.served import absolute_for

_AGENT = "builder"


@require_GET
@takes("agent")
def connect(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how an agent of this name connects to the workspace."""
    workspace = workspace_or_404(slug)
    named = typed(request.GET, "agent").strip()
    place = Place(_address(request), slug, _agent(named) or _AGENT)
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


def _address(request: HttpRequest) -> str:
    return absolute_for(request, "/").rstrip("/")


def _agent(name: str) -> str:
    """Return an agent's name; "" for an impossible one."""
    try:
        return checked_agent(name) if name else ""
    except ToolError:
        return ""
