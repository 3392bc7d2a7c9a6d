"""Overview of a workspace, its marks of seen events, and assigning of turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryhub.events.rules.agent_states import STALE_DATA
from memoryhub.health.queries import broken_pointers, memory_budget
from memoryhub.journal.ledger import Budget
from memoryhub.journal.models import Workspace
from memoryhub.people import marks
from memoryhub.people.marks import visited
from memoryhub.people.models import User
from memoryhub.people.policy import OPERATOR, actor_of, me, person_of, workspace_or_404
from memoryhub.people.roles import is_team, people_of
from memoryhub.people.services.assignments import assign, forget_others
from memoryhub.people.services.feed_keys import feed_address
from memoryhub.timeline.queries.agents import AgentNow, agents_counted, agents_now
from memoryhub.timeline.queries.changed_files import last_changed, texts_of
from memoryhub.timeline.queries.days import (
    RecallSize,
    changed_on_disk,
    newest_entries,
    recall_sizes,
    recent_decisions,
    recent_directives,
)
from memoryhub.timeline.queries.events import Count
from memoryhub.timeline.queries.facets import Counts, news_counts
from memoryhub.timeline.queries.in_play import files_in_play
from memoryhub.timeline.queries.turns import LIMIT, MINE, OTHERS, STUCK, Turn
from memoryhub.tools.models import HeardSession, ToolCall
from memoryhub.web.agents import agent_row, by_need
from memoryhub.web.decisions.rows import (
    dated_rows,
    decision_rows,
    directive_rows,
)
from memoryhub.web.handoffs.acts import ActLink
from memoryhub.web.handoffs.detail import notes_shown
from memoryhub.web.handoffs.waiting import LaneShown, lane_shown, wait_rows
from memoryhub.web.imports.services import inside_rows
from memoryhub.web.kit.clock import Clock, span_label
from memoryhub.web.kit.frame import Shell, shell_of
from memoryhub.web.kit.http import HtmxRequest, typed, whole_number
from memoryhub.web.kit.labels import ICONS, KINDS, clauses
from memoryhub.web.kit.limits import Usage, usage_of
from memoryhub.web.kit.links import Addresses, with_query
from memoryhub.web.kit.listing import ListQuery, parameter
from memoryhub.web.kit.responses import SeeOther, back_to
from memoryhub.web.open_items import item_rows
from memoryhub.web.overview.turns import TurnRow, turn_row
from memoryhub.web.timeline.days import (
    entry_rows,
    file_rows,
    note_rows,
)
from memoryhub.web.timeline.pages import overlap_lines
from snapshots.queries.open_items import newest_open, open_count

#: Kinds of events with their own count in the strip; the others are in its total.
NEWS_KINDS = ("snapshot", "decision", "handoff", "compaction", "edit")
#: Files that are looked at, and shown of each sort.
_LOOKED_AT, _FILES = 60, 4
#: Notes that are shown where no log has entries, and their lines.
_NOTES, _NOTE_LINES = 3, 14
#: Rows shown at first; the others unfold.
TURNS, AGENTS, WAITS, OPEN, HANDOFF_NOTES = 4, 6, 4, 5, 2
#: Most items on the page unless all are requested.
_MOST_TURNS = 60


def news_items(news: Counts, addresses: Addresses) -> list[dict[str, str]]:
    """Return the counts of the strip; each links to exactly the events it counts."""
    where, total = addresses.timeline, news.get("", Count(0))
    items = [
        {
            "icon": ICONS[kind],
            "number": str(n),
            "label": str(KINDS[kind][n != 1]).lower(),
            "url": with_query(where, kind=kind, since="last"),
        }
        for kind in NEWS_KINDS
        if (n := news.get(kind, Count(0)).number) and not total.more
    ]
    if total.number:
        label = ngettext("event in all", "events in all", total.number)
        every = {"icon": "timeline", "number": str(total), "label": label}
        items.append({**every, "url": with_query(where, since="last")})
    return items


def day_card(
    workspace: Workspace, addresses: Addresses, clock: Clock
) -> dict[str, object] | None:
    """Return the newest entries of the last day; else notes; None without either."""
    found = newest_entries(workspace, lambda at: clock.bounds(clock.day(at)), clock.now)
    if found is None or not found.entries:
        return _notes(workspace, addresses, clock)
    day = clock.day(found.at)
    return {
        "label": clock.day_label(day),
        "near": clock.near(day),
        "url": addresses.day(day),
        "total": found.total,
        "left": found.total - len(found.entries),
        "entries": entry_rows(workspace, day, found.entries, addresses, clock),
    }


def _notes(
    workspace: Workspace, addresses: Addresses, clock: Clock
) -> dict[str, object] | None:
    """Return the beginnings of the notes that changed last; None without any."""
    files = last_changed(workspace, _LOOKED_AT)
    notes = texts_of(workspace, files, _NOTES, _NOTE_LINES)
    if not notes:
        return None
    return {
        "label": gettext("Newest notes"),
        "url": addresses.days,
        "entries": note_rows(workspace, notes, addresses, clock),
    }


def changed_files(
    workspace: Workspace, addresses: Addresses, clock: Clock
) -> dict[str, object]:
    """Return the files that changed last: long-term memory, and others; {} if none."""
    files = last_changed(workspace, _LOOKED_AT)
    if not files:
        return {}
    memory = [file for file in files if file.is_memory]
    others = [file for file in files if not file.is_memory]
    memory = memory[: _FILES + max(_FILES - len(others), 0)]
    others = others[: 2 * _FILES - len(memory)]
    return {
        "are_read": all(file.verb == "read" for file in files),
        "memory": file_rows(memory, addresses, clock),
        "others": file_rows(others, addresses, clock),
    }


def is_outdated(size: RecallSize) -> bool:
    """True for a recall whose newest snapshot is older than the last compaction."""
    saved, compacted = size.saved_at, size.compacted_at
    return bool(saved and compacted and saved.date() < compacted.date())


def headline(
    turns: Count, is_open: int, problems: int, budget: Budget | None = None
) -> str:
    """Return the headline: what needs an answer, open items, problems or lines cut."""
    if turns.number:
        return ngettext(
            "%(n)s thing needs your answer",
            "%(n)s things need your answer",
            turns.number,
        ) % {"n": turns}
    if is_open:
        return ngettext("%(n)s open item", "%(n)s open items", is_open) % {"n": is_open}
    if problems:
        return ngettext(
            "%(n)s problem in the files", "%(n)s problems in the files", problems
        ) % {"n": problems}
    if budget and budget.is_over:
        cut = len(budget.over)
        return ngettext(
            "%(n)s line of %(file)s is cut off",
            "%(n)s lines of %(file)s are cut off",
            cut,
        ) % {"n": cut, "file": budget.path}
    return gettext("Nothing needs your answer")


def second_sentence(agents: Sequence[AgentNow], number: Count, lane: LaneShown) -> str:
    """Return the number of agents per state, and of a lane whether it is busy."""
    found = []
    for kind, words in _STATE_COUNTS.items():
        if n := sum(agent.state.kind == kind for agent in agents):
            found.append(words(n) % {"n": n})
    if not found:
        return ""
    parts = {"states": clauses(found), "all": number}
    sentence = (
        ngettext(
            "%(all)s agent: %(states)s.", "%(all)s agents: %(states)s.", len(agents)
        )
        % parts
    )
    if lane.is_empty:
        return sentence
    busy = gettext("The write lane is busy.")
    free = gettext("The write lane is free.")
    return f"{sentence} {busy if lane.now else free}"


_STATE_COUNTS: dict[str, Callable[[int], str]] = {
    "working": lambda n: ngettext("%(n)s working", "%(n)s working", n),
    "turn": lambda n: ngettext("%(n)s needs a person", "%(n)s need a person", n),
    "blocked": lambda n: ngettext("%(n)s blocked", "%(n)s blocked", n),
    "waiting": lambda n: ngettext("%(n)s waits", "%(n)s wait", n),
    "quiet": lambda n: ngettext("%(n)s quiet", "%(n)s quiet", n),
    "idle": lambda n: ngettext("%(n)s idle", "%(n)s idle", n),
}


def data_age(workspace: Workspace, clock: Clock) -> str:
    """Return the age of the data if too old for the agents' states; else empty."""
    if workspace.checked_at is None:
        return ""
    age: timedelta = clock.now - workspace.checked_at
    return span_label(age) if age > STALE_DATA else ""


class ShownTurn(NamedTuple):
    """A row by what is printed of it, so that an equal one is rendered once.

    `age`, `moment` and `iso` are of the time since which it waits, empty if unknown;
    `assign_url` is empty on a hub without a team.
    """

    glyph: str
    state: str
    title: str
    url: str
    facts: str
    age: str
    moment: str
    iso: str
    actions: tuple[ActLink, ...]
    assign_url: str


def shown_turn(turn: Turn, shell: Shell) -> ShownTurn:
    """Return the row of an item, with its time in words."""
    row, clock = turn_row(turn, shell.addresses), shell.clock
    at = row.at
    slug = shell.workspace.slug
    return ShownTurn(
        row.glyph,
        row.state,
        row.title,
        row.url,
        " · ".join(row.facts),
        clock.age(at) if at else "",
        clock.moment(at) if at else "",
        clock.local(at).isoformat(timespec="seconds") if at else "",
        row.actions,
        reverse("turn-assign", args=[slug, turn.mark]) if is_team() else "",
    )


@dataclass(frozen=True, slots=True)
class OverviewQuery(ListQuery):
    """Rows of Your turn: "all", "mine" (a team's), or the first ones."""

    turns: str = parameter("turns", choices=("all", "mine"))


# Not cached: going back to the page shows the current items, as its title does.
@require_GET
@never_cache
def overview(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show a workspace's newest day, open items, decisions and changes."""
    workspace = workspace_or_404(slug)
    seen = visited(request, workspace)
    query = OverviewQuery.of(request)
    shell = shell_of(workspace, [(gettext("Overview"), request.path)])
    agents = by_need(agents_now(workspace, shell.clock.now))
    active = [agent for agent in agents if agent.has_work]
    overlaps = overlap_lines(files_in_play(workspace, agents))
    is_open = open_count(workspace)
    memory = _memory(workspace, shell)
    context = {
        "shell": shell,
        "page": "overview",
        "title": gettext("Overview"),
        "query": query,
        "feed_url": feed_address(request, "turn-feed", slug),
        "headline": headline(
            shell.turn, is_open, shell.problem_count, memory["budget"]
        ),
        "is_open": is_open,
        "open_items": item_rows(newest_open(workspace, OPEN), shell),
        "day": day_card(workspace, shell.addresses, shell.clock),
        "notes": notes_shown(workspace, shell)[:HANDOFF_NOTES],
        "files": changed_files(workspace, shell.addresses, shell.clock),
        "connect": not is_connected(workspace) and not shell.is_sample,
        **_turns(shell, query.turns),
        **_agents(active, shell),
        "overlaps": overlaps,
        **_news(workspace, seen, shell),
        **memory,
        **_statements(workspace, seen, shell),
        "inside": inside_rows(workspace, shell.clock),
        "old": data_age(workspace, shell.clock),
    }
    return render(request, "overview/overview.html", context)


def _statements(workspace: Workspace, seen: marks.Seen, shell: Shell) -> dict[str, Any]:
    """Return decisions and directives; undated ones have the day of their file."""
    decisions = recent_decisions(workspace)
    directed = recent_directives(workspace, people=True)
    noted = recent_directives(workspace, people=False)
    changed_at = changed_on_disk(workspace, [*decisions, *directed, *noted])
    found = {
        "decisions": decision_rows(decisions, shell.addresses, seen),
        "directives": directive_rows(workspace, directed, shell.addresses),
        "rules": directive_rows(workspace, noted, shell.addresses),
    }
    return {name: dated_rows(rows, changed_at) for name, rows in found.items()}


def is_connected(workspace: Workspace) -> bool:
    """Return whether an agent ever reported a session or used a tool here."""
    return any(
        rows.filter(workspace=workspace).exists()
        for rows in (HeardSession.objects, ToolCall.objects)
    )


def _turns(shell: Shell, chosen: str) -> dict[str, Any]:
    """Return the rows of Your turn that the query chooses."""
    everything, mine = chosen == "all", chosen == "mine" and is_team()
    found = shell.turns
    if mine:
        found = tuple(t for t in found if t.waits_for and t.is_for(me()))
    return {
        "turn_groups": [
            _group(shell, rows, group, everything=everything)
            for group in (MINE, OTHERS, STUCK)
            if (rows := [t for t in found if t.group == group])
            or (mine and group == MINE)
        ],
        "mine": mine,
        "awaited": is_team() and any(turn.waits_for for turn in shell.turns),
        "unfolded": everything,
    }


def _group(
    shell: Shell, found: Sequence[Turn], group: str, *, everything: bool
) -> dict[str, Any]:
    """Return one group of Your turn: the first rows, those to unfold, those left."""
    turns = found if everything else found[:_MOST_TURNS]
    rows = [shown_turn(turn, shell) for turn in turns]
    answers, stuck = shell.turn_counts
    name, glyph, heading, count = {
        MINE: ("y-h", "turn", gettext("Needs your answer"), answers),
        OTHERS: ("others-h", "idle", gettext("Waits for others"), Count(len(found))),
        STUCK: ("stuck-h", "blocked", gettext("Looks stuck"), stuck),
    }[group]
    return {
        "id": name,
        "glyph": glyph,
        "heading": heading,
        "count": count,
        "rows": rows[:TURNS],
        "more": rows[TURNS:],
        "folded": len(found) - TURNS,
        "left": len(found) - len(rows),
    }


def _agents(agents: list[AgentNow], shell: Shell) -> dict[str, Any]:
    lane = lane_shown(shell)
    waits = wait_rows(shell)
    number = agents_counted(shell.workspace, len(agents))
    return {
        "agents": [agent_row(agent, shell) for agent in agents[:AGENTS]],
        "all_agents": number,
        "sentence": second_sentence(agents, number, lane),
        "lane": lane,
        "waits": waits[:WAITS],
        "more_waits": max(len(waits) - WAITS, 0),
    }


def _news(workspace: Workspace, seen: marks.Seen, shell: Shell) -> dict[str, Any]:
    return {
        "news": news_items(news_counts(workspace, seen), shell.addresses),
        "seen_at": shell.clock.moment(seen.at) if seen.at else "",
        "upto": marks.newest_position(workspace),
    }


def _memory(workspace: Workspace, shell: Shell) -> dict[str, Any]:
    budget = memory_budget(workspace)
    usage = usage_of(budget) if budget else None
    return {
        "budget": budget,
        "usage": usage,
        "budget_label": _budget_label(usage) if usage else "",
        "budget_kind": _budget_kind(budget, usage) if budget and usage else "",
        "broken": broken_pointers(workspace),
        "recalls": [
            {"row": size, "outdated": is_outdated(size)}
            for size in recall_sizes(workspace)
        ],
    }


def _budget_label(usage: Usage) -> str:
    if not usage.host.host:
        return usage.text
    words = {"usage": usage.text, "percent": usage.share}
    return gettext("%(usage)s, %(percent)s percent") % words


def _budget_kind(budget: Budget, usage: Usage) -> str:
    if budget.is_over:
        return "bad"
    if not usage.host.host:
        return "ok"
    return "warn" if usage.used * 10 >= usage.limit * 9 else "ok"


@require_POST
def mark_seen(request: HttpRequest, slug: str) -> HttpResponse:
    """Mark events as seen: all that the page showed, or up to a row."""
    workspace = workspace_or_404(slug)
    reached = whole_number(request.POST.get("upto", ""), digits=18)
    marks.mark_seen(person_of(request), workspace, upto=reached)
    undo = reverse("unsee", args=[slug])
    messages.success(request, gettext("Marked as seen"), extra_tags=undo)
    return SeeOther(back_to(request, reverse("workspace", args=[slug])))


@require_POST
def unsee(request: HttpRequest, slug: str) -> HttpResponse:
    """Undo the last seen mark if it is not too late."""
    workspace = workspace_or_404(slug)
    if marks.undo_seen(person_of(request), workspace):
        messages.success(request, gettext("Undone"))
    else:
        messages.error(request, gettext("It is too late to undo that."))
    return SeeOther(back_to(request, reverse("workspace", args=[slug])))


@never_cache
@require_http_methods(["GET", "POST"])
def assign_turn(request: HttpRequest, slug: str, mark: str) -> HttpResponse:
    """Show or save who has to handle a row; 404 if it no longer waits.

    People without a role in the workspace cannot be chosen.
    """
    workspace = workspace_or_404(slug)
    if not is_team():
        raise Http404
    title = gettext("Assign")
    shell = shell_of(workspace, [(title, request.path)])
    row = _row_or_404(shell, mark)
    people = [one for one in people_of(workspace) if one.get_username() != OPERATOR]
    if request.method == "POST":
        name = typed(request.POST, "person")
        chosen = next((one for one in people if one.get_username() == name), None)
        if name and chosen is None:
            raise Http404
        assign(workspace, mark, chosen, actor_of(request), timezone.now())
        if len(shell.turns) < LIMIT:
            forget_others(workspace, [turn.mark for turn in shell.turns])
        messages.success(request, _done(chosen))
        return SeeOther(f"{shell.addresses.base}#y-h")
    context = {"shell": shell, "title": title, "row": row, "people": people}
    return render(request, "overview/assign.html", context)


def _row_or_404(shell: Shell, mark: str) -> TurnRow:
    for turn in shell.turns:
        if turn.mark == mark:
            return turn_row(turn, shell.addresses)
    raise Http404


def _done(chosen: User | None) -> str:
    if chosen is None:
        return gettext("Waits for everybody")
    return gettext("Waits for %(name)s") % {"name": chosen.shown_name}
