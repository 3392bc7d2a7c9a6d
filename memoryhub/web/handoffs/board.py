"""Boards, list, figures and detail page of handoffs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext, ngettext, pgettext
from django.views.decorators.http import require_GET

from memoryhub.dialects.handoff import TYPES as KNOWN_TYPES
from memoryhub.dialects.registry import by_name
from memoryhub.handoffs.exporters import handoff_text
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.alarms import SILENT
from memoryhub.handoffs.queries.board import (
    COLUMNS,
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
from memoryhub.handoffs.queries.foreign import ForeignTask, foreign_tasks
from memoryhub.handoffs.queries.ids import handoffs_named, past_handoff
from memoryhub.handoffs.queries.lane import open_work
from memoryhub.handoffs.rules.acting import DONE, FAILED, UNFINISHED, WITHDRAWN
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.people.policy import actor_of, workspace_or_404, workspaces
from memoryhub.timeline.queries.turns import LIMIT, answers_in, turn_counts
from memoryhub.values.cursors import TimeKey
from memoryhub.web.claims import held_files
from memoryhub.web.handoffs.cards import (
    TYPE_ICONS,
    CardRow,
    Stands,
    card_row,
    title_of,
)
from memoryhub.web.handoffs.detail import handoff_page, notes_shown, place_of
from memoryhub.web.handoffs.figures import figures_of
from memoryhub.web.handoffs.waiting import lane_shown, waiting_shown
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import Shell, Version, shell_of
from memoryhub.web.kit.http import markdown_response, redirect_with_query
from memoryhub.web.kit.links import Addresses, addresses_of
from memoryhub.web.kit.listing import (
    FilterLink,
    Heading,
    ListQuery,
    names_known,
    number,
    parameter,
    time_cursor,
)
from memoryhub.web.kit.responses import Choice, choose
from memoryhub.web.kit.state_labels import HANDOFF_STATES, HANDOFF_TYPES

#: Most tasks of a column.
_SHOWN = 6
LIST = "list"
#: Most cards of a column, then rows of a list; a column links to the list for the rest.
CARDS = dict.fromkeys(UNFINISHED, 8) | {DONE: 4, FAILED: 6, WITHDRAWN: 4}
_ROWS, _ALL_ROWS = 50, 200
#: Cards per step of a column shown alone, and the most that a link can ask for.
_ALONE, _MOST = 50, 500


def foreign_shown(
    workspace: Workspace, shell: Shell, wanted: Callable[[ForeignTask], bool]
) -> dict[str, dict[str, Any]]:
    """Return the newest wanted tasks by state, and how many more there are."""
    columns = {
        state: list(filter(wanted, tasks))
        for state, tasks in foreign_tasks(workspace).items()
    }
    return {
        state: {
            "foreign": [_shown(task, shell) for task in tasks[:_SHOWN]],
            "foreign_more": max(0, len(tasks) - _SHOWN),
        }
        for state, tasks in columns.items()
        if tasks
    }


def _shown(task: ForeignTask, shell: Shell) -> dict[str, Any]:
    return {
        "task": task,
        "program": gettext(by_name(task.source).program),
        "url": shell.addresses.file(task.path, line=task.line),
        "age": shell.clock.age(task.at),
        "iso": task.at.isoformat(),
    }


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


@dataclass(frozen=True, slots=True)
class HubQuery(ListQuery):
    """Filters of the board over all workspaces; `most`: cards of a column alone."""

    text: str = parameter("q", in_form=True)
    type: str = parameter("type", choices=KNOWN_TYPES, in_form=True)
    workspace: str = parameter("workspace", in_form=True)
    state: str = parameter("state", choices=COLUMNS)
    to: str = parameter("to", choices=("me",))
    most: int = number("most", default=_ALONE, digits=3)

    @property
    def filters(self) -> Filters:
        return Filters(
            type=self.type,
            state=self.state,
            text=self.text,
            for_person=bool(self.to),
        )

    @property
    def limit(self) -> int:
        return min(max(self.most, _ALONE), _MOST)

    def rest(self, state: str) -> str:
        """Return the address of more of a column: it alone, then with more cards."""
        most = self.limit + _ALONE if self.state else _ALONE
        return self.address(state=state, most=most)


class _Home(NamedTuple):
    """The workspace of a card, with its addresses and clock."""

    workspace: Workspace
    addresses: Addresses
    clock: Clock


def columns_of_all(
    known: Sequence[Workspace], query: HubQuery, now: datetime
) -> list[dict[str, Any]]:
    """Return the board of several workspaces, in as many queries as that of one.

    A handoff between two workspaces is shown where the work is done, with the name of
    the other one.
    """
    chosen = [w for w in known if query.workspace in ("", w.slug)]
    homes = {
        w.pk: _Home(w, addresses_of(w.slug), Clock.of(w.time_zone, now)) for w in known
    }
    names = {w.slug: w.name for w in known}
    limits = {query.state: query.limit} if query.state else CARDS
    found = board(chosen, query.filters, now, limits=limits)
    back = query.address()
    return [
        column_shown(
            column,
            (_row(card, homes[card.side.pk], names, back) for card in column.cards),
            query.rest(column.state),
        )
        for column in found
    ]


def _row(card: Handoff, home: _Home, names: Mapping[str, str], back: str) -> CardRow:
    """Return a card with its workspace; its forms return to the board of all."""
    name = home.workspace.name
    if other := names.get(card.partner, ""):
        name = gettext("%(name)s, with %(other)s") % {"name": name, "other": other}
    return card_row(card, home, home=(name, home.addresses.handoffs), back=back)


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
        "types": [(kind, str(HANDOFF_TYPES[kind])) for kind in KNOWN_TYPES],
        "mine_url": query.link("to", "me", "").url,
        "version": Version.of(known),
    }
    return render(request, "handoffs/hub_board.html", context)
