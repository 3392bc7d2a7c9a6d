"""Presenter of the topic list: sorting, filter by state, rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from django.utils.translation import gettext

from memoryhub.journal.models import Workspace
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.links import with_query
from memoryhub.web.kit.state_labels import TOPIC_STATES
from topics.models import Topic
from topics.queries.topics import TopicRow

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)

Key = Callable[[TopicRow], Any]
_SORTS: dict[str, tuple[Key, bool]] = {
    "updated": (lambda row: (row.topic.updated_on or date.min, _seen(row)), True),
    "name": (lambda row: row.topic.name.casefold(), False),
    "state": (lambda row: row.state, False),
    "snapshot": (lambda row: _seen(row), True),
    "decisions": (lambda row: row.decisions, True),
    "history": (lambda row: row.history, True),
}


def _seen(row: TopicRow) -> datetime:
    return row.latest.occurred_at if row.latest else _LONG_AGO


@dataclass(frozen=True, slots=True)
class Sort:
    """Sort order of the list; a leading minus in the address reverses it."""

    name: str
    turned: bool

    @classmethod
    def of(cls, text: str) -> Sort:
        name = text.removeprefix("-")
        return cls(name if name in _SORTS else "updated", text.startswith("-"))

    @property
    def descending(self) -> bool:
        return _SORTS[self.name][1] != self.turned


def sorted_rows(rows: list[TopicRow], sort: Sort) -> list[TopicRow]:
    """Sort the rows; ties by name."""
    key, _ = _SORTS[sort.name]
    named = sorted(rows, key=lambda row: row.topic.name.casefold())
    return sorted(named, key=key, reverse=sort.descending)


def columns(sort: Sort, path: str, text: str, state: str) -> list[dict[str, object]]:
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
        {
            "label": label,
            "style": style,
            "url": with_query(path, q=text, state=state, sort=_turn(name, sort)),
            "sorted": _direction(sort) if name == sort.name else "",
        }
        for name, (label, style) in labels.items()
    ]


def _turn(name: str, sort: Sort) -> str:
    return f"-{name}" if name == sort.name and not sort.turned else name


def _direction(sort: Sort) -> str:
    return "descending" if sort.descending else "ascending"


def shown_row(row: TopicRow, workspace: Workspace, shell: Shell) -> dict[str, Any]:
    """Return a row of the topic list."""
    latest, clock = row.latest, shell.clock
    return {
        "url": shell.addresses.topic(row.topic.slug),
        "name": row.topic.name,
        "state": "stale" if row.state == "quiet" else row.state,
        "state_label": _state_label(row),
        "status": _first_line(row.topic.status),
        "agents": row.agents[:3],
        "percent": latest.percent if latest else None,
        "snapshot": latest.snapshot_id if latest else "",
        "age": clock.age(latest.occurred_at) if latest else "",
        "decisions": row.decisions,
        "max_decisions": workspace.max_decisions,
        "history": row.history,
        "max_history": workspace.max_history,
        "limited": row.topic.kind == Topic.Kind.CONTEXT,
        "updated": clock.date_label(row.topic.updated_on),
    }


def _state_label(row: TopicRow) -> str:
    """Return a topic's state in words; a quiet one with the duration."""
    if row.quiet is None:
        return str(TOPIC_STATES[row.state])
    hours = int(row.quiet.total_seconds()) // 3600
    if hours < 48:
        return gettext("Quiet %(n)s h") % {"n": hours}
    return gettext("Quiet %(n)s d") % {"n": hours // 24}


def state_links(
    rows: list[TopicRow], current: str, path: str, text: str
) -> list[dict[str, object]]:
    """Return links that filter by state, with counts."""
    counts = Counter(row.state for row in rows)
    labels = {**TOPIC_STATES, "quiet": gettext("Quiet")}
    return [
        {
            "url": with_query(path, q=text, state="" if name == current else name),
            "label": str(label),
            "count": counts[name],
            "current": name == current,
        }
        for name, label in labels.items()
        if counts[name]
    ]


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:300]
