"""Overview of a workspace, and its marks of seen events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from memoryhub.health.queries import broken_pointers, memory_budget
from memoryhub.journal.ledger import Budget
from memoryhub.journal.models import Workspace
from memoryhub.people import marks
from memoryhub.people.marks import visited
from memoryhub.people.policy import me, person_of, workspace_or_404
from memoryhub.people.roles import is_team
from memoryhub.people.services.feed_keys import feed_address
from memoryhub.timeline.queries.agents import AgentNow, agents_counted, agents_now
from memoryhub.timeline.queries.events import Count
from memoryhub.timeline.queries.facets import news_counts
from memoryhub.timeline.queries.in_play import files_in_play
from memoryhub.timeline.queries.overview import (
    changed_on_disk,
    recall_sizes,
    recent_decisions,
    recent_directives,
)
from memoryhub.timeline.queries.turns import MINE, OTHERS, STUCK, Turn
from memoryhub.tools.models import HeardSession, ToolCall
from memoryhub.web.agents.presenters import agent_row, by_need
from memoryhub.web.decisions.presenters.statements import (
    dated_rows,
    decision_rows,
    directive_rows,
)
from memoryhub.web.handoffs.presenters.notes import notes_shown
from memoryhub.web.handoffs.presenters.waiting import lane_shown, wait_rows
from memoryhub.web.imports.discovered import inside_rows
from memoryhub.web.kit.frame import Shell, shell_of
from memoryhub.web.kit.http import HtmxRequest, whole_number
from memoryhub.web.kit.limits import Usage, usage_of
from memoryhub.web.kit.listing import ListQuery, parameter
from memoryhub.web.kit.responses import SeeOther, back_to
from memoryhub.web.open_items.presenters import item_rows
from memoryhub.web.overview.presenters.overview import (
    changed_files,
    data_age,
    day_card,
    headline,
    is_outdated,
    news_items,
    second_sentence,
)
from memoryhub.web.overview.presenters.shown_turns import shown_turn
from memoryhub.web.timeline.presenters.in_play import overlap_lines
from snapshots.queries.open_items import newest_open, open_count

#: Rows shown at first; the others unfold.
TURNS, AGENTS, WAITS, OPEN, HANDOFF_NOTES = 4, 6, 4, 5, 2
#: Most items on the page unless all are requested.
_MOST_TURNS = 60


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
