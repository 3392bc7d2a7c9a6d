"""Presenter of a topic's tabs: paginated lists next to its timeline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet

from memoryhub.handoffs.models import Handoff
from memoryhub.web.decisions.presenters.decisions import DecisionRow, shown_entry
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.listing import ListQuery, number
from memoryhub.web.kit.state_labels import HANDOFF_STATES
from snapshots.models import Snapshot
from topics.models import Decision, SessionBinding, Topic
from topics.queries.decisions import entries_of
from topics.queries.topics import (
    decisions_of,
    handoffs_of,
    sessions_of,
    snapshots_of,
)

#: Rows per page of a tab.
ROWS = 50

Row = dict[str, Any] | DecisionRow
Rows = Callable[[Topic], QuerySet[Any]]
Shown = Callable[[Topic, list[Any], Shell], Sequence[Row]]


@dataclass(frozen=True, slots=True)
class PagedQuery(ListQuery):
    """Query of a list whose only parameter is the page."""

    page: int = number("page", default=1)


@dataclass(frozen=True, slots=True)
class TabPage:
    """The rows of a tab's page, with its pagination."""

    rows: Sequence[Row]
    page: Page[Any]


def tab_page(topic: Topic, tab: str, number: int, shell: Shell) -> TabPage | None:
    """Return a page of a tab, the nearest if out of range; None for the timeline."""
    if tab not in _TABS:
        return None
    rows_of, shown = _TABS[tab]
    page = Paginator(rows_of(topic), ROWS).get_page(number)
    return TabPage(shown(topic, list(page), shell), page)


def _snapshots(_: Topic, rows: Sequence[Snapshot], shell: Shell) -> list[Row]:
    return [
        {
            "url": shell.addresses.snapshot(row.code),
            "row": row,
            "when": shell.clock.stated(row.occurred_at, row.precision),
            "iso": shell.clock.local(row.occurred_at).isoformat(timespec="seconds"),
        }
        for row in rows
    ]


def _decisions(
    topic: Topic, rows: Sequence[Decision], shell: Shell
) -> list[DecisionRow]:
    found = entries_of(topic.workspace_id, rows, topic.file_id)
    return [shown_entry(entry, shell) for entry in found]


def _handoffs(_: Topic, rows: Sequence[Handoff], shell: Shell) -> list[Row]:
    return [_handoff_row(row, shell) for row in rows]


def _handoff_row(row: Handoff, shell: Shell) -> Row:
    state, label = HANDOFF_STATES.get(row.state, ("open", row.state))
    return {
        "url": shell.addresses.handoff(row.code),
        "row": row,
        "state": state,
        "state_label": str(label),
        "when": shell.clock.moment(row.last_at)
        if row.last_at
        else shell.clock.stated(row.occurred_at, row.precision),
    }


def _sessions(_: Topic, rows: Sequence[SessionBinding], shell: Shell) -> list[Row]:
    return [
        {
            "url": shell.addresses.session(row.session_key),
            "row": row,
            "gone": row.last_seq is not None,
        }
        for row in rows
    ]


#: Query and presenter of each tab with rows.
_TABS: dict[str, tuple[Rows, Shown]] = {
    "snapshots": (snapshots_of, _snapshots),
    "decisions": (decisions_of, _decisions),
    "handoffs": (handoffs_of, _handoffs),
    "sessions": (sessions_of, _sessions),
}
