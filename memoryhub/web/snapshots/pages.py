"""Pages of snapshots and of session memories: list, detail, text, marks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from memoryhub.comments.models import Thread
from memoryhub.dialects import session_compact
from memoryhub.dialects.session_compact import (
    CHANGES_MADE,
    CONSTRAINTS,
    DECISIONS,
    DEPENDENCIES,
    KNOWN_ISSUES,
    PENDING,
    PLAN,
    REFERENCE_FILES,
    TITLES,
    WORKING_FILES,
    SessionCompact,
)
from memoryhub.dialects.session_compact.session_memory import (
    export_command,
    recovery_banner,
)
from memoryhub.formats.text.list_items import without_checkbox
from memoryhub.journal.models import Agent, Workspace
from memoryhub.people.marks import clear_reviewed, mark_reviewed, visited
from memoryhub.people.policy import person_of, workspace_or_404
from memoryhub.values import tokens
from memoryhub.web.comments import row_panel
from memoryhub.web.kit.frame import Crumb, Shell, shell_of
from memoryhub.web.kit.http import (
    HtmxRequest,
    markdown_response,
    page_or_partial,
    redirect_with_query,
)
from memoryhub.web.kit.labels import KINDS
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import ListQuery, names_known, number, parameter
from memoryhub.web.kit.responses import Choice, SeeOther, back_to, choose
from memoryhub.web.snapshots.panel import LAST, PREVIOUS, VIEWS, Look, Panel
from snapshots.models import SessionMemory, Snapshot
from snapshots.queries.snapshots import (
    PAGE_SIZE,
    Scope,
    block_bytes,
    memories_named,
    memories_of,
    memory_bytes,
    memory_text,
    newest_snapshots,
    snapshots_named,
)
from topics.models import Topic


@dataclass(frozen=True, slots=True)
class MemoryQuery(ListQuery):
    """Filter and page of the list of session memories."""

    text: str = parameter("q", in_form=True)
    page: int = number("page", default=1, digits=5)


@dataclass(frozen=True, slots=True)
class ShownItem:
    """An item of a list with its detail: a file's role, a decision's reasoning."""

    text: str
    more: str = ""
    mark: str = ""
    code: bool = False


@dataclass(frozen=True, slots=True)
class ShownField:
    """One of the fourteen fields: a text, a list, or the plan verbatim."""

    number: int
    title: str
    missing: bool
    text: str = ""
    items: tuple[ShownItem, ...] = ()
    plan: str = ""
    plan_lines: int = 0
    line_url: str = ""

    @property
    def empty(self) -> bool:
        return not (self.text or self.items or self.plan)


def address_of(memory: SessionMemory) -> str:
    """Return the id of a memory in addresses, else its code."""
    return memory.memory_id or memory.code


def memory_url(shell: Shell, memory: SessionMemory) -> str:
    """Return the page of a memory."""
    return f"{shell.addresses.memories}{address_of(memory)}/"


class MemoryPage:
    """A session memory: its row, its document, and the links of its page."""

    def __init__(self, memory: SessionMemory, text: str, shell: Shell) -> None:
        document = session_compact.parse(text)
        addresses, clock, topic = shell.addresses, shell.clock, memory.topic
        path, line, rev = memory.file.path, memory.first_line, memory.newest_seq
        url, name = memory_url(shell, memory), memory.memory_id
        updated = document.updated
        self.row = memory
        self.fields = list(_fields(document, memory, shell))
        slug = memory.workspace.slug
        self.banner = recovery_banner(name, slug) if name else ""
        self.recall_command = export_command(name, slug)
        self.tokens = tokens.shown(document.content)
        self.when = clock.stated(memory.occurred_at, memory.precision)
        self.iso = clock.local(memory.occurred_at).isoformat(timespec="seconds")
        self.updated = clock.date_label(updated.date()) if updated else ""
        self.text_url = f"{url.removesuffix('/')}.md"
        self.file_url = addresses.file(path, line=line, rev=rev)
        self.topic_url = addresses.topic(topic.slug) if topic else ""
        self.assign_url = addresses.assign("memory", memory.code, url)


def _fields(
    document: SessionCompact, memory: SessionMemory, shell: Shell
) -> Iterator[ShownField]:
    items = _items(document)
    for at, title in enumerate(TITLES, 1):
        section = document.section(title)
        if section is None:
            yield ShownField(at, title, missing=True)
            continue
        line = section.lines.first
        url = shell.addresses.file(memory.file.path, line=line, rev=memory.newest_seq)
        if title == PLAN:
            plan = document.analysis.plan
            lines = len(plan.split("\n")) if plan else 0
            source = document.analysis.plan_source
            yield ShownField(at, title, False, source, (), plan, lines, url)
        elif title in items:
            yield ShownField(at, title, False, "", items[title], line_url=url)
        else:
            body = section.body.strip()
            text = "" if body == "(none)" else body
            yield ShownField(at, title, False, text, line_url=url)


def _items(document: SessionCompact) -> dict[str, tuple[ShownItem, ...]]:
    """Return the items of the lists, by title."""
    files = {
        WORKING_FILES: document.working_files,
        REFERENCE_FILES: document.reference_files,
    }
    lists = (CONSTRAINTS, DEPENDENCIES, KNOWN_ISSUES, CHANGES_MADE, PENDING)
    decisions = (ShownItem(made.text, made.reason) for made in document.decisions)
    return {
        DECISIONS: tuple(decisions),
        **{
            title: tuple(ShownItem(file.path, file.purpose, code=True) for file in held)
            for title, held in files.items()
        },
        **{
            title: tuple(_with_mark(item.text) for item in document.items[title])
            for title in lists
        },
    }


def _with_mark(text: str) -> ShownItem:
    mark, rest = without_checkbox(text)
    return ShownItem(rest, mark="" if mark in {"", " "} else mark)


def memory_row(memory: SessionMemory, shell: Shell) -> dict[str, object]:
    """Return a row of the list of memories."""
    facts = [
        memory.agent.name if memory.agent else "",
        memory.topic.name if memory.topic else "",
        gettext("%(n)s pending") % {"n": memory.pending} if memory.pending else "",
        gettext("archived") if memory.archived else "",
        gettext("no longer in the agent’s file") if memory.last_seq else "",
    ]
    return {
        "icon": "brain",
        "url": memory_url(shell, memory),
        "title": memory.objective or memory.summary or memory.memory_id,
        "id": memory.memory_id,
        "facts": list(filter(None, facts)),
        "note": memory.last_action.strip().partition("\n")[0][:300],
        "when": shell.clock.stated(memory.occurred_at, memory.precision),
        "iso": shell.clock.local(memory.occurred_at).isoformat(timespec="seconds"),
    }


@dataclass(frozen=True, slots=True)
class SnapshotQuery(ListQuery):
    """View of a snapshot, its comparison, and the list that it is paged through."""

    view: str = parameter("view", choices=VIEWS)
    versus: str = parameter("vs")
    everything: bool = parameter("all", default=False, read=bool)
    kind: str = parameter("kind", choices=KINDS)
    agent: str = parameter("agent")
    topic: str = parameter("topic", length=300)


@dataclass(frozen=True, slots=True)
class SnapshotListQuery(ListQuery):
    """Filters and page of the list of snapshots."""

    agent: str = parameter("agent", in_form=True)
    topic: str = parameter("topic", in_form=True, length=300)
    page: int = number("page", default=1, digits=5)


@require_GET
def snapshot_list(request: HttpRequest, slug: str) -> HttpResponse:
    """List the snapshots in the files of a workspace, newest first."""
    workspace = workspace_or_404(slug)
    query = SnapshotListQuery.of(request, known=names_known(workspace))
    page = query.page or 1
    rows = newest_snapshots(workspace, agent=query.agent, topic=query.topic)
    found = list(rows[(page - 1) * PAGE_SIZE : page * PAGE_SIZE + 1])
    everyone = newest_snapshots(workspace).order_by()
    agents = Agent.objects.filter(pk__in=everyone.values("agent")).order_by("name")
    topics = Topic.objects.filter(pk__in=everyone.values("topic")).order_by("name")
    shell = shell_of(workspace, [(gettext("Snapshots"), request.path)])
    context = {
        "shell": shell,
        "page": "snapshots",
        "title": gettext("Snapshots"),
        "query": query,
        "agents": [(name, name) for name in agents.values_list("name", flat=True)],
        "topics": topics.values_list("slug", "name"),
        "rows": [_row(row, shell) for row in found[:PAGE_SIZE]],
        "more": query.address(page=page + 1) if len(found) > PAGE_SIZE else "",
    }
    return render(request, "snapshots/snapshot_list.html", context)


def _row(row: Snapshot, shell: Shell) -> dict[str, object]:
    """Return a row of the list of snapshots."""
    step = row.next_step.strip().partition("\n")[0][:300]
    facts = [
        row.agent.name if row.agent else "",
        row.topic.name if row.topic else "",
        row.phase,
        gettext("blocked") if row.blocked else "",
    ]
    return {
        "url": shell.addresses.snapshot(row.code),
        "title": row.goal.strip().partition("\n")[0][:300]
        or row.snapshot_id
        or row.code,
        "icon": "snapshot",
        "id": row.snapshot_id,
        "facts": list(filter(None, facts)),
        "note": gettext("Next: %(step)s") % {"step": step} if step else "",
        "when": shell.clock.stated(row.occurred_at, row.precision),
        "iso": shell.clock.local(row.occurred_at).isoformat(timespec="seconds"),
    }


@require_GET
def snapshot(request: HtmxRequest, slug: str, code: str) -> HttpResponse:
    """Show a snapshot: diff, sections, recall or raw block."""
    workspace = workspace_or_404(slug)
    found = snapshots_named(workspace, code)
    if len(found) != 1:
        return _choose_snapshot(request, workspace, code, found)
    (shown,) = found
    if shown.code != code:
        return redirect_with_query(request, addresses_of(slug).snapshot(shown.code))
    topic = shown.topic.slug if shown.topic else ""
    shell = shell_of(workspace, _crumbs(shown, slug), topic=topic)
    query = SnapshotQuery.of(request, known=_known(workspace))
    panel = Panel(workspace, shown, shell, _look(request, workspace, query))
    title = gettext("Snapshot %(id)s") % {"id": shown.snapshot_id or shown.code}
    context = {
        "shell": shell,
        "page": "topics",
        "title": title,
        "query": query,
        "panel": panel,
        "alone": True,
        "comments": row_panel(
            workspace,
            Thread.Kind.SNAPSHOT,
            shown.code,
            shown.file.path,
            shell,
            shown.sections.values_list("title", flat=True),
        ),
    }
    return page_or_partial(
        request, "snapshots/snapshot_detail.html", "snapshots/_panel.html", context
    )


def _known(workspace: Workspace) -> dict[str, Callable[[str], object]]:
    """Return the tests of values that name rows: topic, agent, another snapshot."""
    return names_known(workspace) | {
        "versus": lambda name: (
            name in (LAST, PREVIOUS) or snapshots_named(workspace, name)
        )
    }


def _look(request: HttpRequest, workspace: Workspace, query: SnapshotQuery) -> Look:
    return Look(
        view=query.view,
        versus=query.versus,
        everything=query.everything,
        person=person_of(request),
        seen=visited(request, workspace).position,
        scope=Scope(query.kind, query.agent, query.topic),
    )


@require_POST
def review(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Mark a section's text as reviewed, or remove the mark."""
    workspace = workspace_or_404(slug)
    found = snapshots_named(workspace, code)
    if len(found) != 1:
        raise Http404
    wanted = request.POST.get("title", ""), request.POST.get("sha", "")
    sections = found[0].sections.values_list("title", "body_sha")
    if wanted not in {(_title(title, wanted[0]), sha) for title, sha in sections}:
        raise Http404
    change = clear_reviewed if request.POST.get("clear") else mark_reviewed
    change(person_of(request), workspace, wanted)
    return SeeOther(back_to(request, addresses_of(slug).snapshot(code)))


def _title(title: str, wanted: str) -> str:
    """Return the displayed title of a section: repeated ones have a number."""
    return wanted if wanted.startswith(f"{title} (") else title


def _crumbs(shown: Snapshot, slug: str) -> list[Crumb]:
    addresses = addresses_of(slug)
    crumbs = [(gettext("Topics"), addresses.topics)]
    if shown.topic:
        crumbs.append((shown.topic.name, addresses.topic(shown.topic.slug)))
    return [*crumbs, (shown.snapshot_id or shown.code, "")]


@require_GET
def snapshot_text(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Return the bytes of a snapshot's block, from its last version if it is gone."""
    workspace = workspace_or_404(slug)
    ListQuery.of_text(request)
    found = snapshots_named(workspace, code)
    if len(found) != 1:
        raise Http404
    return markdown_response(block_bytes(workspace, found[0]))


@require_GET
def memory_list(request: HttpRequest, slug: str) -> HttpResponse:
    """List the session memories of a workspace."""
    workspace = workspace_or_404(slug)
    query = MemoryQuery.of(request)
    page = query.page or 1
    found = memories_of(workspace, text=query.text, page=page)
    shell = shell_of(workspace, [(gettext("Session memories"), request.path)])
    context = {
        "shell": shell,
        "page": "memories",
        "title": gettext("Session memories"),
        "query": query,
        "rows": [memory_row(row, shell) for row in found[:PAGE_SIZE]],
        "more": query.address(page=page + 1) if len(found) > PAGE_SIZE else "",
    }
    return render(request, "snapshots/memory_list.html", context)


@require_GET
def memory(request: HttpRequest, slug: str, address: str) -> HttpResponse:
    """Show a session memory with all its fields."""
    workspace = workspace_or_404(slug)
    found = memories_named(workspace, address)
    if len(found) != 1:
        return _choose_memory(request, workspace, address, found)
    (shown,) = found
    topic = shown.topic.slug if shown.topic else ""
    shell = shell_of(
        workspace,
        [
            (gettext("Session memories"), addresses_of(slug).memories),
            (address_of(shown), ""),
        ],
        topic=topic,
    )
    name = shown.memory_id
    if name and address != name and len(memories_named(workspace, name)) == 1:
        return redirect_with_query(request, memory_url(shell, shown))
    title = gettext("Session memory %(id)s") % {"id": address_of(shown)}
    context = {
        "shell": shell,
        "page": "memories",
        "title": title,
        "memory": MemoryPage(shown, memory_text(workspace, shown), shell),
    }
    return render(request, "snapshots/memory_detail.html", context)


@require_GET
def memory_markdown(request: HttpRequest, slug: str, address: str) -> HttpResponse:
    """Return the bytes of a session memory's file."""
    workspace = workspace_or_404(slug)
    ListQuery.of_text(request)
    found = memories_named(workspace, address)
    if len(found) != 1:
        raise Http404
    return markdown_response(memory_bytes(workspace, found[0]))


def _choose_snapshot(
    request: HttpRequest, workspace: Workspace, name: str, found: list[Snapshot]
) -> HttpResponse:
    shell = shell_of(workspace, [(name, "")])
    choices = (
        Choice(
            shell.addresses.snapshot(row.code),
            row.goal or name,
            f"{row.file.path}:{row.first_line}",
            shell.clock.stated(row.occurred_at, row.precision),
        )
        for row in found
    )
    return choose(request, shell, "topics", name, choices)


def _choose_memory(
    request: HttpRequest, workspace: Workspace, name: str, found: list[SessionMemory]
) -> HttpResponse:
    shell = shell_of(workspace, [(name, "")])
    choices = (
        Choice(
            f"{shell.addresses.memories}{row.code}/",
            row.objective or name,
            row.file.path,
            shell.clock.stated(row.occurred_at, row.precision),
        )
        for row in found
    )
    return choose(request, shell, "memories", name, choices)
