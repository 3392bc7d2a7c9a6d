"""Handing over: what an agent elsewhere needs to go on, in the form that it reads.

It is copied, downloaded or written into another workspace, there as operations.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from memoryhub.exports.canonical import safe_name
from memoryhub.exports.handover_forms import (
    Draft,
    Left,
    Text,
    as_pointers,
    as_sessions,
    as_snapshots,
    as_topics,
)
from memoryhub.exports.handover_material import Picked, materials
from memoryhub.formats.snap_memory import topic_context
from memoryhub.journal.models import Operation, Workspace
from memoryhub.recall.topic import RecallRequest, recall_for
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.edit.presence import presence_in
from memoryhub.sync.edit.writing import look, place_of
from memoryhub.values import tokens
from topics.models import Topic

FORMS = ("snapshots", "topic", "session", "pointers", "recall")
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)
#: How many names are tried for a file whose own name is taken.
_NAMES = 100


@dataclass(frozen=True, slots=True)
class Handover:
    """Files of one form, and all that could not be carried."""

    form: str
    files: tuple[Text, ...]
    left: tuple[Left, ...]

    @property
    def text(self) -> str:
        """All files as one text."""
        return "\n".join(file.text for file in self.files)

    @property
    def tokens(self) -> int:
        return sum(tokens.shown(file.text) for file in self.files)

    def zipped(self) -> bytes:
        """Return the files as a zip; the same files give the same bytes."""
        held = io.BytesIO()
        with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in self.files:
                info = zipfile.ZipInfo(file.path, _ZIP_DATE)
                info.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(info, file.text.encode("utf-8", "replace"))
        return held.getvalue()


@dataclass(frozen=True, slots=True)
class Placed:
    """What was written where: the operations, and what was left alone there."""

    operations: tuple[Operation, ...]
    left: tuple[Left, ...]


def compose(
    workspace: Workspace, picked: Picked, form: str, *, now: datetime
) -> Handover:
    """Return what was picked as files of a form, and what the form cannot say."""
    local = now.astimezone(ZoneInfo(workspace.time_zone)).replace(tzinfo=None)
    # To the minute: what is downloaded is what the page has shown.
    draft = Draft(local.replace(second=0, microsecond=0), [], [])
    if form == "recall":
        _as_recall(workspace, picked, draft, now)
        return Handover(form, _named(draft.texts), tuple(draft.left))
    held = materials(workspace, picked)
    if form == "snapshots":
        as_snapshots(held, draft)
    elif form == "topic":
        as_topics(held, draft)
    elif form == "session":
        as_sessions(held, draft)
    else:
        as_pointers(held, draft, workspace.name)
    return Handover(form, _named(draft.texts), tuple(draft.left))


def _named(texts: list[Text]) -> tuple[Text, ...]:
    """Return files with names that every file system takes, each with its own."""
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
    """Write what an agent would be told of each topic; other things have none."""
    rows = Topic.objects.filter(workspace=workspace, pk__in=picked.topics)
    found = {row.pk: row for row in rows.select_related("file", "workspace")}
    for row_id in dict.fromkeys(picked.topics):
        if topic := found.get(row_id):
            asked = RecallRequest(now=now, there=presence_in(workspace))
            recall = recall_for(topic, asked)
            name = topic_context.file_name(topic.name.replace("/", "-"))
            path = f"recall-{name.removeprefix('context-')}"
            draft.texts.append(Text(path, recall.text))
    for material in materials(workspace, replace(picked, topics=())):
        draft.lose(material, "no-recall")


def place(
    source: Workspace,
    target: Workspace,
    handover: Handover,
    *,
    actor: str,
    key: str,
    now: datetime,
) -> Placed:
    """Write a hand-over into another workspace, or stage it there for review.

    A topic that is there already gets the decisions it does not say; everything
    else becomes a new file, under another name where its own is taken. The same
    `key` never writes twice.

    Raises:
        Conflict: a file of that name has come to be meanwhile.
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
            left.append(Left("topic", path, "topic-is-there", ("status", "history")))
        else:
            path = _free_path(target, path, source.slug)
            edit = Edit(path, "place_file", {"text": file.text}, actor, base="")
        if edit is not None:
            done.append(apply_edit(target, replace(edit, key=edit_key)))
    return Placed(tuple(done), tuple(left))


def _moved(path: str, target: Workspace) -> str:
    """Return a path with the folder that the workspace keeps its memory in."""
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
    """Return the checkpoint that adds the decisions a topic does not say yet."""
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
