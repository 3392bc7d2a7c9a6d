"""A day over all agents, as a page and as Markdown."""

from __future__ import annotations

from datetime import date

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from memoryhub.people.policy import workspace_or_404
from memoryhub.timeline.queries.days import day_facts, neighbours, newest
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import markdown_response
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.timeline.presenters.days import day_markdown, day_page


@require_GET
def day(request: HttpRequest, slug: str, day: str) -> HttpResponse:
    """Show the logs of all agents of a day."""
    workspace, asked = workspace_or_404(slug), _day_or_404(day)
    addresses = addresses_of(slug)
    clock = Clock.of(workspace.time_zone)
    bounds = clock.bounds(asked)
    page = day_page(
        workspace,
        asked,
        day_facts(workspace, *bounds),
        neighbours(workspace, *bounds),
        addresses,
        clock,
    )
    context = {
        "page": "timeline",
        "title": page.label,
        "day": page,
        "text_url": f"{addresses.base}days/{asked.isoformat()}.md",
        "shell": shell_of(
            workspace,
            [(gettext("Timeline"), addresses.timeline), (page.label, request.path)],
        ),
    }
    return render(request, "timeline/day_detail.html", context)


@require_GET
def day_text(request: HttpRequest, slug: str, day: str) -> HttpResponse:
    """Return the logs of all agents of a day as Markdown."""
    workspace, asked = workspace_or_404(slug), _day_or_404(day)
    facts = day_facts(workspace, *Clock.of(workspace.time_zone).bounds(asked))
    return markdown_response(day_markdown(asked, facts))


@require_GET
def newest_day(request: HttpRequest, slug: str) -> HttpResponse:
    """Redirect to the newest day with a log, else to today."""
    workspace = workspace_or_404(slug)
    clock = Clock.of(workspace.time_zone)
    last = newest(workspace)
    return redirect(
        addresses_of(slug).day(clock.day(last) if last else clock.now.date())
    )


def _day_or_404(text: str) -> date:
    try:
        found = date.fromisoformat(text)
    except ValueError as error:
        raise Http404 from error
    if found.isoformat() != text:
        raise Http404
    return found
