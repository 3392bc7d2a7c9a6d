"""Search page and palette: results with highlights, filters, facets, notes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.utils.functional import Promise
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_GET

from memoryhub.journal.models import Agent, Workspace
from memoryhub.journal.problems import unread_files
from memoryhub.journal.reading import CONFLICT_COPY
from memoryhub.people.policy import workspace_or_404
from memoryhub.search.history import LostLine, asks_history
from memoryhub.search.parser import Filter, Item, Note, Phrase, Query, Word
from memoryhub.search.queries import search
from memoryhub.search.results import Facet, Hit, SearchResults
from memoryhub.search.snippets import Snippet, Why
from memoryhub.search.things import Thing, decisions_with
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import HtmxRequest, page_or_partial, wants_partial
from memoryhub.web.kit.labels import ICONS, KINDS
from memoryhub.web.kit.links import Addresses, addresses_of, with_query
from memoryhub.web.kit.listing import FilterLink, ListQuery, parameter
from memoryhub.web.kit.prose import plain_text
from memoryhub.web.kit.state_labels import DECISION_STATES, ITEM_STATES
from memoryhub.web.rights import opens

#: Most lines shown per result.
_MORE_LINES = 3
#: Markdown's marks in a part of a snippet: pairs may be in different parts.
_MARKS = re.compile(r"\*\*|~~|`+|(?m:^#{1,6}[ \t])|<!--(?s:.{0,300}?)-->")
#: Syntax of JSON, and the files that have it.
_DATA = re.compile(r"\\[nrt]|[\\\"{}\[\]]+")
_DATA_FILES = (".json", ".jsonl")
#: Most rows of the palette, and the size of the reason for each.
PALETTE_ROWS = 8
_MOST_REASONS, _REASON_CHARACTERS = 2, 26

#: Kinds of things that are found, as words and icons: those of events, and items.
THING_KINDS = KINDS | {"item": (gettext_lazy("Open item"), gettext_lazy("Open items"))}
THING_ICONS = ICONS | {"item": "check"}

_GROUPS = {
    "decisions": gettext_lazy("Decisions"),
    "items": gettext_lazy("Open items"),
    "snapshots": gettext_lazy("Snapshots"),
    "handoffs": gettext_lazy("Handoffs"),
    "topics": gettext_lazy("Topics"),
    "days": gettext_lazy("Days"),
    "files": gettext_lazy("Files"),
}
_NOTES: dict[str, Promise] = {
    "cut": gettext_lazy("The query is too long: its end was left out."),
    "operator": gettext_lazy(
        "“%(about)s” was left out: lines with any of the words are found, best first."
    ),
    "quote-open": gettext_lazy(
        "Unclosed quotation mark: everything after it was read as one phrase."
    ),
    "filter-empty": gettext_lazy("“%(about)s:” has no value and was left out."),
    "kind-unknown": gettext_lazy(
        "There is no kind “%(about)s”: it can be decision, item, snapshot, handoff,"
        " topic, note, session, memory or file."
    ),
    "is-unknown": gettext_lazy("“is:%(about)s” was left out: only is:blocked exists."),
    "in-unknown": gettext_lazy("“in:%(about)s” was left out: only in:history exists."),
    "not-in-history": gettext_lazy(
        "“%(about)s:” does not narrow earlier versions: path:, before: and after: do."
    ),
    "day-unknown": gettext_lazy(
        "“%(about)s” is not a day: write 2026-03-08, 2026-03, today or 7d."
    ),
    "topic-unknown": gettext_lazy("There is no topic “%(about)s”."),
    "agent-unknown": gettext_lazy("There is no agent “%(about)s”."),
    "stopped": gettext_lazy(
        "Stopped after %(about)s seconds: narrow the search to see the rest."
    ),
    "phrase-nowhere": gettext_lazy(
        "No line has “%(about)s” word for word: its words are searched for."
    ),
    "day-nowhere": gettext_lazy(
        "Nothing is dated “%(about)s”: its words are searched for."
    ),
    "respelled": gettext_lazy("A word is in no line, a similar one is: %(about)s."),
    "too-common": gettext_lazy(
        "Words as common as these are ignored: %(about)s. In quotation marks they are"
        " found."
    ),
    "nothing-to-find": gettext_lazy("Type a word to search for."),
}
_FACETS = {
    "kind": gettext_lazy("Kind"),
    "topic": gettext_lazy("Topic"),
    "agent": gettext_lazy("Agent"),
}
_FILTERS = {
    "topic": gettext_lazy("topic"),
    "agent": gettext_lazy("agent"),
    "kind": gettext_lazy("kind"),
    "path": gettext_lazy("path"),
    "before": gettext_lazy("before"),
    "after": gettext_lazy("since"),
    "is": gettext_lazy("is"),
    "in": gettext_lazy("in"),
}
_LONGEST = 1_000
#: Decisions that are added where the best results have none, and to the palette.
_DECISIONS, _EARLY = 3, 2
#: Filters that the palette offers to narrow a search by.
_NARROWED = 2
#: How much has to be typed before places are offered.
_LEAST = 3
#: Prefix of a command in the palette.
_COMMAND = ">"


@dataclass(frozen=True, slots=True)
class SearchQuery(ListQuery):
    """Query of the search page; `stay`: an exact id opens no other page."""

    text: str = parameter("q", in_form=True, length=1000)
    recent: str = parameter("recent", choices=("1",), filters=False)
    #: Also repeats: lines that differ in numbers alone.
    every: str = parameter("every", choices=("1",), filters=False)
    stay: str = parameter("stay", choices=("1",), cursor=True)

    def to(self, query: Query | str) -> str:
        """Return the address of a changed search."""
        return self.address(text=query if isinstance(query, str) else query.source)


def shown_search(
    results: SearchResults,
    query: SearchQuery,
    addresses: Addresses,
    clock: Clock,
    copies: Collection[str],
) -> dict[str, Any]:
    """Return the template values of a search's results; lines in copies say so."""
    best, newer = gettext("Best first"), gettext("Newer first")
    recent = bool(query.recent)
    return {
        "total": len({hit.thing.id for hit in results.hits}),
        "groups": [
            {
                "name": name,
                "label": _GROUPS[name],
                "found": [_found(hits, addresses, clock, copies) for hits in found],
            }
            for name, found in results.groups.items()
        ],
        "read": list(_read(results.query, query)),
        "facets": list(_facets(results, query)),
        "notes": list(dict.fromkeys(map(note_text, results.notes))),
        "nearest": list(_nearest(results, query)),
        "jump": shown_thing(results.jump[0], addresses) if results.jump else None,
        "order": [
            FilterLink(best, query.address(recent=""), current=not recent),
            FilterLink(newer, query.address(recent="1"), current=recent),
        ],
        "behind": results.behind,
        "more": results.more,
        "at_least": results.at_least,
        "every": query.address(every="1"),
        "earlier": [_lost(line, addresses, clock) for line in results.earlier.lines],
        "only_earlier": asks_history(results.query),
        "earlier_is_cut": results.earlier.is_cut,
    }


class PaletteRow(NamedTuple):
    """A row of the palette: its address, title, icon, kind, and why it is there."""

    url: str
    title: str
    icon: str
    kind: str
    why: str = ""


def palette_rows(
    things: Iterable[Thing], results: SearchResults, addresses: Addresses
) -> Iterator[PaletteRow]:
    """Yield the rows of things, each with the first words found in its best line."""
    best = {hit.thing.id: hit for hit in reversed(results.hits)}
    for thing in things:
        hit = best.get(thing.id)
        why = hit.why if hit else Why()
        shown = shown_thing(thing, addresses)
        reasons = (*why.names, *why.words, *filter(None, (why.day,)))
        yield PaletteRow(
            shown["url"],
            str(shown["title"]),
            shown["icon"],
            str(shown["kind"]),
            ", ".join(reasons[:_MOST_REASONS])[:_REASON_CHARACTERS],
        )


def note_text(note: Note) -> str:
    """Return the note on a part of the query that was ignored or reinterpreted."""
    template = _NOTES.get(note.code)
    return str(template) % {"about": note.about} if template else note.code


def shown_thing(thing: Thing, addresses: Addresses) -> dict[str, Any]:
    """Return a row that was found, with its address, icon and kind in words."""
    return {
        "row": thing,
        "url": thing_url(thing, addresses),
        "title": plain_text(thing.title),
        "icon": THING_ICONS[thing.kind],
        "kind": THING_KINDS[thing.kind][0],
    }


def _found(
    hits: Sequence[Hit], addresses: Addresses, clock: Clock, copies: Collection[str]
) -> dict[str, object]:
    """Return a row with its best lines; without those that only stand beside one."""
    thing = hits[0].thing
    at, own = thing.occurred_at, [hit for hit in hits if not hit.why.beside] or hits
    return {
        **shown_thing(thing, addresses),
        "state": _state(thing),
        "iso": clock.local(at).isoformat(timespec="seconds") if at else "",
        "when": _when(thing, clock),
        "lines": [
            {**_line(hit, addresses), "is_copy": hit.place in copies}
            for hit in own[:_MORE_LINES]
        ],
        "left_out": max(0, len(own) - _MORE_LINES),
    }


def _state(thing: Thing) -> Promise | str:
    """Return the state of a decision or an open item in words."""
    if thing.state == "suggested":
        return gettext("suggested")
    states = {"decision": DECISION_STATES, "item": ITEM_STATES}.get(thing.kind, {})
    return states[thing.state][1] if thing.state in states else ""


def _when(thing: Thing, clock: Clock) -> str:
    if thing.occurred_at is None:
        return ""
    if thing.is_timed:
        return clock.moment(thing.occurred_at)
    return clock.date_label(clock.day(thing.occurred_at))


def _line(hit: Hit, addresses: Addresses) -> dict[str, str | int]:
    home = addresses_of(hit.home) if hit.home else addresses
    return {
        "html": marked(hit.snippet, is_data=hit.path.endswith(_DATA_FILES)),
        "place": f"{hit.place}:{hit.first_line}",
        "url": home.file(hit.path, line=hit.first_line),
        "why": str(hit.why),
        "meant": hit.meant,
        "alike": len(hit.alike),
        "day": hit.day.isoformat() if hit.day else "",
    }


def _lost(line: LostLine, addresses: Addresses, clock: Clock) -> dict[str, object]:
    """Return a lost line with the pages of its removal and of its restoring."""
    return {
        "row": line,
        "html": marked(line.snippet, is_data=line.path.endswith(_DATA_FILES)),
        "iso": clock.local(line.removed_at).isoformat(timespec="seconds"),
        "when": clock.moment(line.removed_at),
        "version_url": addresses.file(line.place, line=line.line, rev=line.seq),
        "removal_url": ""
        if line.is_deleted
        else addresses.file(
            line.place, view="history", vs=line.seq, rev=line.removed_seq
        ),
        "restore_url": addresses.file(line.place, rev=line.seq),
    }


def thing_url(thing: Thing, addresses: Addresses) -> str:
    """Return the page of a result; its place in the file if it has no page."""
    pages = {
        "snapshot": addresses.snapshot,
        "handoff": addresses.handoff,
        "decision": addresses.decision,
        "item": addresses.open_item,
    }
    if thing.kind in pages:
        return pages[thing.kind](thing.code)
    if thing.kind == "memory":
        return f"{addresses.memories}{thing.code}/"
    if thing.kind == "topic":
        return addresses.topic(thing.topic_slug)
    if thing.kind == "file":
        return addresses.file(thing.path)
    return addresses.file(thing.path, line=thing.first_line)


def marked(snippet: Snippet, *, is_data: bool = False) -> SafeString:
    """Return a snippet as HTML with matches in ``<mark>``, without signs of its format.

    These are Markdown's marks and comments, or the syntax of data.
    """
    signs, between = (_DATA, " ") if is_data else (_MARKS, "")
    parts, at, text = [], 0, snippet.text
    for mark in snippet.marks:
        before, found = text[at : mark.start], text[mark.start : mark.end]
        parts.append((signs.sub(between, before), signs.sub(between, found)))
        at = mark.end
    shown = format_html_join("", "{}<mark>{}</mark>", parts)
    tail = "…" if snippet.cut else ""
    return format_html(
        "{}{}{}", shown, conditional_escape(signs.sub(between, text[at:])), tail
    )


def _read(query: Query, links: SearchQuery) -> Iterator[FilterLink]:
    """Yield the parts of the query, each with the link that removes it."""
    for item in query.items:
        yield FilterLink(_item_text(item), links.to(query.less(item)))


def _item_text(item: Item) -> str:
    words = {"text": "", "name": "", "value": ""}
    if isinstance(item, Word):
        words["text"] = item.text
    elif isinstance(item, Phrase):
        words["text"] = f"“{item.text}”"
    else:
        words |= {"name": str(_FILTERS[item.name]), "value": item.value}
        words["text"] = gettext("%(name)s: %(value)s") % words
    return gettext("without %(text)s") % words if item.negated else words["text"]


def _facets(
    results: SearchResults, links: SearchQuery
) -> Iterator[tuple[str, tuple[FilterLink, ...]]]:
    """Yield the facets that can narrow the search, or of which a value is chosen."""
    chosen = {(f.name, f.value.lower()) for f in results.query.filters if not f.negated}
    for name, label in _FACETS.items():
        facets = [facet for facet in results.facets if facet.name == name]
        chips = tuple(_facet_chip(facet, results, chosen, links) for facet in facets)
        if len(chips) > 1 or any(chip.current for chip in chips):
            yield str(label), chips


def _facet_chip(
    facet: Facet,
    results: SearchResults,
    chosen: set[tuple[str, str]],
    links: SearchQuery,
) -> FilterLink:
    item = Filter(facet.name, facet.value)
    current = (facet.name, facet.value.lower()) in chosen
    label = str(THING_KINDS[facet.value][1]) if facet.name == "kind" else facet.label
    query = _without(results.query, item) if current else results.query.more(item)
    return FilterLink(label, links.to(query), facet.count, current)


def _without(query: Query, item: Filter) -> Query:
    items = (
        other
        for other in query.items
        if not (
            isinstance(other, Filter)
            and other.name == item.name
            and other.value.lower() == item.value.lower()
        )
    )
    return Query(tuple(items))


def _nearest(results: SearchResults, links: SearchQuery) -> Iterator[FilterLink]:
    for word, nearest in results.spellings:
        items = tuple(_respelled(results.query.items, word, nearest))
        yield FilterLink(nearest, links.to(Query(items)))


def _respelled(items: Iterable[Item], word: str, nearest: str) -> Iterator[Item]:
    for item in items:
        if isinstance(item, Word) and word in item.text:
            yield item._replace(text=item.text.replace(word, nearest))
        else:
            yield item


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
