"""Presenter of the topic list: query, order, filter by state, rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from django.utils.translation import gettext

from memoryhub.journal.models import Workspace
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.listing import (
    FilterLink,
    Heading,
    ListQuery,
    number,
    parameter,
)
from memoryhub.web.kit.prose import without_marks
from memoryhub.web.kit.state_labels import TOPIC_STATES, topic_state_shown
from topics.models import Topic
from topics.queries.topics import TopicRow

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)

Key = Callable[[TopicRow], Any]
#: Sort key of each order, and whether it begins with the largest.
_SORTS: dict[str, tuple[Key, bool]] = {
    "updated": (lambda row: (row.updated_on or date.min, _seen(row)), True),
    "name": (lambda row: row.topic.name.casefold(), False),
    "state": (lambda row: row.standing.state, False),
    "snapshot": (lambda row: _seen(row), True),
    "decisions": (lambda row: row.decisions, True),
    "history": (lambda row: row.history, True),
}


@dataclass(frozen=True, slots=True)
class TopicQuery(ListQuery):
    """Filters, order and page of the topic list; a minus reverses an order."""

    text: str = parameter("q", in_form=True)
    state: str = parameter("state", choices=TOPIC_STATES)
    sort: str = parameter(
        "sort",
        default="updated",
        choices=[sign + name for name in _SORTS for sign in ("", "-")],
        filters=False,
    )
    page: int = number("page", default=1)


def _seen(row: TopicRow) -> datetime:
    latest = row.standing.latest
    return (latest and latest.stated_at) or _LONG_AGO


def sorted_rows(rows: list[TopicRow], sort: str) -> list[TopicRow]:
    """Sort the rows; ties by name."""
    key, descending = _SORTS[sort.removeprefix("-")]
    named = sorted(rows, key=lambda row: row.topic.name.casefold())
    return sorted(named, key=key, reverse=descending != sort.startswith("-"))


def columns(query: TopicQuery) -> list[Heading]:
    """Return the column headings with their sort links."""
    labels = {
        "state": (gettext("State"), ""),
        "name": (gettext("Topic"), ""),
        "updated": (gettext("Updated"), "r"),
        "snapshot": (gettext("Snapshot"), "hide-m"),
        "decisions": (gettext("Decisions"), "r hide-m"),
        "history": (gettext("History"), "r hide-m"),
    }
    return [
        query.heading(label, _directions(name), style)
        for name, (label, style) in labels.items()
    ]


def _directions(name: str) -> list[tuple[str, str]]:
    both = (
        ["descending", "ascending"] if _SORTS[name][1] else ["ascending", "descending"]
    )
    return list(zip((name, f"-{name}"), both, strict=True))


def shown_row(row: TopicRow, workspace: Workspace, shell: Shell) -> dict[str, Any]:
    """Return a row of the topic list."""
    latest, clock = row.standing.latest, shell.clock
    at = latest.stated_at if latest else None
    return {
        "url": shell.addresses.topic(row.topic.slug),
        "name": row.topic.name,
        "state": topic_state_shown(row.standing),
        "status": without_marks(row.topic.status.strip().partition("\n")[0][:300]),
        "agents": row.agents[:3],
        "percent": latest.percent if latest else None,
        "snapshot": latest.snapshot_id if latest else "",
        "age": clock.age(at) if at else "",
        "decisions": row.decisions,
        "history": row.history,
        "max_history": workspace.max_history,
        "limited": row.topic.kind == Topic.Kind.CONTEXT,
        "updated": clock.date_label(row.updated_on),
    }


def state_links(rows: list[TopicRow], query: TopicQuery) -> list[FilterLink]:
    """Return links that filter by state, with counts."""
    counts = Counter(row.standing.state for row in rows)
    return [
        query.link("state", name, label, counts[name])
        for name, (_, label) in TOPIC_STATES.items()
        if counts[name]
    ]
