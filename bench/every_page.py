"""The address of every page of a measured workspace, and the CPU time each may take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from django.db.models import Count, Model, QuerySet

from memoryhub.events.models import Event
from memoryhub.journal.models import Agent, SourceFile, SyncRun, Workspace
from memoryhub.web.kit.links import Addresses, addresses_of
from snapshots.models import SessionMemory, Snapshot
from topics.models import Decision, SessionBinding, Topic
from topics.services.topics import can_edit

#: Milliseconds of CPU of lists, of pages that compare or render, and of all others.
LIST, SLOW, PAGE = 10.0, 200.0, 40.0

Page = tuple[str, str, float]
Row = TypeVar("Row", bound=Model)


def every_page(workspace: Workspace) -> list[Page]:
    """Return the name, address and limit of each page; of the largest things of each.

    A page of a thing that the workspace has none of is left out.
    """
    addresses = addresses_of(workspace.slug)
    return [
        *_lists(addresses),
        *_plain(addresses),
        *_topic_pages(workspace, addresses),
        *_told_pages(workspace, addresses),
        *_file_pages(workspace, addresses),
    ]


def _lists(addresses: Addresses) -> Iterator[Page]:
    base = addresses.base
    for name, address in {
        "topics": addresses.topics,
        "decisions": addresses.decisions,
        "sessions": addresses.sessions,
        "unassigned": f"{base}unassigned/",
        "agents": addresses.agents,
        "session memories": addresses.memories,
        "files": addresses.files,
        "imports": addresses.imports,
    }.items():
        yield name, address, LIST


def _plain(addresses: Addresses) -> Iterator[Page]:
    base = addresses.base
    for name, address in {
        "home": "/?all=1",
        "preferences": "/me/",
        "import wizard": "/imports/new/",
        "overview": base,
        "trends": f"{base}trends/",
        "health": addresses.health,
        "settings": addresses.settings,
        "hand over": addresses.handover,
        "new decision": f"{base}decisions/new/",
        "search": f"{base}search/?q=review",
        "palette": f"{base}palette?q=re",
        "open page, news": f"{base}news/",
        "timeline, feed": f"{base}timeline.atom",
    }.items():
        yield name, address, PAGE
    yield "export preview", addresses.export, SLOW


def _topic_pages(workspace: Workspace, addresses: Addresses) -> Iterator[Page]:
    found = Topic.objects.filter(workspace=workspace, last_seq__isnull=True)
    ordered = found.annotate(size=Count("event")).order_by("-size", "id")
    topic = _first(ordered)
    if topic is None:
        return
    for tab in ("snapshots", "decisions", "handoffs", "sessions"):
        yield f"topic, {tab}", addresses.topic(topic.slug, tab), PAGE
    if own := next(filter(can_edit, ordered), None):
        yield "topic, status", addresses.topic(own.slug, "status"), PAGE
    recall = addresses.topic(topic.slug, "recall")
    yield "recall", recall, PAGE
    yield "recall, changes", f"{recall}?view=changes", SLOW


def _told_pages(workspace: Workspace, addresses: Addresses) -> Iterator[Page]:
    base = addresses.base
    if event := _first(Event.objects.filter(workspace=workspace, kind="snapshot")):
        yield "day", addresses.day(event.occurred_at.date()), PAGE
    rows = Snapshot.objects.filter(workspace=workspace)
    if snapshot := _first(rows.order_by("-topic_id", "-occurred_at", "id")):
        yield "snapshot", addresses.snapshot(snapshot.code), PAGE
        yield "assign", f"{base}assign/snapshot/{snapshot.code}/", PAGE
    if decision := _first(Decision.objects.filter(workspace=workspace)):
        yield "decision", addresses.decision(decision.code), PAGE
    if binding := _first(SessionBinding.objects.filter(workspace=workspace)):
        yield "session", addresses.session(binding.session_key), PAGE
    agents = Agent.objects.filter(workspace=workspace)
    if agent := _first(agents.annotate(size=Count("event")).order_by("-size")):
        yield "agent", addresses.agent(agent.name), PAGE
    if memory := _first(SessionMemory.objects.filter(workspace=workspace)):
        yield (
            "session memory",
            f"{addresses.memories}{memory.memory_id or memory.code}/",
            PAGE,
        )


def _file_pages(workspace: Workspace, addresses: Addresses) -> Iterator[Page]:
    """Return the pages of the file that changed last, or of the first one."""
    rows = SourceFile.objects.filter(workspace=workspace, present=True)
    if file := _first(rows.order_by("-seq")):
        yield "file", addresses.file(file.path), PAGE
        yield "file, source", addresses.file(file.path, view="raw"), PAGE
        yield "file, blame", addresses.file(file.path, view="blame"), SLOW
        yield "file, history", addresses.file(file.path, view="history"), PAGE
        diff = addresses.file(
            file.path, view="history", rev=file.seq, vs=file.first_seq
        )
        yield "file, diff", diff, SLOW
    if run := _first(SyncRun.objects.filter(workspace=workspace).order_by("-files")):
        yield "import", addresses.run(run.number), PAGE


def _first(rows: QuerySet[Row]) -> Row | None:
    return (rows if rows.ordered else rows.order_by("pk"))[:1].first()
