"""Presenter of the board and the list of handoffs: query, columns, filter links."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext, ngettext, pgettext

from memoryhub.formats.hub.handoff_blocks import TYPES as KNOWN_TYPES
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.board import (
    NEWEST,
    ORDERS,
    Column,
    Filters,
    board,
    listing,
)
from memoryhub.handoffs.queries.conversation import Unreadable, unreadable
from memoryhub.handoffs.queries.facets import Counts, counts, names
from memoryhub.handoffs.queries.lane import open_work
from memoryhub.handoffs.rules.acting import DONE, FAILED, UNFINISHED
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import kept
from memoryhub.timeline.queries.turns import LIMIT
from memoryhub.web.handoffs.presenters.cards import TYPE_ICONS, TYPES, CardRow, card_row
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.http import typed, whole_number
from memoryhub.web.kit.links import with_query
from memoryhub.web.kit.state_labels import HANDOFF_STATES

LIST = "list"
#: Most cards of a column, then rows of a list; a column links to the list for the rest.
CARDS = dict.fromkeys(UNFINISHED, 8) | {DONE: 4, FAILED: 6}
_ROWS, _ALL_ROWS = 50, 200


@dataclass(frozen=True, slots=True)
class Asked:
    """Parsed query of the board: filters, order, cursor."""

    view: str = ""
    text: str = ""
    type: str = ""
    agent: str = ""
    topic: str = ""
    state: str = ""
    to: str = ""
    late: str = ""
    sort: str = NEWEST
    after: tuple[datetime, int] | None = None

    @classmethod
    def of(cls, query: QueryDict) -> Asked:
        """Parse a query string; invalid values are ignored."""

        def one_of(name: str, known: object) -> str:
            value = typed(query, name)
            return value if value in known else ""  # type: ignore[operator]

        return cls(
            one_of("view", {LIST}),
            typed(query, "q"),
            one_of("type", KNOWN_TYPES),
            typed(query, "agent"),
            typed(query, "topic"),
            one_of("state", Handoff.State.values),
            one_of("to", {"me"}),
            one_of("late", {"1"}),
            one_of("sort", ORDERS) or NEWEST,
            _place(typed(query, "after")),
        )

    @property
    def filtered(self) -> bool:
        return self.filters != Filters()

    @property
    def filters(self) -> Filters:
        return Filters(
            type=self.type,
            state=self.state,
            agent=self.agent,
            text=self.text,
            topic=self.topic,
            for_person=bool(self.to),
            overdue=bool(self.late),
        )

    @property
    def hidden(self) -> list[tuple[str, str]]:
        """Query fields that a form without them carries as hidden inputs."""
        said = {"view": self.view, "type": self.type, "state": self.state}
        said |= {"to": self.to, "late": self.late}
        return [(name, value) for name, value in said.items() if value]

    def address(self, path: str, **changed: str) -> str:
        """Return the address of this query, fields replaced, its cursor dropped."""
        query = {
            "view": self.view,
            "q": self.text,
            "type": self.type,
            "agent": self.agent,
            "topic": self.topic,
            "state": self.state,
            "to": self.to,
            "late": self.late,
            "sort": self.sort if self.sort != NEWEST else "",
        }
        return with_query(path, **{**query, **changed})


def _place(said: str) -> tuple[datetime, int] | None:
    """Parse a list cursor as written by `_said`; None if it is invalid."""
    at, _, row = said.partition("_")
    number = whole_number(row, digits=19)
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return None
    return (moment, number) if moment.tzinfo and number else None


def _said(place: tuple[datetime, int] | None) -> str:
    return f"{place[0].isoformat()}_{place[1]}" if place else ""


@dataclass(frozen=True, slots=True)
class ColumnShown:
    """A column of the board: its state, its count and its first cards."""

    state: str
    kind: str
    label: str
    count: int
    cards: tuple[CardRow, ...]
    rest: str
    rest_url: str


def columns_of(
    workspace: Workspace, asked: Asked, shell: Shell
) -> tuple[ColumnShown, ...]:
    """Return the columns of the board; with a state filter the others are empty."""
    found = board(
        [workspace],
        asked.filters,
        shell.clock.now,
        limits=CARDS,
        counts=_counts(workspace, asked, shell).states,
    )
    places = open_work(workspace).lane.places
    path = shell.addresses.handoffs
    return tuple(
        column_shown(
            column,
            tuple(
                card_row(card, shell, places.get(card.id, 0)) for card in column.cards
            ),
            asked.address(path, view=LIST, state=column.state),
        )
        for column in found
    )


def column_shown(
    column: Column, cards: tuple[CardRow, ...], rest_url: str
) -> ColumnShown:
    """Return a column for display; `rest_url` lists the cards it leaves out."""
    kind, label = HANDOFF_STATES[column.state]
    n = column.left_out
    older = ngettext("%(n)s older", "%(n)s older", n)
    more = ngettext("%(n)s more", "%(n)s more", n)
    return ColumnShown(
        column.state,
        kind,
        str(label),
        column.count,
        cards,
        (more if column.state in UNFINISHED else older) % {"n": n} if n else "",
        rest_url,
    )


def list_of(workspace: Workspace, asked: Asked, shell: Shell) -> dict[str, Any]:
    """Return a page of the list: rows, headings and the next page's address."""
    path = shell.addresses.handoffs
    newest = asked.sort == NEWEST
    page = listing(
        [workspace],
        asked.filters,
        shell.clock.now,
        after=asked.after if newest else None,
        limit=_ROWS if newest else _ALL_ROWS,
        order=asked.sort,
    )
    places = open_work(workspace).lane.places
    return {
        "rows": [card_row(row, shell, places.get(row.id, 0)) for row in page.cards],
        "next": asked.address(path, after=_said(page.next)) if page.next else "",
        "capped": not newest and len(page.cards) == _ALL_ROWS,
        "heads": _heads(asked, path),
    }


def _heads(asked: Asked, path: str) -> list[dict[str, Any]]:
    labels = {
        "": gettext("Handoff"),
        "from": pgettext("handoff", "From"),
        "to": pgettext("handoff", "To"),
        "type": gettext("Type"),
        "state": gettext("State"),
        "moved": gettext("Last change"),
        NEWEST: gettext("Sent"),
    }
    return [_head(name, label, asked, path) for name, label in labels.items()]


def _head(name: str, label: str, asked: Asked, path: str) -> dict[str, Any]:
    """Return a sortable heading; that of the time sent toggles the direction."""
    turned = {NEWEST: "oldest"} if asked.sort == NEWEST else {}
    order = turned.get(name, name)
    directions = {"oldest": "ascending", NEWEST: "descending", "moved": "descending"}
    sorted_by = asked.sort in {name, "oldest" if name == NEWEST else name}
    return {
        "label": label,
        "minor": name in {"from", "to", "type", NEWEST},
        "url": asked.address(path, sort="" if order == NEWEST else order)
        if name
        else "",
        "sorted": directions.get(asked.sort, "ascending") if sorted_by else "",
    }


def type_links(found: Counts, asked: Asked, path: str) -> list[dict[str, Any]]:
    """Return links that filter by type, with counts."""
    types = ["", *KNOWN_TYPES]
    return [
        {
            "label": str(TYPES[kind]) if kind else gettext("All"),
            "icon": TYPE_ICONS.get(kind, ""),
            "count": found.types.get(kind, 0) if kind else sum(found.types.values()),
            "url": asked.address(path, type=kind),
            "current": asked.type == kind,
        }
        for kind in types
    ]


def switch_links(found: Counts, asked: Asked, path: str) -> list[dict[str, Any]]:
    """Return the toggle filters as links: mine, overdue, the chosen state."""
    links = [
        {
            "label": gettext("Waits for me"),
            "count": found.for_person,
            "url": asked.address(path, to="" if asked.to else "me"),
            "current": bool(asked.to),
        },
        {
            "label": gettext("Overdue"),
            "count": found.overdue,
            "url": asked.address(path, late="" if asked.late else "1"),
            "current": bool(asked.late),
        },
    ]
    if asked.state:
        link = {
            "label": str(HANDOFF_STATES[asked.state][1]),
            "url": asked.address(path, state=""),
            "current": True,
        }
        links.append(link)
    return links


def filters_of(workspace: Workspace, asked: Asked, shell: Shell) -> dict[str, Any]:
    """Return the filters of the board with counts and choices."""
    path = shell.addresses.handoffs
    found, known = _counts(workspace, asked, shell), names(workspace)
    return {
        "types": type_links(found, asked, path),
        "switches": switch_links(found, asked, path),
        "agents": known.agents,
        "topics": known.topics,
        "to_sign": _to_sign(shell),
    }


def _counts(workspace: Workspace, asked: Asked, shell: Shell) -> Counts:
    """Return the counts of the filters, cached per minute.

    Within a minute no handoff counts as newly overdue.
    """
    wanted = asked.filters
    now = shell.clock.now.replace(second=0, microsecond=0)
    name = ("handoff counts", wanted, now)
    return kept(workspace, name, lambda: counts(workspace, wanted, now))


def _to_sign(shell: Shell) -> str:
    """Return the number of decisions that wait for a sign-off in words."""
    n = sum(turn.kind == "sign-off" for turn in shell.turns)
    if not n:
        return ""
    are_all = len(shell.turns) < LIMIT
    return ngettext(
        "%(n)s decision waits for your sign-off.",
        "%(n)s decisions wait for your sign-off.",
        n,
    ) % {"n": n if are_all else f"{n}+"}


def unreadable_rows(workspace: Workspace, shell: Shell) -> list[dict[str, str]]:
    """Return the blocks that could not be parsed, with their raw text."""
    found: tuple[Unreadable, ...] = kept(
        workspace, "handoffs not understood", lambda: unreadable(workspace)
    )
    return [
        {
            "why": why_unreadable(row.code),
            "task_id": row.task_id,
            "place": f"{row.path}:{row.first_line}",
            "url": shell.addresses.file(row.path, line=row.first_line),
            "text": row.text,
        }
        for row in found
    ]


def why_unreadable(code: str) -> str:
    """Return the reason why a block could not be parsed in words."""
    words = {
        "no-task-id": gettext("has no id"),
        "unknown-status": gettext("its status is none of done, failed, blocked"),
        "no-such-task": gettext("no file has a task of this id"),
        "no-sender": gettext("does not say from whom"),
        "no-recipient": gettext("does not say to whom"),
        "unknown-type": gettext("its type is none of read_only, write, decision"),
        "handoff-line-unknown": gettext("its log does not say who did what"),
        "handoff-due-unknown": gettext("it is due at no time that a calendar has"),
    }
    return words.get(code, code)
