"""MCP resources: topics, snapshots, days and recalls, each by its URI.

Every text is quoted under a warning, so that nothing in a file passes for an
instruction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from mcp_types import Resource, ResourceTemplate

from memoryhub.errors.base import ToolError
from memoryhub.formats.base import FormatError
from memoryhub.formats.injection import quoted
from memoryhub.handoffs.queries.board import Filters, board
from memoryhub.handoffs.queries.inbox import STEP
from memoryhub.handoffs.queries.lane import turns_listed
from memoryhub.journal.masking import masked_for_agents
from memoryhub.journal.models import SourceFile, Workspace
from memoryhub.journal.versions import newest_text
from memoryhub.mcp.app import board_app
from memoryhub.mcp.connections import Connection
from memoryhub.mcp.tools import answer_text
from memoryhub.people.callers import Caller
from memoryhub.sync.edit.gate import PRIVATE
from memoryhub.sync.edit.writing import look
from memoryhub.sync.scan.pending import read_pending
from memoryhub.timeline.queries.days import day_facts, neighbours
from memoryhub.tools.freshness import read_newer
from memoryhub.tools.handoff_answers import lines_of, rows_of
from memoryhub.tools.inbox import InboxRequest, inbox_of
from memoryhub.tools.memory_files import readable_path
from memoryhub.tools.quoting import block, may_read, readable, with_notice
from memoryhub.web.kit.clock import Clock
from memoryhub.web.timeline.days import day_markdown
from snapshots.queries.snapshots import block_of, newest_snapshots, snapshots_named
from topics.models import Topic
from topics.queries.topics import topics_named

SCHEME = "memoryhub"
MIME_TYPE = "text/markdown"
INBOX_KIND = "inbox"
#: How old the news of an inbox's text are at most.
_NEWS = timedelta(days=1)
_NO_HANDOFFS = "There are no handoffs."
#: Most listed resources of each kind; templates reach the others.
_TOPICS, _SNAPSHOTS, _DAYS, _FILES = 200, 50, 14, 50

_TEMPLATES = {
    "topics/{topic}": ("A topic", "The file of a topic, by its short name."),
    "snapshots/{id}": ("A snapshot", "A saved state of a task, by its id."),
    "days/{day}": ("A day", "What all agents wrote down on a day, as 2026-11-20."),
    "recall/{topic}": ("Recall", "What an agent needs to go on with a topic."),
    "inbox/{agent}": ("An inbox", "An agent's unfinished tasks, and news of a day."),
    "files/{path}": ("A file", "A file of memory as it is, by its path."),
    "handoffs/{id}": ("A handoff", "A task with its newest result, by its id."),
}


def templates() -> list[ResourceTemplate]:
    """Return the URI templates."""
    return [
        ResourceTemplate(
            uri_template=f"{SCHEME}://{{workspace}}/{form}",
            name=form.partition("/")[0],
            title=title,
            description=description,
            mime_type=MIME_TYPE,
        )
        for form, (title, description) in _TEMPLATES.items()
    ]


def resources(connection: Connection) -> list[Resource]:
    """Return the current resources of each workspace that the caller may read.

    Raises:
        NoSuchWorkspace: no workspace of the name that the connection gives.
    """
    known = connection.workspaces()
    for workspace in known:
        read_pending(workspace)
    callers = [connection.reader(workspace.slug) for workspace in known]
    found = [
        found
        for caller in callers
        for listing in (_recall, _board, _topics, _snapshots, _days, _files)
        for found in listing(caller)
    ]
    if agent := connection.agent:
        found += [
            _resource(workspace, INBOX_KIND, agent, f"Inbox of {agent}")
            for workspace in known
        ]
    return [*found, board_app()]


def read(uri: str, connection: Connection) -> str:
    """Return the text of a resource.

    Raises:
        ToolError: ``not-found``; and those of the tools it calls.
        NoSuchWorkspace: no workspace of this name, or not for this caller.
    """
    try:
        parts = urlsplit(uri)
        kind, _, name = parts.path.removeprefix("/").partition("/")
        reader = _READERS[kind]
    except (KeyError, ValueError) as error:
        raise ToolError("not-found", what="resource", name=uri) from error
    caller = connection.reader(unquote(parts.netloc))
    if kind not in ("recall", "handoffs"):
        # These tools do that themselves.
        read_newer(caller.workspace)
    text = reader(caller, unquote(name))
    if not text:
        raise ToolError("not-found", what="resource", name=uri)
    return masked_for_agents(caller.workspace, text)


def _recall(caller: Caller) -> Iterator[Resource]:
    yield _resource(
        caller.workspace, "recall", "", "Recall: what an agent needs to go on"
    )


def _board(caller: Caller) -> Iterator[Resource]:
    yield _resource(caller.workspace, "board", "", "Board: handoffs by state")


def _topics(caller: Caller) -> Iterator[Resource]:
    rows = Topic.objects.filter(workspace=caller.workspace, last_seq__isnull=True)
    topics = list(rows.select_related("file").order_by("name", "id")[:_TOPICS])
    shared = Counter(topic.slug for topic in topics)
    may_read = readable(caller)
    for topic in (topic for topic in topics if may_read(topic.file.path)):
        name = topic.slug if shared[topic.slug] == 1 else topic.code
        yield _resource(caller.workspace, "topics", name, f"Topic {topic.name}")


def _snapshots(caller: Caller) -> Iterator[Resource]:
    rows = newest_snapshots(caller.workspace, private=caller.private)
    for row in rows[:_SNAPSHOTS]:
        topic = f" of {row.topic.name}" if row.topic else ""
        title = f"Snapshot {row.snapshot_id}{topic}"
        yield _resource(caller.workspace, "snapshots", row.code, title)


def _days(caller: Caller) -> Iterator[Resource]:
    """Yield the last days with notes or snapshots, newest first."""
    workspace = caller.workspace
    clock = Clock.of(workspace.time_zone)
    _, end = clock.bounds(clock.now.date())
    for _ in range(_DAYS):
        before, _ = neighbours(workspace, end, end)
        if before is None:
            return
        day = clock.day(before)
        yield _resource(caller.workspace, "days", day.isoformat(), f"Day {day}")
        end, _ = clock.bounds(day)


def _files(caller: Caller) -> Iterator[Resource]:
    """Yield the files that were changed last; the others are read by their path."""
    rows = SourceFile.objects.filter(workspace=caller.workspace, present=True)
    may_read = readable(caller)
    for path, role in rows.order_by("-seq").values_list("path", "role")[:_FILES]:
        if may_read(path):
            title = f"{path} ({role})" if role else path
            yield _resource(caller.workspace, "files", path, title)


def _resource(workspace: Workspace, kind: str, name: str, title: str) -> Resource:
    place = f"{kind}/{quote(name, safe='')}" if name else kind
    return Resource(
        uri=f"{SCHEME}://{workspace.slug}/{place}",
        name=f"{workspace.slug} {kind} {name}".rstrip(),
        title=" ".join(title.split()),
        mime_type=MIME_TYPE,
    )


def _topic_text(caller: Caller, name: str) -> str:
    found = topics_named(caller.workspace, name)
    paths = [row.file.path for row in found if may_read(caller, row.file.path)]
    texts = {path: newest_text(caller.workspace, path) for path in paths}
    return (
        with_notice(*(block(path, text) for path, text in texts.items()))
        if texts
        else ""
    )


def _snapshot_text(caller: Caller, name: str) -> str:
    found = snapshots_named(caller.workspace, name)
    found = [row for row in found if may_read(caller, row.file.path)]
    if not found:
        return ""
    newest = found[0]
    place = f"{newest.file.path}:{newest.first_line}-{newest.last_line}"
    return with_notice(block(place, "\n".join(block_of(caller.workspace, newest))))


def _day_text(caller: Caller, name: str) -> str:
    try:
        day = date.fromisoformat(name)
    except ValueError:
        return ""
    bounds = Clock.of(caller.workspace.time_zone).bounds(day)
    facts = day_facts(caller.workspace, *bounds, private=caller.private)
    return with_notice(block(name, day_markdown(day, facts)))


def _recall_text(caller: Caller, name: str) -> str:
    return answer_text(caller, "recall", {"topic": name} if name else {})


def _inbox_text(caller: Caller, name: str) -> str:
    """Return an agent's unfinished tasks, and steps of others within a day."""
    agent = name or caller.agent
    if caller.bound and agent != caller.agent:
        raise ToolError("agent-other", agent=agent)
    caller = replace(caller, agent=agent)
    yesterday = (caller.now() - _NEWS).isoformat(timespec="seconds")
    asked: list[dict[str, Any]] = [{}, {"since": yesterday}]
    whole, recent = (inbox_of(caller, InboxRequest(**fields)) for fields in asked)
    steps = [row for row in recent.news if row.kind == STEP]
    shown = whole.model_copy(update={"news": [*whole.news, *steps]})
    return with_notice(block(f"inbox of {agent}", shown.lines()))


def _board_text(caller: Caller, name: str) -> str:
    """Return the handoffs of a workspace by state, a line each."""
    if name:
        return ""
    now, lane = caller.now(), turns_listed(caller.workspace)
    filters = Filters(without_file="" if caller.private else PRIVATE)
    columns = board([caller.workspace], filters, now)
    parts = [
        f"{column.state} ({column.count})\n"
        + lines_of(rows_of(column.cards, lane, {}, now))
        for column in columns
        if column.count
    ]
    return with_notice(*map(quoted, parts or [_NO_HANDOFFS]))


def _file_text(caller: Caller, name: str) -> str:
    try:
        path = readable_path(caller, name)
    except FormatError:
        return ""
    disk = look(caller.workspace, path)
    return with_notice(block(path, disk.text)) if disk.file else ""


def _handoff_text(caller: Caller, name: str) -> str:
    return answer_text(caller, "handoff_list", {"task_id": name}) if name else ""


_READERS: Mapping[str, Callable[[Caller, str], str]] = {
    "topics": _topic_text,
    "snapshots": _snapshot_text,
    "days": _day_text,
    "recall": _recall_text,
    INBOX_KIND: _inbox_text,
    "board": _board_text,
    "files": _file_text,
    "handoffs": _handoff_text,
}
