"""Importer of topics and their histories, from topic files and other sources."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath, PurePosixPath
from typing import Any, NamedTuple

from memoryhub.dialects import memory_bank, spec_kit, topic_context
from memoryhub.dialects.auto_memory import AutoMemory
from memoryhub.dialects.basic_memory import BasicNote
from memoryhub.dialects.exec_plan import ExecPlan
from memoryhub.dialects.file_days import named_day
from memoryhub.dialects.memory_bank import MemoryBankFile
from memoryhub.dialects.plain import Plain
from memoryhub.dialects.spec_kit import SpecFile
from memoryhub.dialects.topic_context import TopicContext
from memoryhub.dialects.topic_context.topic_history import auto_saved_of, compaction_of
from memoryhub.dialects.wiki_page import WikiPage
from memoryhub.events.importers import Happening, add_event
from memoryhub.formats.base import NOWHERE, Lines
from memoryhub.formats.openclaw.memory_files import in_memory_folder
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.alignment import key_of
from memoryhub.formats.text.dates import parse_date, split_dated
from memoryhub.formats.text.days import is_period
from memoryhub.formats.text.list_items import Item
from memoryhub.formats.text.topic_names import in_topic_folder, is_general, spelled
from memoryhub.journal.changes import Change, WorkspaceFacts
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.lifetimes import Fact, Folded, fold_aligned
from memoryhub.journal.models import Revision
from memoryhub.journal.rows import Entities, Row, Rows
from memoryhub.values.identity import code_of
from topics.models import HistoryEntry, Topic

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


#: What a file tells of its topic, if nothing but its name and status.
NO_FACTS: Mapping[str, Any] = {
    "created_on": None,
    "updated_on": None,
    "session_key": "",
}


class Described(NamedTuple):
    """A topic as currently described by one file."""

    kind: str
    name: str
    key: str
    title: str
    status: str
    status_lines: Lines
    facts: Mapping[str, Any] = NO_FACTS
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
        history=history,
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
        history=() if is_status else document.history,
    )


def _folder_around(change: Change) -> str:
    """Return the project of a bank that is the workspace, or lies at its top."""
    root = PurePath(change.workspace.root)
    return root.parent.name if change.place != change.pure_path else root.name


_UNSAFE = re.compile(r"[^\w.-]+")
_STATUS_SIZE = 20_000
#: Dialects of which several files of a folder describe one topic.
_OF_FOLDERS = frozenset({memory_bank.NAME, spec_kit.NAME})


class TopicImporter:
    """Maintains the topics of a workspace and the lines of their histories."""

    def __init__(self, workspace: WorkspaceFacts, *, empty: bool) -> None:
        self._entities = Entities(Topic, workspace.id, empty=empty)
        filed = [
            row for row in self._entities.load_all() if row["kind"] != Topic.Kind.NAMED
        ]
        self._by_file = {
            row["file_id"]: row["id"] for row in filed if row["last_seq"] is None
        }
        #: Topics whose names give one slug, by it.
        self._sharing: dict[str, set[int]] = {}
        for row in filed:
            self._sharing.setdefault(slug_of(row["name"]), set()).add(row["id"])

    def take(self, change: Change) -> Folded:
        """Read the topic that a revision describes; return its history lines' rows."""
        described = describe(change)
        before = self._before(change)
        row_id = self._row_id(change, described) if described else None
        if before is not None and before != row_id:
            self._close(change, before)
        if described is None or row_id is None:
            return self._fold_history(change, None, ())
        self._by_file[change.file_id] = row_id
        self._write(change, row_id, described)
        is_new_name = before is not None and before != row_id
        if before and is_new_name and change.kind == Revision.Kind.MOVED:
            change.renamed = before, row_id
            lines = HistoryEntry.objects.filter(file_id=change.file_id)
            lines.update(topic_id=row_id)
        return self._fold_history(change, row_id, described.history)

    def _before(self, change: Change) -> int | None:
        """Return the topic that a file described before this revision, if any.

        The topic of a folder names one of its files, so that of the others is derived
        from its path: in memory and after a restart it is the same.
        """
        known = self._by_file.get(change.file_id)
        if known is not None or change.previous_format not in _OF_FOLDERS:
            return known
        path = change.previous_place
        is_part = (
            change.previous_format == spec_kit.NAME
            or memory_bank.role_of(path) in OF_TOPICS
        )
        return change.row_id(Topic, str(path.parent)) if is_part else None

    def of_change(self, change: Change) -> int | None:
        """Return the topic of a file; that of its folder for other files of a bank."""
        row_id = self._by_file.get(change.file_id)
        if row_id is not None or not isinstance(change.document, MemoryBankFile):
            return row_id
        folder_id = change.row_id(Topic, str(change.place.parent))
        row = self._entities.get(folder_id)
        return folder_id if row and row["last_seq"] is None else None

    def flush(self, rows: Rows) -> None:
        """Write the changed topics to the rows."""
        self._entities.flush(rows)

    def _row_id(self, change: Change, described: Described) -> int:
        """Return the topic's id; a second file of one name is a topic of its own."""
        row_id = change.row_id(Topic, described.key)
        row = self._entities.get(row_id)
        if row and row["last_seq"] is None and row["file_id"] != change.file_id:
            if described.kind == Topic.Kind.BANK:
                return row_id
            return change.row_id(Topic, change.origin)
        return row_id

    def _close(self, change: Change, row_id: int) -> None:
        row = self._entities.get(row_id)
        self._by_file.pop(change.file_id, None)
        if row is None or row["file_id"] != change.file_id:
            return
        self._share(self._entities.put(row_id, last_seq=change.seq)["name"])
        self._add_event(change, row_id, "removed")

    def _write(self, change: Change, row_id: int, described: Described) -> None:
        before = self._entities.get(row_id)
        owner = before is None or before["last_seq"] is not None
        if not owner and before and before["file_id"] != change.file_id:
            # Of a memory bank's two files, the one with the status describes it.
            speaks_for_it = described.status and not before["status"]
            if not speaks_for_it:
                return
        row = {
            "name": described.name[:300],
            "kind": described.kind,
            "file_id": change.file_id,
            "title": described.title[:300],
            "status": described.status[:_STATUS_SIZE],
            "status_first_line": described.status_lines.first,
            "status_last_line": described.status_lines.last,
            "last_seq": None,
            **described.facts,
        }
        changed = before is None or before["status"] != row["status"]
        row["first_seq"] = before["first_seq"] if before else change.seq
        row["status_seq"] = (
            change.seq if changed or not before else before["status_seq"]
        )
        before_name = before["name"] if before else row["name"]
        row["slug"] = before["slug"] if before else ""
        self._entities.put(row_id, **row)
        self._sharing.setdefault(slug_of(row["name"]), set()).add(row_id)
        for name in dict.fromkeys((before_name, row["name"])):
            self._share(name)
        if owner:
            self._add_event(change, row_id, "added")
        elif changed and not (
            change.actor and topic_context.topic_of(change.pure_path)
        ):
            # What was edited here is told with its topic, which the file's name says.
            self._add_event(change, row_id, "status")

    def _share(self, name: str) -> None:
        """Give a slug to one of the topics whose names give it, their codes to others.

        It is the only one there is now, or that is called exactly so; else none.
        """
        slug = slug_of(name)
        rows = [self._entities.get(row_id) for row_id in self._sharing[slug]]
        sharing = [row for row in rows if row and slug_of(row["name"]) == slug]
        alive = [row for row in sharing if row["last_seq"] is None] or sharing
        wanted = [row for row in alive if row["name"] == slug] or alive
        for row in sharing:
            alone = wanted == [row]
            self._entities.put(row["id"], slug=slug if alone else code_of(row["id"]))

    def _add_event(self, change: Change, row_id: int, verb: str) -> None:
        row = self._entities.get(row_id)
        assert row is not None
        happening = Happening(
            "topic",
            verb,
            row["name"],
            row_id,
            row["status"],
            topic_id=row_id,
            line=row["status_first_line"],
            **_time_of(change, row, verb),
        )
        add_event(change, happening)

    def _fold_history(
        self, change: Change, topic_id: int | None, items: tuple[Item, ...]
    ) -> Folded:
        if topic_id is None and not change.previous_format:
            return Folded([], [])
        facts = [_history_line(change, topic_id, item) for item in items]
        folded = fold_aligned(HistoryEntry, change, facts)
        for matched in folded.matched:
            if matched.verb == "added" and not compaction_of(
                matched.fact.values["text"]
            ):
                _add_history_event(change, matched.row_id, matched.fact)
        return folded


def slug_of(name: str) -> str:
    """Return a topic's name in its form for URLs; not unique."""
    return _UNSAFE.sub("-", name).strip("-.") or "topic"


def _history_line(change: Change, topic_id: int | None, item: Item) -> Fact:
    day, text = split_dated(item.text)
    values = {
        "topic_id": topic_id,
        "text": text,
        "occurred_at": change.start_of(day) if day else change.changed_at,
        "precision": (Precision.DAY if day else Precision.NONE).value,
    }
    return Fact(key_of(item.text, str(day)), item.lines, values)


def _add_history_event(change: Change, row_id: int, fact: Fact) -> None:
    values = fact.values
    saved = auto_saved_of(values["text"])
    happening = Happening(
        "history",
        "saved" if saved else "said",
        values["text"],
        row_id,
        at=values["occurred_at"],
        precision=values["precision"],
        topic_id=values["topic_id"],
        line=fact.lines.first,
        data={"messages": saved.messages, "before": saved.before} if saved else None,
    )
    add_event(change, happening)


def _time_of(change: Change, row: Row, verb: str) -> dict[str, Any]:
    day = row["created_on"] if verb == "added" else None
    if day is None:
        return {}
    return {"at": change.start_of(day), "precision": Precision.DAY.value}
