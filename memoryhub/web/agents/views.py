"""Pages of agents: list and detail."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from memoryhub.people.policy import workspace_or_404
from memoryhub.timeline.queries.agents import (
    AGENTS,
    agents_counted,
    agents_now,
    bound_sessions,
    declared_roles,
    wrote_lately,
)
from memoryhub.web.agents.presenters import agent_row, by_need, event_rows
from memoryhub.web.claims.presenters import held_files
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.links import addresses_of, with_query


@require_GET
def agents(request: HttpRequest, slug: str) -> HttpResponse:
    """List the agents that files name, with their states, most in need first."""
    workspace = workspace_or_404(slug)
    shell = shell_of(workspace, [(gettext("Agents"), request.path)])
    found = by_need(agents_now(workspace, shell.clock.now))
    rows = [agent_row(agent, shell) for agent in found]
    active = [row for row in rows if row["row"].has_work]
    silent = [row for row in rows if not row["row"].has_work]
    number = agents_counted(workspace, len(active or silent))
    context = {
        "shell": shell,
        "page": "agents",
        "title": gettext("Agents"),
        "number": number,
        "agents": active,
        "silent": silent,
        "limit": AGENTS if number.more else 0,
    }
    return render(request, "agents/agent_list.html", context)


@require_GET
def agent(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Show an agent: role, state, sessions, recall, recent activity."""
    workspace = workspace_or_404(slug)
    crumbs = [
        (gettext("Agents"), addresses_of(slug).agents),
        (name, request.path),
    ]
    shell = shell_of(workspace, crumbs)
    found = agents_now(workspace, shell.clock.now, only=name)
    if not found:
        raise Http404
    (one,) = found
    addresses = shell.addresses
    context = {
        "shell": shell,
        "page": "agents",
        "title": name,
        "agent": agent_row(one, shell),
        "agent_id": one.id,
        "sources": declared_roles(one.id),
        "sessions": bound_sessions(workspace, one.id),
        "held": held_files(shell, name),
        "wrote": event_rows(wrote_lately(workspace, one.id), addresses),
        "timeline_url": with_query(addresses.timeline, agent=name),
    }
    return render(request, "agents/agent_detail.html", context)
