"""Presenter of sessions: key, binding, activity of 24 hours as bars."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from memoryhub.journal.untimed import first_import
from memoryhub.web.kit.clock import recorded_text
from memoryhub.web.kit.figures import hours_label, spark
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.listing import ListQuery, number, parameter
from memoryhub.web.kit.prose import plain_text
from snapshots.models import AuthoredSpan, LogEntry
from topics.queries.sessions import SessionRow
from topics.queries.topics import Spoken

KINDS: Mapping[str, Promise] = {
    "snapshot": gettext_lazy("Snapshots"),
    "memory": gettext_lazy("Session memories"),
    "entry": gettext_lazy("Log entries"),
    "item": gettext_lazy("Open items"),
}


@dataclass(frozen=True, slots=True)
class SessionQuery(ListQuery):
    """Filter and page of the list of sessions."""

    text: str = parameter("q", in_form=True)
    page: int = number("page", default=1)


@dataclass(frozen=True, slots=True)
class UnassignedQuery(ListQuery):
    """Kind of the unassigned rows that are listed."""

    kind: str = parameter("kind", choices=KINDS, filters=False)


def shown_session(row: SessionRow, shell: Shell) -> dict[str, Any]:
    """Return a row of the list of sessions."""
    binding, addresses, clock = row.binding, shell.addresses, shell.clock
    last, agent = row.activity.last, binding.agent.name if binding.agent else ""
    whose = "" if row.activity.own else agent
    words = {"agent": whose, "hours": hours_label(row.activity.hours)}
    topic = binding.topic
    return {
        "key": binding.session_key,
        "url": addresses.session(binding.session_key),
        "agent": agent,
        "whose": whose,
        "channel": binding.channel,
        "kind": binding.kind,
        "topic": binding.topic_name,
        "topic_url": addresses.topic(topic.slug) if topic else "",
        "bound": binding.last_seq is None,
        "since": ""
        if binding.first_seq <= first_import(shell.workspace)
        else clock.moment(binding.recorded_at),
        "by": gettext("session map") if binding.in_map else gettext("topic’s Meta"),
        "last": clock.age(last) if last else "",
        "last_iso": clock.local(last).isoformat(timespec="seconds") if last else "",
        "compacted": compacted_text(row),
        "day": gettext("%(agent)s: %(hours)s") % words if whose else words["hours"],
        "spark": spark(row.activity.hours),
    }


def shown_transcript(entry: LogEntry, shell: Shell) -> dict[str, Any]:
    """Return a session that is a whole file."""
    return {
        "title": plain_text(entry.title) or entry.file.path,
        "url": shell.addresses.file(entry.file.path),
        "path": entry.file.path,
        "agent": entry.agent.name if entry.agent else "",
        "topic": entry.topic.name if entry.topic else "",
        "when": shell.clock.stated(entry.occurred_at, entry.precision),
    }


def compacted_text(row: SessionRow) -> str:
    """Return the number of a session's compactions and the last one in words."""
    found = row.compactions
    if found is None:
        return ""
    count, before, after = found
    missing = gettext("not recorded")
    words = {
        "n": count,
        "before": missing if before is None else before,
        "after": missing if after is None else after,
    }
    return gettext("%(n)s, last %(before)s → %(after)s") % words


def shown_bound(spoken: Spoken, shell: Shell) -> dict[str, Any]:
    """Return one source of a session's binding, present or past."""
    source = spoken.source
    path = source.file.path
    return {
        "topic": source.value,
        "path": path,
        "line": source.first_line,
        "url": shell.addresses.file(
            path, line=source.first_line, rev=source.newest_seq
        ),
        "since": recorded_text(spoken.first, shell.clock),
        "until": ""
        if source.last_seq is None
        else recorded_text(spoken.last, shell.clock),
    }


class UnassignedRow(NamedTuple):
    """A row that can be assigned to an agent or a topic."""

    title: str
    url: str
    place: str
    place_url: str
    when: str
    agent: str
    topic: str


def shown_unassigned(kind: str, row: AuthoredSpan, shell: Shell) -> UnassignedRow:
    """Return an assignable row for display."""
    addresses = shell.addresses
    return UnassignedRow(
        plain_text(getattr(row, "goal", "") or str(row) or row.code)[:200],
        addresses.assign(kind, row.code),
        f"{row.file.path}:{row.first_line}",
        addresses.file(row.file.path, line=row.first_line),
        shell.clock.stated(row.occurred_at, row.precision),
        row.agent.name if row.agent else "",
        row.topic.name if row.topic else "",
    )
