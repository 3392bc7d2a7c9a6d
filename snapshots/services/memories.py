"""Session memories stored like ccw's core memory: one file each, named by id.

Concurrent ones, also of two processes, never get the same id: if the file exists
already, the next second is tried.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from memoryhub.dialects.session_compact.session_memory import (
    MemoryRecord,
    iso_milliseconds,
    memory_id_for,
    render_memory_file,
)
from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Operation, Workspace
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import (
    Conflict,
    Edit,
    attempt_key,
    was_tried,
)
from memoryhub.sync.files import Who
from snapshots.exporters import memories_with_ids, memory_record, memory_records
from snapshots.models import SessionMemory

#: Ids that files can be named after, and rows found by.
_ID = re.compile(
    r"(?:[A-Za-z0-9._-]{1,30}-)?CMEM-[0-9]{8}-[0-9]{6}[A-Za-z0-9._-]{0,10}"
)


@dataclass(slots=True)
class BundleImport:
    """The outcome of a bundle's memories, by id; with reasons for failed ones."""

    imported: list[str] = field(default_factory=list)
    overwritten: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)


def import_memory(
    workspace: Workspace, record: MemoryRecord, who: Who, now: datetime
) -> Operation:
    """Store a memory under a new id; the record's own id and times are ignored.

    `now` is in the workspace's zone. The id is the name of the operation's file.

    Raises:
        FormatError: the text has characters that no file can hold.
        FileError: the file cannot be written.
    """
    known = SessionMemory.objects.filter(workspace=workspace).exclude(memory_id="")
    taken = set(known.values_list("memory_id", flat=True))
    key = attempt_key(workspace, who.key)
    while True:
        memory_id = memory_id_for(now, taken)
        made = _dated(replace(record, memory_id=memory_id), now)
        try:
            path = _path(workspace, memory_id)
            return _store(workspace, path, made, Who(who.actor, key))
        except Conflict:
            taken.add(memory_id)


def memory_id_of(operation: Operation) -> str:
    """Return the id of the memory created by an operation."""
    return operation.target.rpartition("/")[2].removesuffix(".md")


def memory_named(workspace: Workspace, memory_id: str) -> MemoryRecord | None:
    """Return the memory of an id, of several the first."""
    found = (p for p in memories_with_ids(workspace) if p[1] == memory_id)
    return next((memory_record(*pair) for pair in found), None)


def newest_memories(
    workspace: Workspace, tags: Collection[str] = ()
) -> list[MemoryRecord]:
    """Return the memories with all of these tags, the last updated first."""
    wanted = set(tags)
    found = [r for r in memory_records(workspace) if wanted <= set(r.tags)]
    return sorted(found, key=lambda record: record.updated_at, reverse=True)


def import_bundle(
    workspace: Workspace,
    memories: Iterable[MemoryRecord],
    *,
    overwrite: bool,
    who: Who,
    now: datetime,
) -> BundleImport:
    """Store the memories of a bundle under their own ids, as ccw does.

    Their times are that of the import, and none is archived. A memory whose id exists
    is skipped, or overwritten on request.
    """
    done = BundleImport()
    alive = SessionMemory.objects.filter(workspace=workspace, last_seq__isnull=True)
    places = dict(alive.values_list("memory_id", "file__path"))
    for memory in memories:
        memory_id = memory.memory_id
        asker = Who(who.actor, attempt_key(workspace, f"{who.key}-{memory_id}"[:100]))
        if not _ID.fullmatch(memory_id):
            done.failed[memory_id[:100]] = "not an id of a memory"
        elif (
            memory_id in places
            and not overwrite
            and not was_tried(workspace, asker.key)
        ):
            done.skipped.append(memory_id)
        else:
            _keep(workspace, _dated(memory, now), places, asker, done)
    return done


def _keep(
    workspace: Workspace,
    memory: MemoryRecord,
    places: dict[str, str],
    who: Who,
    done: BundleImport,
) -> None:
    """Write a memory over the one with its id, or as a new file."""
    memory_id = memory.memory_id
    verb = "replace_file" if memory_id in places else "place_file"
    path = places.setdefault(memory_id, _path(workspace, memory_id))
    try:
        operation = _store(workspace, path, memory, who, verb)
    except Conflict:
        done.skipped.append(memory_id)
    except (FormatError, FileError) as error:
        done.failed[memory_id] = str(error)
    else:
        is_new = operation.verb == "place_file"
        (done.imported if is_new else done.overwritten).append(memory_id)


def _dated(record: MemoryRecord, now: datetime) -> MemoryRecord:
    at = iso_milliseconds(now)
    return replace(record, created_at=at, updated_at=at, archived=False)


def _path(workspace: Workspace, memory_id: str) -> str:
    return f"{workspace.memory_folder}/sessions/{memory_id}.md"


def _store(
    workspace: Workspace,
    path: str,
    record: MemoryRecord,
    who: Who,
    verb: str = "place_file",
) -> Operation:
    payload = {"text": render_memory_file(record)}
    base = "" if verb == "place_file" else None
    edit = Edit(path, verb, payload, who.actor, base=base, key=who.key)
    return apply_edit(workspace, edit)
