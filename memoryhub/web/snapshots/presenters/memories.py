"""Presenter of a session memory: all fourteen fields, the plan verbatim."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.utils.translation import gettext

from memoryhub.formats.ccw import session_compact
from memoryhub.formats.ccw.session_analysis import (
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
)
from memoryhub.formats.ccw.session_compact import SessionCompact
from memoryhub.formats.ccw.session_memory import recovery_banner
from memoryhub.formats.text.list_items import without_checkbox
from memoryhub.values import tokens
from memoryhub.web.kit.frame import Shell
from snapshots.models import SessionMemory


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


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """Template values of a memory's page."""

    memory: SessionMemory
    fields: tuple[ShownField, ...]
    preamble: str
    banner: str
    tokens: int
    when: str
    iso: str
    updated: str
    url: str
    text_url: str
    file_url: str
    topic_url: str
    assign_url: str
    recall_command: str


def address_of(memory: SessionMemory) -> str:
    """Return the id of a memory in addresses, else its code."""
    return memory.memory_id or memory.code


def memory_url(shell: Shell, memory: SessionMemory) -> str:
    """Return the page of a memory."""
    return f"{shell.addresses.memories}{address_of(memory)}/"


def memory_page(memory: SessionMemory, text: str, shell: Shell) -> MemoryPage:
    """Return the page of a memory from the text of its file."""
    document = session_compact.parse(text)
    addresses, clock = shell.addresses, shell.clock
    rev = memory.newest_seq
    local = clock.local(memory.occurred_at)
    url = memory_url(shell, memory)
    return MemoryPage(
        memory=memory,
        fields=tuple(_fields(document, memory, shell, rev)),
        preamble=document.preamble.strip(),
        banner=recovery_banner(memory.memory_id) if memory.memory_id else "",
        tokens=tokens.shown(document.content),
        when=clock.stated(memory.occurred_at, memory.precision),
        iso=local.isoformat(timespec="seconds"),
        updated=clock.date_label(document.updated.date()) if document.updated else "",
        url=url,
        text_url=f"{url.removesuffix('/')}.md",
        file_url=addresses.file(memory.file.path, line=memory.first_line, rev=rev),
        topic_url=addresses.topic(memory.topic.slug) if memory.topic else "",
        assign_url=addresses.assign("memory", memory.code, url),
        recall_command=f"ccw core-memory export --id {memory.memory_id}"
        if memory.memory_id
        else "",
    )


def _fields(
    document: SessionCompact, memory: SessionMemory, shell: Shell, rev: int | None
) -> Iterator[ShownField]:
    items = _items(document)
    for number, title in enumerate(TITLES, 1):
        section = document.section(title)
        if section is None:
            yield ShownField(number, title, missing=True)
            continue
        line = section.lines.first
        url = shell.addresses.file(memory.file.path, line=line, rev=rev)
        if title == PLAN:
            plan = document.analysis.plan
            lines = len(plan.split("\n")) if plan else 0
            source = document.analysis.plan_source
            yield ShownField(number, title, False, source, (), plan, lines, url)
        elif title in items:
            yield ShownField(number, title, False, "", items[title], line_url=url)
        else:
            yield ShownField(number, title, False, _text(document, title), line_url=url)


def _text(document: SessionCompact, title: str) -> str:
    section = document.section(title)
    body = section.body.strip() if section else ""
    return "" if body == "(none)" else body


def _items(document: SessionCompact) -> dict[str, tuple[ShownItem, ...]]:
    lists: dict[str, Iterable[ShownItem]] = {
        title: (
            ShownItem(file.path, file.purpose, code=True)
            for file in (
                document.working_files
                if title == WORKING_FILES
                else document.reference_files
            )
        )
        for title in (WORKING_FILES, REFERENCE_FILES)
    }
    lists[DECISIONS] = (
        ShownItem(choice.text, choice.reason) for choice in document.decisions
    )
    for title in (CONSTRAINTS, DEPENDENCIES, KNOWN_ISSUES, CHANGES_MADE, PENDING):
        lists[title] = [_boxed(item.text) for item in document.items[title]]
    return {title: tuple(found) for title, found in lists.items()}


def _boxed(text: str) -> ShownItem:
    mark, rest = without_checkbox(text)
    return ShownItem(rest, mark="" if mark in {"", " "} else mark)


def memory_row(memory: SessionMemory, shell: Shell) -> dict[str, object]:
    """Return a row of the list of memories."""
    pending = ""
    if memory.pending:
        pending = gettext("%(n)s pending") % {"n": memory.pending}
    return {
        "url": memory_url(shell, memory),
        "title": memory.objective or memory.summary or memory.memory_id,
        "id": memory.memory_id,
        "agent": memory.agent.name if memory.agent else "",
        "topic": memory.topic.name if memory.topic else "",
        "last_action": memory.last_action.strip().partition("\n")[0][:300],
        "pending": pending,
        "gone": memory.last_seq is not None,
        "archived": memory.archived,
        "when": shell.clock.stated(memory.occurred_at, memory.precision),
        "iso": shell.clock.local(memory.occurred_at).isoformat(timespec="seconds"),
    }
