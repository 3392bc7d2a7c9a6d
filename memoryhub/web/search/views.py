"""Search page and palette."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from memoryhub.journal.models import Agent, Workspace
from memoryhub.journal.problems import unread_files
from memoryhub.journal.reading import CONFLICT_COPY
from memoryhub.people.policy import workspace_or_404
from memoryhub.search.queries import search
from memoryhub.search.results import SearchResults
from memoryhub.search.things import decisions_with
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import HtmxRequest, page_or_partial, wants_partial
from memoryhub.web.kit.links import Addresses, addresses_of, with_query
from memoryhub.web.kit.listing import ListQuery, parameter
from memoryhub.web.rights import opens
from memoryhub.web.search.presenters import (
    PALETTE_ROWS,
    PaletteRow,
    SearchQuery,
    palette_rows,
    shown_search,
    thing_url,
)

_LONGEST = 1_000
#: Decisions that are added where the best results have none, and to the palette.
_DECISIONS, _EARLY = 3, 2
#: Filters that the palette offers to narrow a search by.
_NARROWED = 2
#: How much has to be typed before places are offered.
_LEAST = 3
#: Prefix of a command in the palette.
_COMMAND = ">"


@require_GET
def search_page(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show the results of a query; redirect to the row if it is an exact id."""
    workspace = workspace_or_404(slug)
    query, part = SearchQuery.of(request), wants_partial(request)
    results = _searched(
        workspace,
        query.text,
        recent=bool(query.recent),
        typing=part,
        collapsing=not query.every,
        history=True,
    )
    addresses = addresses_of(slug)
    thing, is_sure = results.jump or (None, False)
    if thing and is_sure and not part and not query.stay:
        response: HttpResponse = redirect(thing_url(thing, addresses))
        patch_vary_headers(response, ("HX-Request",))
        return response
    clock = Clock.of(workspace.time_zone)
    context = {
        "page": "search",
        "title": gettext("Search"),
        "query": query,
        "found": shown_search(
            results, query, addresses, clock, unread_files(workspace, (CONFLICT_COPY,))
        ),
    }
    if not part:
        context["shell"] = shell_of(workspace, [(gettext("Search"), request.path)])
    return page_or_partial(
        request, "search/search_page.html", "search/_results.html", context
    )


@dataclass(frozen=True, slots=True)
class PaletteQuery(ListQuery):
    """Text typed into the palette."""

    text: str = parameter("q", length=_LONGEST)


@require_GET
def palette(request: HtmxRequest, slug: str) -> HttpResponse:
    """Return the palette's rows for the typed text: places, then results."""
    workspace = workspace_or_404(slug)
    text, addresses = PaletteQuery.of_text(request).text, addresses_of(slug)
    places = list(_places(workspace, addresses, text))
    if text.startswith(_COMMAND):
        return render(request, "search/_palette.html", {"rows": places})
    prefix = {"#": "kind:topic ", "@": "agent:"}.get(text[:1], "")
    query = prefix + text[1:] if prefix else text
    named: dict[str, PaletteRow] = {}
    more, narrowed = "", list[tuple[str, str]]()
    if len(text) > bool(prefix):
        results = search(
            workspace, query, limit=3 * PALETTE_ROWS, typing=True, collapsing=True
        )
        if results.more:
            more = f"{results.more}+" if results.at_least else str(results.more)
            narrowed = [
                (with_query(addresses.search, q=f"{query} {item}"), f"{query} {item}")
                for item in results.narrowing[:_NARROWED]
            ]
        jump = [results.jump[0]] if results.jump else []
        early = decisions_with(workspace, results.query, _EARLY)
        found = palette_rows(results.things(early), results, addresses)
        for row in (*palette_rows(jump, results, addresses), *places, *found):
            named.setdefault(row.url, row)
    context = {
        "text": text,
        "rows": list(named.values())[:PALETTE_ROWS],
        "more": more,
        "narrowed": narrowed,
        "all": with_query(addresses.search, q=query, stay=1) if text else "",
    }
    return render(request, "search/_palette.html", context)


def _searched(workspace: Workspace, text: str, **options: bool) -> SearchResults:
    """Return the results of a query, with the best decisions if it names no kind."""
    results = search(workspace, text, **options)
    named = {item.name for item in results.query.filters}
    kinds = {hit.thing.kind for hit in results.hits}
    if not results.hits or "kind" in named or "decision" in kinds:
        return results
    more = search(workspace, f"kind:decision {text}", limit=_DECISIONS, **options)
    return replace(results, hits=(*results.hits, *more.hits))


def _places(
    workspace: Workspace, addresses: Addresses, text: str
) -> Iterator[PaletteRow]:
    """Yield pages, commands and agents whose words begin with all that is typed."""
    words = text.removeprefix(_COMMAND).casefold().split()
    if len(text) < _LEAST and not text.startswith(_COMMAND):
        return
    known = (
        (addresses.decision_new(), gettext("Add a decision"), "plus"),
        (addresses.handoff_new(), gettext("New handoff"), "plus"),
        (addresses.agents, gettext("Agents"), "brain"),
        (addresses.trends, gettext("Trends"), "timeline"),
        (addresses.connect, gettext("Connect an agent"), "plus"),
        (addresses.tokens, gettext("Tokens"), "lock"),
        (addresses.handover, gettext("Export for an agent"), "swap"),
        (addresses.recall, gettext("What agents get without a topic"), "brain"),
        (addresses.open_items, gettext("Open items"), "check"),
        (addresses.export, gettext("Export preview"), "export"),
        (addresses.imports, gettext("Imports"), "import"),
        (addresses.health, gettext("Health"), "health"),
        (addresses.forget(), gettext("Forget a secret, a file or an entry"), "lock"),
        (addresses.unassigned, gettext("Unassigned"), "updown"),
        (addresses.settings, gettext("Settings"), "filter"),
    )
    for url, title, icon in known:
        held = f" {title}".casefold()
        if opens(url) and all(f" {word}" in held for word in words):
            yield PaletteRow(url, title, icon, gettext("command"))
    agents = Agent.objects.filter(workspace=workspace).order_by("name")
    if len(words) == 1:
        for agent in agents.filter(name__istartswith=words[0])[:_DECISIONS]:
            url = addresses.agent(agent.name)
            yield PaletteRow(url, agent.name, "brain", gettext("agent"))
