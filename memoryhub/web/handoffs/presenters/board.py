"""Presenter of the board and the list of handoffs: query, columns, filter links."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext, ngettext, pgettext

from memoryhub.formats.hub.handoff import TYPES as KNOWN_TYPES
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.alarms import SILENT
from memoryhub.handoffs.queries.board import (
    NEWEST,
    OLDEST,
    ORDERS,
    Column,
    Counts,
    Filters,
    board,
    counts,
    listing,
    names,
    wanted_handoffs,
)
from memoryhub.handoffs.queries.conversation import Unreadable, unreadable
from memoryhub.handoffs.queries.foreign import ForeignTask
from memoryhub.handoffs.queries.lane import open_work
from memoryhub.handoffs.rules.acting import DONE, FAILED, UNFINISHED, WITHDRAWN
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.timeline.queries.turn_files import LIMIT
from memoryhub.values.cursors import TimeKey
from memoryhub.web.handoffs.presenters.cards import (
    TYPE_ICONS,
    CardRow,
    Stands,
    card_row,
)
from memoryhub.web.handoffs.presenters.foreign import foreign_shown
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.listing import (
    FilterLink,
    Heading,
    ListQuery,
    names_known,
    parameter,
    time_cursor,
)
from memoryhub.web.kit.state_labels import HANDOFF_STATES, HANDOFF_TYPES

LIST = "list"
#: Most cards of a column, then rows of a list; a column links to the list for the rest.
CARDS = dict.fromkeys(UNFINISHED, 8) | {DONE: 4, FAILED: 6, WITHDRAWN: 4}
_ROWS, _ALL_ROWS = 50, 200


@dataclass(frozen=True, slots=True)
class BoardQuery(ListQuery):
    """Filters, order and cursor of the board and the list."""

    view: str = parameter("view", choices=(LIST,), filters=False)
    text: str = parameter("q", in_form=True)
    type: str = parameter("type", choices=KNOWN_TYPES)
    agent: str = parameter("agent", in_form=True)
    topic: str = parameter("topic", in_form=True, length=300)
    state: str = parameter("state", choices=Handoff.State.values)
    to: str = parameter("to", choices=("me",))
    late: str = parameter("late", choices=("1",))
    sort: str = parameter("sort", default=NEWEST, choices=ORDERS, filters=False)
    after: TimeKey | None = time_cursor("after")

    def wanted(self, workspace: Workspace) -> Filters:
        """Return the query's filter for the database."""
        return wanted_handoffs(
            workspace,
            type=self.type,
            state=self.state,
            agent=self.agent,
            text=self.text,
            topic=self.topic,
            for_person=bool(self.to),
            overdue=bool(self.late),
        )

    def wants(self, task: ForeignTask) -> bool:
        """Return whether a task of another program matches."""
        if self.type or self.topic or self.to or self.late:
            return False
        is_of = self.agent in ("", task.agent) and self.state in ("", task.state)
        return is_of and self.text.casefold() in task.text.casefold()


def board_query(request: HttpRequest, workspace: Workspace) -> BoardQuery:
    """Parse the board's query; agents are also those that only handoffs name."""
    known = names_known(workspace)
    of_handoffs = names(workspace).agents
    is_agent = known["agent"]
    known["agent"] = lambda name: name in of_handoffs or is_agent(name)
    return BoardQuery.of(request, known=known)


def columns_of(
    workspace: Workspace, query: BoardQuery, shell: Shell
) -> list[dict[str, Any]]:
    """Return the columns of the board; with a state filter the others are empty.

    Tasks of other programs are below the handoffs.
    """
    found = board(
        [workspace],
        query.wanted(workspace),
        shell.clock.now,
        limits=CARDS,
        counts=_counts(workspace, query, shell).states,
    )
    cards = _Cards(workspace, shell)
    foreign = foreign_shown(workspace, shell, query.wants)
    return [
        column_shown(
            column,
            map(cards.shown, column.cards),
            query.address(view=LIST, state=column.state),
        )
        | foreign.get(column.state, {})
        for column in found
    ]


class _Cards:
    """Presenter of cards: their places in the lane, and whose holders are silent."""

    def __init__(self, workspace: Workspace, shell: Shell) -> None:
        self._shell = shell
        self._lane = open_work(workspace).lane
        self._places = self._lane.places
        alarms = shell.waiting.alarms
        self._silent = {a.handoff.pk for a in alarms if a.kind == SILENT}

    def shown(self, row: Handoff) -> CardRow:
        place, unmet = self._places.get(row.pk, 0), self._lane.unmet(row)
        stands = Stands(place, unmet, row.pk in self._silent)
        return card_row(row, self._shell, stands)


def column_shown(
    column: Column, cards: Iterable[CardRow], rest_url: str
) -> dict[str, Any]:
    """Return a column for display; `rest_url` lists the cards it leaves out."""
    kind, label = HANDOFF_STATES[column.state]
    return {
        "row": column,
        "kind": kind,
        "label": str(label),
        "cards": list(cards),
        "unfinished": column.state in UNFINISHED,
        "rest_url": rest_url,
    }


def list_of(workspace: Workspace, query: BoardQuery, shell: Shell) -> dict[str, Any]:
    """Return a page of the list: rows, headings and the next page's address."""
    newest = query.sort == NEWEST
    page = listing(
        [workspace],
        query.wanted(workspace),
        shell.clock.now,
        after=query.after if newest else None,
        limit=_ROWS if newest else _ALL_ROWS,
        order=query.sort,
    )
    cards = _Cards(workspace, shell)
    return {
        "rows": [cards.shown(row) for row in page.cards],
        "next": query.address(after=page.next) if page.next else "",
        "capped": not newest and len(page.cards) == _ALL_ROWS,
        "heads": _heads(query),
    }


def _heads(query: BoardQuery) -> list[Heading]:
    up, down = "ascending", "descending"
    return [
        query.heading(gettext("Handoff")),
        query.heading(pgettext("handoff", "From"), [("from", up)], "hide-m"),
        query.heading(pgettext("handoff", "To"), [("to", up)], "hide-m"),
        query.heading(gettext("Type"), [("type", up)], "hide-m"),
        query.heading(gettext("State"), [("state", up)]),
        query.heading(gettext("Last change"), [("moved", down)], "hide-m"),
        query.heading(gettext("Sent"), [(NEWEST, down), (OLDEST, up)], "hide-m"),
    ]


def filters_of(workspace: Workspace, query: BoardQuery, shell: Shell) -> dict[str, Any]:
    """Return the filters of the board with counts and choices."""
    found, known = _counts(workspace, query, shell), names(workspace)
    return {
        "types": _type_links(found, query),
        "switches": _switch_links(found, query),
        "agents": [(name, name) for name in known.agents],
        "topics": known.topics,
        "to_sign": _to_sign(shell),
    }


def _type_links(found: Counts, query: BoardQuery) -> list[FilterLink]:
    counts = {"": sum(found.types.values()), **found.types}
    labels = {"": gettext("All"), **HANDOFF_TYPES}
    return [
        query.link(
            "type", kind, labels[kind], counts.get(kind, 0), TYPE_ICONS.get(kind, "")
        )
        for kind in ("", *KNOWN_TYPES)
    ]


def _switch_links(found: Counts, query: BoardQuery) -> list[FilterLink]:
    """Return the toggle filters as links: mine, overdue, the chosen state."""
    links = [
        query.link("to", "me", gettext("Waits for a person"), found.for_person),
        query.link("late", "1", gettext("Overdue"), found.overdue),
    ]
    if query.state:
        label = HANDOFF_STATES[query.state][1]
        links.append(query.link("state", query.state, label))
    return links


def _counts(workspace: Workspace, query: BoardQuery, shell: Shell) -> Counts:
    """Return the counts of the filters, cached per minute.

    Within a minute no handoff counts as newly overdue.
    """
    wanted = query.wanted(workspace)
    now = shell.clock.now.replace(second=0, microsecond=0)
    name = ("handoff counts", wanted, now)
    return cached(workspace, name, lambda: counts(workspace, wanted, now))


def _to_sign(shell: Shell) -> str:
    """Return the number of decisions that wait for a sign-off in words.

    All are known unless what waits for an act of a person fills the list.
    """
    n = sum(turn.kind == "sign-off" and not turn.barred for turn in shell.turns)
    if not n:
        return ""
    acts = ("sign-off", "question", "review")
    are_all = sum(turn.kind in acts for turn in shell.turns) < LIMIT
    return ngettext(
        "%(n)s decision waits for your sign-off.",
        "%(n)s decisions wait for your sign-off.",
        n,
    ) % {"n": n if are_all else f"{n}+"}


def unreadable_rows(workspace: Workspace, shell: Shell) -> list[dict[str, str]]:
    """Return the blocks that could not be parsed, with their raw text."""
    found: tuple[Unreadable, ...] = cached(
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
        "unknown-status": gettext("its status is not done, failed or blocked"),
        "no-such-task": gettext("no file has a task of this id"),
        "no-sender": gettext("does not say from whom"),
        "no-recipient": gettext("does not say to whom"),
        "unknown-type": gettext("its type is not read_only, write or decision"),
        "not-closed": gettext("its block has no end"),
        "handoff-line-undated": gettext("a line of its log has no time"),
        "handoff-block-unread": gettext(
            "a task in a code fence, a list or a line of text is not read"
        ),
        "handoff-line-unknown": gettext("its log does not say who did what"),
        "handoff-due-unknown": gettext("its due time is invalid"),
    }
    if code.endswith("-not-closed"):
        part = code.removesuffix("-not-closed").replace("-", "_")
        return gettext("its part <%(name)s> has no end") % {"name": part}
    return words.get(code, code)
