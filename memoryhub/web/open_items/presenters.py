"""Presenter of open items: query of the list, filter links, rows, places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext

from memoryhub.journal.grades import Grade
from memoryhub.journal.models import Workspace
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.listing import FilterLink, ListQuery, number, parameter
from memoryhub.web.kit.prose import plain_text
from memoryhub.web.kit.state_labels import ITEM_STATES
from memoryhub.web.suggestions.presenters import GRADES, grade_facet
from snapshots.queries.open_items import (
    AGES,
    ORDERS,
    Facets,
    OwnedItem,
    Place,
    Wanted,
    owned_items,
    wanted_items,
)
from snapshots.rules.carried_over import Item
from snapshots.services.open_items import can_close

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


class ItemRow(NamedTuple):
    """A row of the list."""

    code: str
    url: str
    text: str
    state: str
    state_label: str
    age: str
    times: str
    agent: str
    topic: str
    topic_url: str
    place: str
    place_url: str
    is_suggested: bool
    since: str
    since_iso: str
    is_dated: bool
    close_url: str
    assign_url: str


class PlaceRow(NamedTuple):
    """A place in a file that states an item."""

    text: str
    path: str
    line: int
    url: str
    when: str
    agent: str
    state: str
    state_label: str


def item_rows(works: Sequence[Item], shell: Shell, back: str = "") -> list[ItemRow]:
    """Return rows of items; forms in them return to `back`."""
    return [_item_row(found, shell, back) for found in owned_items(works)]


def _item_row(found: OwnedItem, shell: Shell, back: str) -> ItemRow:
    work, row, topic = found.work, found.row, found.topic
    addresses, (state, label) = shell.addresses, ITEM_STATES[work.state]
    text = plain_text(work.text)
    return ItemRow(
        code=work.code,
        url=addresses.open_item(work.code),
        text=text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…",
        state=state,
        state_label=str(label),
        age=age_text(work, shell),
        times=times_text(work.times),
        agent=found.agent.name if found.agent else "",
        topic=topic.name if topic else "",
        topic_url=addresses.topic(topic.slug) if topic else "",
        place=found.place,
        place_url=addresses.file(found.shown.file.path, line=found.shown.first_line),
        is_suggested=row.grade == Grade.SUGGESTED,
        since=shell.clock.date_label(shell.clock.day(work.since)),
        since_iso=shell.clock.local(work.since).isoformat(timespec="seconds"),
        is_dated=work.is_dated,
        close_url=f"{addresses.open_item(work.code)}close/" if can_close(row) else "",
        assign_url=addresses.assign("item", row.code, back),
    )


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


def place_rows(places: Sequence[Place], shell: Shell) -> list[PlaceRow]:
    """Return the places of an item."""
    return [_place_row(place, shell) for place in places]


def _place_row(place: Place, shell: Shell) -> PlaceRow:
    row = place.row
    state, label = ITEM_STATES["done" if place.is_done else "open"]
    return PlaceRow(
        text=plain_text(place.text)[:_LONGEST],
        path=row.file.path,
        line=row.first_line,
        url=shell.addresses.file(row.file.path, line=row.first_line),
        when=shell.clock.day_stated(row.file.path, row.occurred_at, row.precision),
        agent=row.agent.name if row.agent else "",
        state=state,
        state_label=str(label),
    )


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
