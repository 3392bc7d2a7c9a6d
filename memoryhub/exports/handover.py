"""Exports that let an agent elsewhere continue, in the dialect it reads.

Each record is translated as by the tool `translate`; records that share a file follow
one another in it. The result is copied, downloaded or written into another workspace,
there as operations.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar
from zoneinfo import ZoneInfo

from memoryhub.dialects import topic_context
from memoryhub.exports.canonical import safe_name
from memoryhub.exports.handover_forms import WRITERS, Draft, Left, Text
from memoryhub.exports.record_texts import SnapshotIds, source_records
from memoryhub.journal.grades import declared
from memoryhub.journal.masking import masked_for_agents
from memoryhub.journal.models import DerivedModel, Operation, Workspace
from memoryhub.recall.request import RecallRequest
from memoryhub.recall.topic import recall_of
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.edit.writing import look, place_of, presence_in
from snapshots.models import SessionMemory, Snapshot
from topics.models import Decision, Topic

Row = TypeVar("Row", bound=DerivedModel)
FORMS = (*WRITERS, "recall")
#: Limit of records of each kind in one export.
MOST = 50
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)
#: Limit of alternative names tried for a file whose own name is taken.
_NAMES = 100


@dataclass(frozen=True, slots=True)
class Picked:
    """The ids of the selected records."""

    topics: tuple[int, ...] = ()
    snapshots: tuple[int, ...] = ()
    decisions: tuple[int, ...] = ()
    memories: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return any((self.topics, self.snapshots, self.decisions, self.memories))


@dataclass(frozen=True, slots=True)
class Handover:
    """Files of one form, and the losses."""

    form: str
    files: tuple[Text, ...]
    left: tuple[Left, ...]

    @property
    def text(self) -> str:
        """All files as one text."""
        return "\n".join(file.text for file in self.files)

    @property
    def tokens(self) -> int:
        return sum(file.tokens for file in self.files)

    def zipped(self) -> bytes:
        """Return the files as a zip; the same files give the same bytes."""
        held = io.BytesIO()
        with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in self.files:
                info = zipfile.ZipInfo(file.path, _ZIP_DATE)
                info.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(info, file.text.encode("utf-8", "replace"))
        return held.getvalue()


def compose(
    workspace: Workspace,
    picked: Picked,
    form: str,
    *,
    now: datetime,
    target: Workspace | None = None,
) -> Handover:
    """Return the selected records as files of a form, and the losses.

    New snapshots get ids that are free in the workspace, and in the target too.
    """
    local = now.astimezone(ZoneInfo(workspace.time_zone))
    # To the minute, so that the download equals the text shown on the page.
    draft = Draft(local.replace(second=0, microsecond=0))
    joined = ("workspace", "topic", "file__blob")
    given = source_records(
        workspace,
        [
            *_rows(Topic, workspace, picked.topics, "workspace", "file__blob"),
            *_rows(Snapshot, workspace, picked.snapshots, *joined),
            *_rows(Decision, workspace, picked.decisions, "workspace", "topic"),
            *_rows(SessionMemory, workspace, picked.memories, *joined),
        ],
    )
    if form == "recall":
        _as_recall(workspace, picked, draft, now)
        for one in given:
            if one.kind != "topic":
                draft.left.append(Left(one.kind, one.name, "no-recall"))
    else:
        there = _snapshot_ids(target) if target else ()
        draft.ids = SnapshotIds(_snapshot_ids(workspace), there)
        WRITERS[form](draft, given)
    files = [
        replace(file, text=masked_for_agents(workspace, file.text))
        for file in _named(draft.texts)
    ]
    return Handover(form, tuple(files), tuple(draft.left))


def _snapshot_ids(workspace: Workspace) -> Iterable[str]:
    rows = Snapshot.objects.filter(workspace=workspace)
    return rows.values_list("snapshot_id", flat=True).distinct()


def _rows(
    model: type[Row], workspace: Workspace, ids: Sequence[int], *related: str
) -> list[Row]:
    rows = declared(model).filter(workspace=workspace, pk__in=ids[:MOST])
    found = {row.pk: row for row in rows.select_related(*related)}
    return [found[row_id] for row_id in dict.fromkeys(ids) if row_id in found]


def _named(texts: list[Text]) -> tuple[Text, ...]:
    """Return files with unique names that are valid on every file system."""
    taken: set[str] = set()
    found = []
    for text in texts:
        folder, slash, name = text.path.rpartition("/")
        stem, dot, suffix = safe_name(name).rpartition(".")
        path, number = f"{folder}{slash}{stem}{dot}{suffix}", 1
        while path.casefold() in taken:
            number += 1
            path = f"{folder}{slash}{stem}-{number}{dot}{suffix}"
        taken.add(path.casefold())
        found.append(Text(path, text.text))
    return tuple(found)


def _as_recall(
    workspace: Workspace, picked: Picked, draft: Draft, now: datetime
) -> None:
    """Write the recall of each topic."""
    for topic in _rows(Topic, workspace, picked.topics, "file", "workspace"):
        there = presence_in(workspace)
        asked = RecallRequest(now=now, there=there, beside=False)
        name = topic_context.file_name(topic.name.replace("/", "-"))
        path = f"recall-{name.removeprefix('context-')}"
        draft.texts.append(Text(path, recall_of(workspace, topic, asked).text))


def place(
    source: Workspace,
    target: Workspace,
    handover: Handover,
    *,
    actor: str,
    key: str,
    now: datetime,
) -> tuple[list[Operation], list[Left]]:
    """Write an export into another workspace, or stage it there for review.

    Return the operations, and the records left out.

    A topic that exists there gets the decisions it lacks; everything else becomes a new
    file, under another name if its own is taken. The same `key` never writes twice.

    Raises:
        Conflict: a file of that name was created meanwhile.
        FormatError: a file cannot take it.
        FileError: a file cannot be written.
    """
    done: list[Operation] = []
    left: list[Left] = []
    today = now.astimezone(ZoneInfo(target.time_zone)).date().isoformat()
    for number, file in enumerate(handover.files):
        edit_key = f"{key}-{number}"
        known = Operation.objects.filter(workspace=target, key=edit_key).first()
        if known is not None:
            done.append(known)
            continue
        path = _moved(file.path, target)
        if handover.form == "topic" and _is_there(target, path):
            edit = _added_decisions(target, path, file, actor, today)
            left.append(Left("topic", path, "topic-is-there"))
        else:
            path = _free_path(target, path, source.slug)
            edit = Edit(path, "place_file", {"text": file.text}, actor, base="")
        if edit is not None:
            done.append(apply_edit(target, replace(edit, key=edit_key)))
    return done, left


def _moved(path: str, target: Workspace) -> str:
    """Return a path with the workspace's own memory folder."""
    if path == "MEMORY.md":
        return path
    return f"{target.memory_folder}/{path.removeprefix('memory/')}"


def _is_there(target: Workspace, path: str) -> bool:
    return place_of(target, path).status() is not None


def _free_path(target: Workspace, path: str, source: str) -> str:
    stem, dot, suffix = path.rpartition(".")
    for candidate in _candidates(stem, f"{dot}{suffix}", source):
        if not _is_there(target, candidate):
            return candidate
    return path


def _candidates(stem: str, suffix: str, source: str) -> Iterator[str]:
    yield f"{stem}{suffix}"
    yield f"{stem}-from-{source}{suffix}"
    for number in range(2, _NAMES):
        yield f"{stem}-from-{source}-{number}{suffix}"


def _added_decisions(
    target: Workspace, path: str, file: Text, actor: str, today: str
) -> Edit | None:
    """Return a checkpoint with the decisions missing from a topic; None without any."""
    document = topic_context.parse(file.text)
    there = topic_context.parse(look(target, path).text)
    said = {item.text for item in there.decisions}
    wanted = [item.text for item in document.decisions if item.text not in said]
    if not wanted:
        return None
    payload = {
        "topic": document.title,
        "today": today,
        "session": "",
        "status": "",
        "decisions": wanted,
        "history": "",
    }
    return Edit(path, "checkpoint", payload, actor)
