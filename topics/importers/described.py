"""A topic's name, status and history, from its own file."""

from __future__ import annotations

import re
from pathlib import PurePath, PurePosixPath
from typing import Any, NamedTuple

from memoryhub.formats.base import NOWHERE, Lines
from memoryhub.formats.openclaw.memory_files import in_memory_folder
from memoryhub.formats.openclaw.wiki_page import WikiPage
from memoryhub.formats.others.auto_memory import AutoMemory
from memoryhub.formats.others.basic_memory import BasicNote
from memoryhub.formats.others.exec_plan import ExecPlan
from memoryhub.formats.others.file_days import named_day
from memoryhub.formats.others.memory_bank import MemoryBankFile
from memoryhub.formats.others.plain import Plain
from memoryhub.formats.others.spec_kit import SpecFile
from memoryhub.formats.snap_memory import topic_context
from memoryhub.formats.snap_memory.topic_context import TopicContext
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.dates import parse_date
from memoryhub.formats.text.days import is_period
from memoryhub.formats.text.list_items import Item
from memoryhub.formats.text.topic_names import in_topic_folder, is_general, spelled
from memoryhub.journal.changes import Change
from topics.models import Topic

#: Files of a memory bank that describe its topic, by their role.
OF_TOPICS = frozenset({"activeContext", "progress"})
#: Types of facts about a person or how they want work done: no topics.
_ABOUT_PEOPLE = frozenset({"user", "feedback"})
#: Notes about a folder or for a host, or lists of work.
_NO_TOPICS = frozenset(
    {"readme", "index", "heartbeat", "tasks", "todo", "todos"}
    | {"template", "changelog", "license", "skill"}
)
_FACT_PREFIX = re.compile(r"(?:project|reference)[-_ ]")


class Described(NamedTuple):
    """A topic as currently described by one file."""

    kind: str
    name: str
    key: str
    title: str
    status: str
    status_lines: Lines
    facts: dict[str, Any]
    history: tuple[Item, ...] = ()


def describe(change: Change) -> Described | None:
    """Return the topic a revision describes, if any."""
    path = change.place
    match change.document:
        case TopicContext() as document:
            meta = {item.key: item.value for item in document.meta}
            name = topic_context.topic_of(path) or document.title or path.stem
            return Described(
                Topic.Kind.CONTEXT.value,
                name,
                name,
                document.title,
                document.stated_status,
                document.status_lines or NOWHERE,
                {
                    "created_on": parse_date(meta.get("created", "")),
                    "updated_on": parse_date(meta.get("updated", "")),
                    "session_key": meta.get("session", ""),
                },
                document.history,
            )
        case AutoMemory() as document if document.type not in _ABOUT_PEOPLE:
            return _of_fact(change, path, document)
        case MemoryBankFile() | SpecFile() as document:
            return _of_folder(change, path, document)
        case BasicNote() | WikiPage() | ExecPlan() as page:
            return _of_page(change, path, page)
        case Plain() as document if _is_note(path):
            return _of_note(change, path, document)
    return None


def _is_note(path: PurePosixPath) -> bool:
    """True for undated Markdown in a folder of memory or topics: a topic of its own."""
    if path.suffix.lower() != ".md" or named_day(path) or is_period(path.stem):
        return False
    if path.name.startswith("topic-") or in_memory_folder(path):
        return path.stem.casefold() not in _NO_TOPICS
    return in_topic_folder(path.parts[:-1]) and _name_of_note(path, "") != ""


def _name_of_note(path: PurePosixPath, title: str) -> str:
    """Return the topic of a note: its file's name, else that of its folder.

    A note with a general name, such as ``status``, is about its folder.
    """
    stem = path.stem.removeprefix("topic-")
    if not is_general(stem):
        return spelled(stem, title)
    folder = path.parent.name
    is_named = in_topic_folder(path.parts[:-2]) and not is_general(folder)
    return folder if is_named else ""


def _of_note(change: Change, path: PurePosixPath, document: Plain) -> Described:
    name = _name_of_note(path, document.title) or path.stem.removeprefix("topic-")
    return Described(
        Topic.Kind.NOTE.value,
        name,
        change.origin,
        document.title,
        document.first_paragraph,
        document.paragraph_lines or NOWHERE,
        _no_facts(),
    )


def _of_page(
    change: Change, path: PurePosixPath, page: BasicNote | WikiPage | ExecPlan
) -> Described:
    name = frontmatter.split(change.text).get("title").strip() or path.stem
    history = page.history if isinstance(page, WikiPage) else ()
    return Described(
        Topic.Kind.NOTE.value,
        name,
        change.origin,
        page.title or name,
        page.status,
        page.status_lines or NOWHERE,
        _no_facts(),
        history,
    )


def _of_fact(change: Change, path: PurePosixPath, document: AutoMemory) -> Described:
    is_prefixed = _FACT_PREFIX.match(path.stem)
    name = path.stem if is_prefixed else document.name or path.stem
    return Described(
        Topic.Kind.FACT.value,
        _FACT_PREFIX.sub("", name, count=1).replace("_", "-"),
        change.origin,
        document.name or path.stem,
        document.description or document.body.strip(),
        document.description_lines or NOWHERE,
        _no_facts(),
    )


def _of_folder(
    change: Change, path: PurePosixPath, document: MemoryBankFile | SpecFile
) -> Described | None:
    """Return the topic that a folder is, as one of its files describes it."""
    if isinstance(document, SpecFile):
        return Described(
            Topic.Kind.BANK.value,
            path.parent.name,
            str(path.parent),
            document.title,
            document.status,
            document.status_lines or NOWHERE,
            _no_facts(),
        )
    folder = str(path.parent)
    project = path.parent.parent.name or _folder_around(change)
    name = project or path.parent.name
    if document.role not in OF_TOPICS:
        return None
    is_status = document.role == "activeContext"
    return Described(
        Topic.Kind.BANK.value,
        name,
        folder,
        name,
        document.status if is_status else "",
        (document.status_lines or NOWHERE) if is_status else NOWHERE,
        _no_facts(),
        () if is_status else document.history,
    )


def _folder_around(change: Change) -> str:
    """Return the project of a bank that is the workspace, or lies at its top."""
    root = PurePath(change.workspace.root)
    return root.parent.name if change.place != change.pure_path else root.name


def _no_facts() -> dict[str, Any]:
    return {"created_on": None, "updated_on": None, "session_key": ""}
