"""Boards, list, figures and detail page of handoffs."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from memoryhub.handoffs.exporters import handoff_text
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.ids import handoffs_named, past_handoff
from memoryhub.journal.models import Workspace
from memoryhub.people.policy import actor_of, workspace_or_404, workspaces
from memoryhub.timeline.queries.turns import answers_in, turn_counts
from memoryhub.web.claims.presenters import held_files
from memoryhub.web.handoffs.presenters.board import (
    LIST,
    board_query,
    columns_of,
    filters_of,
    list_of,
    unreadable_rows,
)
from memoryhub.web.handoffs.presenters.cards import title_of
from memoryhub.web.handoffs.presenters.figures import figures_of
from memoryhub.web.handoffs.presenters.handoff import handoff_page, place_of
from memoryhub.web.handoffs.presenters.hub import (
    HubQuery,
    columns_of_all,
    type_options,
)
from memoryhub.web.handoffs.presenters.notes import notes_shown
from memoryhub.web.handoffs.presenters.waiting import lane_shown, waiting_shown
from memoryhub.web.kit.frame import Version, shell_of
from memoryhub.web.kit.http import markdown_response, redirect_with_query
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import ListQuery
from memoryhub.web.kit.responses import Choice, choose


@require_GET
def handoff_board(request: HttpRequest, slug: str) -> HttpResponse:
    """Show handoffs by state or as a list, with write lane and waiting graph."""
    workspace = workspace_or_404(slug)
    query = board_query(request, workspace)
    shell = shell_of(workspace, [(gettext("Handoffs"), request.path)])
    context = {
        "shell": shell,
        "page": "handoffs",
        "title": gettext("Handoffs"),
        "query": query,
        "board_url": query.address(view=""),
        "list_url": query.address(view=LIST),
        "new_url": shell.addresses.handoff_new(topic=query.topic),
        "lane": lane_shown(shell),
        "waiting": waiting_shown(shell),
        "held": held_files(shell),
        "notes": notes_shown(workspace, shell),
        "unreadable": unreadable_rows(workspace, shell),
        **filters_of(workspace, query, shell),
    }
    if query.view == LIST:
        context |= list_of(workspace, query, shell)
        return render(request, "handoffs/handoff_list.html", context)
    context["columns"] = columns_of(workspace, query, shell)
    return render(request, "handoffs/handoff_board.html", context)


@require_GET
def handoff_detail(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Show a handoff: task, sign-off, steps, result, linked rows.

    One in no file any longer redirects to its last place; several of an id give a
    choice.
    """
    workspace = workspace_or_404(slug)
    found = handoffs_named(workspace, name)
    addresses = addresses_of(slug)
    if not found and (past := past_handoff(workspace, name)):
        return redirect_with_query(request, place_of(past))
    if len(found) != 1:
        return _choose(request, workspace, name, found)
    (handoff,) = found
    if handoff.code != name:
        return redirect_with_query(request, addresses.handoff(handoff.code))
    called = handoff.name
    crumbs = [(gettext("Handoffs"), addresses.handoffs), (called, request.path)]
    shell = shell_of(workspace, crumbs)
    shown = handoff_page(handoff, actor_of(request), shell)
    if shown["same_id"]:
        called = f"{called} ({handoff.code})"
    context = {
        "shell": shell,
        "page": "handoffs",
        "title": gettext("Handoff %(id)s") % {"id": called},
        **shown,
    }
    return render(request, "handoffs/handoff_detail.html", context)


@require_GET
def handoff_as_text(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Return a handoff in the hub's own format, with log and results."""
    handoff = handoff_or_404(slug, name)
    ListQuery.of_text(request)
    return markdown_response(handoff_text(handoff))


def handoff_or_404(slug: str, name: str) -> Handoff:
    """Return the one handoff of an address.

    Raises:
        Http404: None has this id, or several have it.
    """
    found = handoffs_named(workspace_or_404(slug), name)
    if len(found) != 1:
        raise Http404
    return found[0]


def _choose(
    request: HttpRequest, workspace: Workspace, name: str, found: Sequence[Handoff]
) -> HttpResponse:
    crumbs = [(gettext("Handoffs"), addresses_of(workspace.slug).handoffs), (name, "")]
    shell = shell_of(workspace, crumbs)
    choices = [
        Choice(
            shell.addresses.handoff(row.code),
            title_of(row),
            f"{row.file.path}:{row.first_line}",
            shell.clock.stated(row.occurred_at, row.precision),
        )
        for row in found
    ]
    return choose(request, shell, "handoffs", name, choices)


@require_GET
def handoff_figures(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the figures: lead time, waiting time, share sent back, throughput."""
    workspace = workspace_or_404(slug)
    board = addresses_of(slug).handoffs
    crumbs = [(gettext("Handoffs"), board), (gettext("Figures"), request.path)]
    shell = shell_of(workspace, crumbs)
    context = {
        "shell": shell,
        "page": "handoffs",
        "title": gettext("Figures of handoffs"),
        "figures": figures_of(workspace, shell.clock),
    }
    return render(request, "handoffs/figures.html", context)


@require_GET
def hub_board(request: HttpRequest) -> HttpResponse:
    """Show handoffs of all workspaces by state; redirect to the board if only one."""
    known = workspaces()
    if len(known) == 1:
        return redirect_with_query(request, addresses_of(known[0].slug).handoffs)
    slugs = {one.slug for one in known}
    query = HubQuery.of(request, known={"workspace": slugs.__contains__})
    now = timezone.now()
    context = {
        "title": gettext("All handoffs"),
        "crumbs": [(gettext("Handoffs"), request.path)],
        "query": query,
        "columns": columns_of_all(known, query, now),
        "turn_count": answers_in(turn_counts(known, now).values()),
        "workspaces": [(one.slug, one.name) for one in known],
        "types": type_options(),
        "mine_url": query.link("to", "me", "").url,
        "version": Version.of(known),
    }
    return render(request, "handoffs/hub_board.html", context)
