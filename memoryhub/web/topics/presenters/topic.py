"""Presenter of a topic: its head, status and tabs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.utils.translation import gettext

from memoryhub.formats.text import frontmatter
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.sides import seen_from
from memoryhub.journal.authors import changed_by, owners_of
from memoryhub.journal.models import Workspace
from memoryhub.journal.untimed import time_on_disk
from memoryhub.journal.versions import text_of, version_at
from memoryhub.recall.topic import injected_tokens
from memoryhub.web.decisions.presenters.decisions import DecisionRow, shown_entry
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.listing import ListQuery, number
from memoryhub.web.kit.prose import prose_of
from memoryhub.web.kit.state_labels import HANDOFF_STATES, topic_state_shown
from memoryhub.web.snapshots.presenters.panel import Look, Panel
from snapshots.models import Snapshot
from topics.models import Decision, SessionBinding, Topic
from topics.queries.decisions import decisions_of, entries_of
from topics.queries.topics import (
    TopicFacts,
    handoffs_of,
    sessions_of,
    snapshots_of,
    standings,
    topic_facts,
)
from topics.services.topics import can_edit, staged_for

TABS = ("timeline", "snapshots", "decisions", "handoffs", "sessions")
#: Lines of the topic's file that its page shows.
_FILE_LINES = 300
#: Rows per page of a tab.
ROWS = 50
Row = dict[str, Any] | DecisionRow
Rows = Callable[[Topic], QuerySet[Any]]
Shown = Callable[[Topic, list[Any], Shell], Sequence[Row]]


def topic_page(
    workspace: Workspace,
    topic: Topic,
    address: str,
    tab: str,
    shell: Shell,
    look: Look | None = None,
) -> dict[str, Any]:
    """Return the template values of a topic's page for one of its tabs.

    `look` is the view of the newest snapshot's panel.
    """
    addresses, clock = shell.addresses, shell.clock
    facts = topic_facts(topic)
    standing = standings(workspace, [topic])[topic.pk]
    latest = standing.latest
    path = topic.file.path
    beside = tab == "timeline"
    staged = staged_for(workspace, path)
    waiting = [str(op.payload["text"]) for op in staged if op.verb == "set_status"]
    status = waiting[-1] if waiting else topic.status
    return {
        "topic": topic,
        "url": addresses.topic(address),
        "text_url": addresses.topic_text(address),
        "file_url": addresses.file(path),
        "status_url": addresses.file(path, line=topic.status_first_line, view="blame"),
        "state": topic_state_shown(standing),
        "facts": facts,
        "created": clock.date_label(topic.created_on),
        "updated": clock.date_label(topic.updated_on),
        "status_html": prose_of(workspace, addresses, path, status),
        "status_from": _status_from(workspace, topic, facts, shell),
        "latest": latest,
        "latest_url": addresses.snapshot(latest.code) if latest else "",
        "tabs": _tabs(workspace, topic, address, tab, facts, shell),
        "can_edit": can_edit(topic),
        "edit_url": addresses.topic(address, "status"),
        "decide_url": addresses.decision_new(topic=address),
        "staged_status": waiting[-1] if waiting else "",
        "notices": list(_notices(workspace, topic, facts)),
        "panel": Panel(workspace, latest, shell, look) if latest and beside else None,
        "file_html": _file_html(workspace, topic, shell)
        if beside and not latest
        else "",
    }


def _notices(
    workspace: Workspace, topic: Topic, facts: TopicFacts
) -> Iterator[dict[str, object]]:
    """Yield the full lists, each with the line that its next entry drops."""
    if topic.kind != Topic.Kind.CONTEXT:
        return
    lists = (
        ("decisions", facts.stated, workspace.max_decisions, facts.oldest_decision),
        ("history", facts.history, workspace.max_history, facts.oldest_history),
    )
    for name, n, limit, line in lists:
        if n >= limit:
            yield {"list": name, "n": n, "limit": limit, "line": line}


def _status_from(
    workspace: Workspace, topic: Topic, facts: TopicFacts, shell: Shell
) -> str:
    """Return the source of the status: who changed it, when, and its line."""
    words: dict[str, object] = {"line": topic.status_first_line}
    read = facts.status_read
    if read is None:
        return gettext("line %(line)s") % words
    words["who"] = changed_by(read.actor, owners_of(workspace)(read.path))
    words["when"] = shell.clock.moment(time_on_disk(read.mtime_ns, read.recorded_at))
    return gettext("Changed: %(who)s, %(when)s · line %(line)s") % words


def _tabs(
    workspace: Workspace,
    topic: Topic,
    address: str,
    current: str,
    facts: TopicFacts,
    shell: Shell,
) -> tuple[dict[str, object], ...]:
    labels = {
        "timeline": (gettext("Timeline"), ""),
        "snapshots": (gettext("Snapshots"), str(facts.snapshots)),
        "decisions": (gettext("Decisions"), str(facts.decisions)),
        "handoffs": (gettext("Handoffs"), str(facts.handoffs)),
        "sessions": (gettext("Sessions"), str(facts.sessions)),
    }
    tabs = [
        {
            "label": label,
            "count": count,
            "url": shell.addresses.topic(address, "" if name == "timeline" else name),
            "current": name == current,
        }
        for name, (label, count) in labels.items()
    ]
    tokens = injected_tokens(workspace, [topic])[topic.pk]
    recall = shell.addresses.topic(address, "recall") + "?form=snap-memory"
    file = shell.addresses.file(topic.file.path, view="blame")
    return (
        *tabs,
        {
            "label": gettext("Recall"),
            "count": gettext("%(n)s tok as snap-memory") % {"n": tokens},
            "url": recall,
        },
        {"label": gettext("File"), "count": "", "url": file},
    )


def _file_html(workspace: Workspace, topic: Topic, shell: Shell) -> str:
    """Return the beginning of the topic's file, shown if it has no snapshot."""
    path = topic.file.path
    version = version_at(workspace, path)
    if version is None:
        return ""
    body = frontmatter.split(text_of(version)).body
    shown = "\n".join(body.split("\n")[:_FILE_LINES])
    return prose_of(workspace, shell.addresses, path, shown)


@dataclass(frozen=True, slots=True)
class PagedQuery(ListQuery):
    """Query of a list whose only parameter is the page."""

    page: int = number("page", default=1)


def tab_page(
    topic: Topic, tab: str, number: int, shell: Shell
) -> dict[str, Any] | None:
    """Return a page of a tab, the nearest if out of range; None for the timeline."""
    if tab not in _TABS:
        return None
    rows_of, shown = _TABS[tab]
    page = Paginator(rows_of(topic), ROWS).get_page(number)
    return {"rows": shown(topic, list(page), shell), "page": page}


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


def _handoffs(topic: Topic, rows: Sequence[Handoff], shell: Shell) -> list[Row]:
    found: list[Row] = []
    for row in seen_from([topic.workspace], rows):
        state, label = HANDOFF_STATES.get(row.state, ("open", row.state))
        found.append(
            {
                "url": shell.addresses.handoff(row.code),
                "row": row,
                "state": state,
                "state_label": str(label),
                "when": shell.clock.moment(row.last_at)
                if row.last_at
                else shell.clock.stated(row.occurred_at, row.precision),
            }
        )
    return found


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
