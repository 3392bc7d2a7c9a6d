"""Open items: list with filters, one item with its places, closing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_POST

from memoryhub.journal.grades import Grade
from memoryhub.journal.models import Workspace
from memoryhub.people.policy import workspace_or_404
from memoryhub.web.kit.frame import Shell, shell_of
from memoryhub.web.kit.http import (
    HtmxRequest,
    page_or_partial,
    redirect_with_query,
)
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import (
    FilterLink,
    ListQuery,
    names_known,
    number,
    parameter,
)
from memoryhub.web.kit.prose import plain_text
from memoryhub.web.kit.responses import answer_change
from memoryhub.web.kit.state_labels import ITEM_STATES
from memoryhub.web.suggestions import GRADES, grade_facet
from memoryhub.web.topics.forms import author_of, line
from snapshots.models import OpenItem
from snapshots.queries.open_items import (
    AGES,
    ORDERS,
    PAGE_SIZE,
    Facets,
    OwnedItem,
    Place,
    Wanted,
    facets_of,
    owned_items,
    places_of,
    selected,
    wanted_items,
    work_by_code,
)
from snapshots.rules.carried_over import Item, Statement
from snapshots.services.open_items import can_close, close_item, reopen_item
from topics.services.topics import new_key

#: Characters of an item in the list; its page has all.
_LONGEST = 400
_AGES: dict[str, Promise] = {
    "new": gettext_lazy("Today and yesterday"),
    "week": gettext_lazy("2 to 7 days"),
    "month": gettext_lazy("8 to 30 days"),
    "older": gettext_lazy("Older than 30 days"),
}
_ORDERS: dict[str, Promise] = {
    "": gettext_lazy("Mentioned last"),
    "oldest": gettext_lazy("Oldest first"),
    "repeated": gettext_lazy("Most repeated"),
}


@dataclass(frozen=True, slots=True)
class OpenItemQuery(ListQuery):
    """Filters, order and page of the list of open items."""

    text: str = parameter("q", in_form=True)
    topic: str = parameter("topic")
    agent: str = parameter("agent")
    age: str = parameter("age", choices=AGES)
    state: str = parameter("state", default="open", choices=ITEM_STATES)
    grade: str = parameter("grade", default="declared", choices=GRADES)
    order: str = parameter("sort", choices=tuple(filter(None, ORDERS)), filters=False)
    page: int = number("page", default=1)

    def wanted(self, workspace: Workspace) -> Wanted:
        """Return the query's filter of items."""
        return wanted_items(
            workspace,
            state="done" if self.state == "done" else "open",
            text=self.text,
            topic=self.topic,
            agent=self.agent,
            age=self.age,
            grade=self.grade,
        )


def item_rows(
    works: Sequence[Item], shell: Shell, back: str = ""
) -> list[dict[str, Any]]:
    """Return rows of items; forms in them return to `back`."""
    return [_item_row(found, shell, back) for found in owned_items(works)]


def _item_row(found: OwnedItem, shell: Shell, back: str) -> dict[str, Any]:
    work, row, topic = found.work, found.row, found.topic
    addresses, (state, label) = shell.addresses, ITEM_STATES[work.state]
    text = plain_text(work.text)
    return {
        "code": work.code,
        "url": addresses.open_item(work.code),
        "text": text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…",
        "state": state,
        "state_label": str(label),
        "age": age_text(work, shell),
        "times": times_text(work.times),
        "agent": found.agent.name if found.agent else "",
        "topic": topic.name if topic else "",
        "topic_url": addresses.topic(topic.slug) if topic else "",
        "place": found.place,
        "place_url": addresses.file(found.shown.file.path, line=found.shown.first_line),
        "is_suggested": row.grade == Grade.SUGGESTED,
        "since": shell.clock.date_label(shell.clock.day(work.since)),
        "since_iso": shell.clock.local(work.since).isoformat(timespec="seconds"),
        "is_dated": work.is_dated,
        "close_url": f"{addresses.open_item(work.code)}close/"
        if can_close(row)
        else "",
        "assign_url": addresses.assign("item", row.code, back),
    }


def age_text(work: Item, shell: Shell) -> str:
    """Return for how long an item is open, or when it was done, if that is stated."""
    if (closing := work.closing) is not None:
        if not closing.is_dated:
            return gettext("done")
        day = shell.clock.day(closing.at)
        return gettext("done on %(day)s") % {"day": shell.clock.date_label(day)}
    if not work.is_dated:
        return gettext("age unknown")
    today = shell.clock.now.date()
    days = (today - shell.clock.day(work.since)).days
    if days < 1:
        return gettext("open since today")
    return ngettext("open for %(n)s day", "open for %(n)s days", days) % {"n": days}


def times_text(times: int) -> str:
    """Return how many files repeat an item; empty for one."""
    if times < 2:
        return ""
    return gettext("in %(n)s files") % {"n": times}


def _place_row(place: Place, shell: Shell) -> dict[str, Any]:
    row = place.row
    state, label = ITEM_STATES["done" if place.is_done else "open"]
    return {
        "text": plain_text(place.text)[:_LONGEST],
        "path": row.file.path,
        "line": row.first_line,
        "url": shell.addresses.file(row.file.path, line=row.first_line),
        "when": shell.clock.day_stated(row.file.path, row.occurred_at, row.precision),
        "agent": row.agent.name if row.agent else "",
        "state": state,
        "state_label": str(label),
    }


def facet_links(
    facets: Facets,
    query: OpenItemQuery,
    counts: Mapping[str, int],
    workspace: Workspace,
) -> list[dict[str, Any]]:
    """Return groups of filter links, with their numbers of items."""
    groups = (
        ("state", gettext("State"), [
            (name, str(label), counts[name]) for name, (_, label) in ITEM_STATES.items()
        ]),
        ("age", gettext("Age"), [
            (name, str(_AGES[name]), n) for name in AGES if (n := facets.ages[name])
        ]),
        ("topic", gettext("Topic"), [(t.slug, t.name, n) for t, n in facets.topics]),
        ("agent", gettext("Agent"), [(a.name, a.name, n) for a, n in facets.agents]),
    )  # fmt: skip
    return [
        {"label": label, "links": [_link(query, name, *o) for o in options]}
        for name, label, options in groups
        if options
    ] + grade_facet(query, query.grade, "item", workspace)


def _link(
    query: OpenItemQuery, name: str, value: str, label: str, count: int
) -> FilterLink:
    if name != "state":
        return query.link(name, value, label, count)
    current = query.state == value
    return FilterLink(label, query.address(state=value), count, current)


def order_links(query: OpenItemQuery) -> list[FilterLink]:
    """Return the links of the list's orders."""
    return [
        FilterLink(str(_ORDERS[n]), query.address(order=n), current=query.order == n)
        for n in ORDERS
    ]


@require_GET
def open_items(request: HtmxRequest, slug: str) -> HttpResponse:
    """List the open items of all files, repeats folded into one."""
    workspace = workspace_or_404(slug)
    query = OpenItemQuery.of(request, known=names_known(workspace))
    shell = shell_of(workspace, [(gettext("Open items"), request.path)])
    now = shell.clock.now
    found = selected(workspace, query.wanted(workspace), now, query.order)
    start = (max(query.page, 1) - 1) * PAGE_SIZE
    every = selected(workspace, Wanted(state="", grade=query.grade), now)
    context = {
        "shell": shell,
        "page": "open-items",
        "title": gettext("Open items"),
        "query": query,
        "total": len(found),
        "rows": item_rows(found[start : start + PAGE_SIZE], shell, request.path),
        "next": query.address(page=max(query.page, 1) + 1)
        if start + PAGE_SIZE < len(found)
        else "",
        "facets": facet_links(
            facets_of(found, now), query, Counter(w.state for w in every), workspace
        ),
        "orders": order_links(query),
        "key": new_key(),
    }
    return page_or_partial(
        request, "open_items/open_item_list.html", "open_items/_rows.html", context
    )


@require_GET
def open_item(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Show an item in full: age, places in files, and the form to close it."""
    workspace = workspace_or_404(slug)
    work = _work_or_404(workspace, code)
    addresses = addresses_of(slug)
    if work.code != code:
        return redirect_with_query(request, addresses.open_item(work.code))
    shell = shell_of(
        workspace, [(gettext("Open items"), addresses.open_items), ("", "")]
    )
    (row,) = item_rows([work], shell, request.path) or (None,)
    if row is None:
        raise Http404
    called = row["text"][:80]
    crumbs = [(gettext("Open items"), addresses.open_items), (called, "")]
    context = {
        "shell": shell_of(workspace, crumbs),
        "page": "open-items",
        "title": f"{called} · {gettext('Open items')}",
        "row": row,
        "text": work.text,
        "graded": _row_of(work.newest),
        "is_done": work.is_done,
        "can_reopen": work.can_reopen,
        "places": [_place_row(place, shell) for place in places_of(work)],
        "key": new_key(),
    }
    return render(request, "open_items/open_item_detail.html", context)


@require_POST
def close_open_item(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Tick an item off in the file that states it last; 409 on a conflict."""
    workspace = workspace_or_404(slug)
    row = _row_of(_work_or_404(workspace, code).newest)
    reason = line(request.POST, "reason", size=500)
    author = author_of(request, workspace)
    close = partial(close_item, workspace, row, reason, author)
    home = addresses_of(slug).open_items
    text = gettext("Open item closed")
    return answer_change(request, workspace, close, text, home)


@require_POST
def reopen_open_item(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Take the mark from the line that reports an item as done; 409 on a conflict."""
    workspace = workspace_or_404(slug)
    item = _work_or_404(workspace, code)
    row = _row_of(item.reopened)
    reopen = partial(reopen_item, workspace, row, author_of(request, workspace))
    home = addresses_of(slug).open_items
    text = gettext("Open item opened again")
    return answer_change(request, workspace, reopen, text, home)


def _row_of(statement: Statement) -> OpenItem:
    return OpenItem.everything.select_related("file").get(pk=statement.id)


def _work_or_404(workspace: Workspace, code: str) -> Item:
    found = work_by_code(workspace, code)
    if found is None:
        raise Http404
    return found
