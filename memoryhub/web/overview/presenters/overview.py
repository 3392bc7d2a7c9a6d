"""Presenter of the overview: headline, agents, news, day, files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

from django.utils.translation import gettext, ngettext

from memoryhub.events.rules.agent_states import STALE_DATA
from memoryhub.journal.ledger import Budget
from memoryhub.journal.models import Workspace
from memoryhub.timeline.queries.agents import AgentNow
from memoryhub.timeline.queries.changed_files import last_changed
from memoryhub.timeline.queries.events import Count
from memoryhub.timeline.queries.facets import Counts
from memoryhub.timeline.queries.file_texts import texts_of
from memoryhub.timeline.queries.overview import RecallSize, newest_entries
from memoryhub.web.handoffs.presenters.waiting import LaneShown
from memoryhub.web.kit.clock import Clock, span_label
from memoryhub.web.kit.labels import ICONS, KINDS, clauses
from memoryhub.web.kit.links import Addresses, with_query
from memoryhub.web.timeline.presenters.days import (
    entry_rows,
    file_rows,
    note_rows,
)

#: Kinds of events with their own count in the strip; the others are in its total.
NEWS_KINDS = ("snapshot", "decision", "handoff", "compaction", "edit")
#: Files that are looked at, and shown of each sort.
_LOOKED_AT, _FILES = 60, 4
#: Notes that are shown where no log has entries, and their lines.
_NOTES, _NOTE_LINES = 3, 14


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
