"""Presenter of a session memory: all fourteen fields, the plan verbatim."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext

from memoryhub.formats.ccw import session_compact
from memoryhub.formats.ccw.session_compact import (
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
from memoryhub.formats.ccw.session_memory import export_command, recovery_banner
from memoryhub.formats.text.list_items import without_checkbox
from memoryhub.values import tokens
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.listing import ListQuery, number, parameter
from snapshots.models import SessionMemory


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
