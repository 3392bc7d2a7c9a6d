"""Pages of topics: list, detail with its tabs, editing of the status."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods

from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.formats.text import frontmatter
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.sides import seen_from
from memoryhub.journal.authors import changed_by, owners_of
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.journal.untimed import time_on_disk
from memoryhub.journal.versions import bytes_of, text_of, version_at
from memoryhub.people.marks import Seen, seen_by, visited
from memoryhub.people.policy import person_of, workspace_or_404
from memoryhub.people.services.feed_keys import feed_address
from memoryhub.recall.topic import injected_tokens
from memoryhub.sync.edit.editing import staged_for
from memoryhub.sync.edit.edits import Conflict
from memoryhub.timeline.queries.filters import Filter
from memoryhub.values.tokens import shown
from memoryhub.web.decisions.rows import DecisionRow, shown_entry
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import Shell, shell_of
from memoryhub.web.kit.http import (
    HtmxRequest,
    markdown_response,
    page_or_partial,
    wants_partial,
)
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import (
    FilterLink,
    Heading,
    ListQuery,
    number,
    parameter,
    takes,
)
from memoryhub.web.kit.prose import prose_of, without_marks
from memoryhub.web.kit.responses import (
    Choice,
    ShownConflict,
    choose,
    done,
    refusal_text,
)
from memoryhub.web.kit.state_labels import (
    HANDOFF_STATES,
    TOPIC_STATES,
    topic_state_shown,
)
from memoryhub.web.snapshots import panel
from memoryhub.web.snapshots.panel import Look, Panel
from memoryhub.web.timeline.events import EventContext
from memoryhub.web.timeline.pages import (
    TimelineQuery,
    list_events,
)
from memoryhub.web.topics.forms import author_of, conflict_in, text_in
from snapshots.models import Snapshot
from topics.models import Decision, SessionBinding, Topic
from topics.queries.decisions import decisions_of, entries_of
from topics.queries.topics import (
    TopicFacts,
    TopicRow,
    handoffs_of,
    sessions_of,
    snapshots_of,
    standings,
    topic_facts,
    topic_rows,
    topics_named,
)
from topics.services.topics import (
    can_edit,
    new_key,
    set_status,
    status_now,
)

TABS = ("timeline", "snapshots", "decisions", "handoffs", "sessions")
#: Lines of the topic's file that its page shows.
_FILE_LINES = 300
#: Rows per page of a tab.
ROWS = 50
Row = dict[str, Any] | DecisionRow
Rows = Callable[[Topic], QuerySet[Any]]
Shown = Callable[[Topic, list[Any], Shell], Sequence[Row]]
_PAGE_SIZE = 50
#: Parameters of the timeline of all topics only.
_OF_ALL = ("agent", "topic", "since", "run", "group", "page", "at")


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


@require_GET
def topic_list(request: HttpRequest, slug: str) -> HttpResponse:
    """List the topics of a workspace."""
    workspace = workspace_or_404(slug)
    query = TopicQuery.of(request)
    found = (
        topic_rows(workspace, text=query.text)
        if query.text
        else cached(workspace, "topics", lambda: topic_rows(workspace))
    )
    rows = sorted_rows(found, query.sort)
    if query.state:
        rows = [row for row in rows if row.standing.state == query.state]
    shell = shell_of(workspace, [(gettext("Topics"), request.path)])
    listed = Paginator(rows, _PAGE_SIZE).get_page(query.page)
    context = {
        "shell": shell,
        "page": "topics",
        "title": gettext("Topics"),
        "query": query,
        "rows": [shown_row(row, workspace, shell) for row in listed],
        "columns": columns(query),
        "listed": listed,
        "states": state_links(found, query),
    }
    return render(request, "topics/topic_list.html", context)


@require_GET
def topic(
    request: HtmxRequest, slug: str, address: str, tab: str = "timeline"
) -> HttpResponse:
    """Show a topic: its status, and its timeline or one of its lists."""
    workspace = workspace_or_404(slug)
    found = topics_named(workspace, address)
    if len(found) != 1 or tab not in TABS:
        return _choose(request, workspace, address, found if tab in TABS else [])
    (shown,) = found
    if tab == "timeline" and wants_partial(request):
        clock = Clock.of(workspace.time_zone)
        seen = seen_by(person_of(request), workspace)
        query = TimelineQuery.of(request, without=_OF_ALL)
        events = _events(request, query, shown, clock, seen)
        context: dict[str, Any] = {"timeline": events}
    else:
        context = _page(request, workspace, shown, address, tab)
    return page_or_partial(
        request, "topics/topic_detail.html", "timeline/_rows.html", context
    )


def _page(
    request: HtmxRequest, workspace: Workspace, shown: Topic, address: str, tab: str
) -> dict[str, Any]:
    addresses = addresses_of(workspace.slug)
    crumbs = [
        (gettext("Topics"), addresses.topics),
        (shown.name, addresses.topic(address)),
    ]
    person = person_of(request)
    seen = visited(request, workspace)
    shell = shell_of(workspace, crumbs, topic=shown.slug)
    beside = panel.Look(person=person, seen=seen.position, here=crumbs[-1][1])
    context: dict[str, Any] = {
        "shell": shell,
        "page": "topics",
        "title": shown.name,
        "feed_url": feed_address(
            request, "topic-feed", workspace.slug, address=shown.code
        ),
        "tab": tab,
        "topic": topic_page(workspace, shown, address, tab, shell, beside),
    }
    if tab == "timeline":
        query = TimelineQuery.of(request, without=_OF_ALL)
        events = _events(request, query, shown, shell.clock, seen)
        return {**context, "query": query, "timeline": events}
    paged = PagedQuery.of(request)
    listed = tab_page(shown, tab, paged.page, shell)
    return {**context, "query": paged, "listed": listed}


def _events(
    request: HtmxRequest, query: TimelineQuery, shown: Topic, clock: Clock, seen: Seen
) -> dict[str, Any]:
    wanted = Filter(
        shown.workspace_id, query.kind, topic_ids=(shown.id,), text=query.text
    )
    look = EventContext(
        shown.workspace,
        wanted,
        addresses_of(shown.workspace.slug),
        clock,
        # On a first visit every event would be new.
        seen=seen if seen.at else None,
        scope={**query.scope, "topic": shown.slug},
    )
    return list_events(query, look, chips=not wants_partial(request))


def _choose(
    request: HttpRequest, workspace: Workspace, name: str, found: list[Topic]
) -> HttpResponse:
    shell = shell_of(workspace, [(name, "")])
    choices = (
        Choice(
            shell.addresses.topic(row.code),
            row.title or row.name,
            row.file.path,
            shell.clock.date_label(row.updated_on),
        )
        for row in found
    )
    return choose(request, shell, "topics", name, choices)


@require_GET
def topic_text(request: HttpRequest, slug: str, address: str) -> HttpResponse:
    """Return the bytes of a topic's file."""
    workspace = workspace_or_404(slug)
    ListQuery.of_text(request)
    found = topics_named(workspace, address)
    if len(found) != 1:
        raise Http404
    version = version_at(workspace, found[0].file.path)
    if version is None:
        raise Http404
    return markdown_response(bytes_of(version))


@require_http_methods(["GET", "HEAD", "POST"])
@takes("card")
def edit_status(request: HtmxRequest, slug: str, address: str) -> HttpResponse:
    """Show the form of a topic's status, or save it; 409 on a conflict."""
    workspace = workspace_or_404(slug)
    topic = _topic_or_404(workspace, address)
    if "count" in request.POST and wants_partial(request):
        return _cost(request)
    if request.method == "POST":
        return _save(request, workspace, topic, address)
    if "card" in request.GET and wants_partial(request):
        return _card(request, workspace, topic, address)
    now = status_now(workspace, topic)
    return _form(
        request, workspace, topic, address, {"text": now, "base": now, "key": new_key()}
    )


def _topic_or_404(workspace: Workspace, address: str) -> Topic:
    found = topics_named(workspace, address)
    if len(found) != 1 or not can_edit(found[0]):
        raise Http404
    return found[0]


def _cost(request: HtmxRequest) -> HttpResponse:
    """Return the token count of the text while it is edited, with the change."""
    tokens = shown(text_in(request.POST, "text").strip())
    more = tokens - shown(text_in(request.POST, "base"))
    if not more:
        return HttpResponse(gettext("%(n)s tokens, as before") % {"n": tokens})
    words = {"n": tokens, "change": f"{more:+}".replace("-", "−")}
    return HttpResponse(gettext("%(n)s tokens, %(change)s") % words)


def _save(
    request: HtmxRequest, workspace: Workspace, topic: Topic, address: str
) -> HttpResponse:
    who = author_of(request, workspace)
    typed = {
        "text": text_in(request.POST, "text").strip(),
        "base": text_in(request.POST, "base"),
        "key": who.key,
    }
    form: dict[str, Any]
    path = topic.file.path
    if both := conflict_in(request, path, typed["text"], typed["base"]):
        if both.is_open:
            form = {"conflict": both, "key": who.key, "is_open": True}
            return _form(request, workspace, topic, address, form, status=409)
        typed |= {"text": both.merged.strip(), "base": both.current}
    try:
        operation = set_status(workspace, path, typed["text"], typed["base"], who)
    except Conflict as conflict:
        both = ShownConflict(conflict, typed["text"], {})
        form = {"text": both.merged, "base": both.current, "key": new_key()}
        form["conflict"] = both
        return _form(request, workspace, topic, address, form, status=409)
    except (FormatError, FileError) as error:
        form = {**typed, "error": refusal_text(error)}
        return _form(request, workspace, topic, address, form, status=422)
    to = addresses_of(workspace.slug).topic(address)
    return done(request, workspace, operation, gettext("Status saved"), to)


def _form(
    request: HtmxRequest,
    workspace: Workspace,
    topic: Topic,
    address: str,
    form: dict[str, Any],
    *,
    status: int = 200,
) -> HttpResponse:
    addresses = addresses_of(workspace.slug)
    context: dict[str, Any] = {
        "form": form,
        "topic": topic,
        "url": addresses.topic(address),
        "status_url": addresses.topic(address, "status"),
    }
    if not wants_partial(request):
        crumbs = [
            (gettext("Topics"), addresses.topics),
            (topic.name, addresses.topic(address)),
            (gettext("Edit status"), ""),
        ]
        context |= {
            "shell": shell_of(workspace, crumbs, topic=topic.slug),
            "page": "topics",
            "title": gettext("Edit status"),
        }
    return page_or_partial(
        request,
        "topics/status_form.html",
        "topics/_status_form.html",
        context,
        status=status,
    )


def _card(
    request: HtmxRequest, workspace: Workspace, topic: Topic, address: str
) -> HttpResponse:
    """Return the status card that the form replaced."""
    shell = shell_of(workspace)
    shown = topic_page(workspace, topic, address, "status", shell)
    return page_or_partial(
        request,
        "topics/_status_card.html",
        "topics/_status_card.html",
        {"topic": shown, "shell": shell},
    )
