"""Services on topics, for people and agents."""

from __future__ import annotations

import uuid
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date

from memoryhub.formats.base import FormatError
from memoryhub.formats.snap_memory.topic_context import file_name
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.versions import text_of, version_at
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Conflict, Edit
from memoryhub.sync.edit.staging import staged_text

#: Most file systems hold names of at most this many bytes.
_NAME_BYTES = 255


def new_key() -> str:
    """Return a new idempotency key: a form submitted twice is applied once."""
    return uuid.uuid4().hex


@dataclass(frozen=True, slots=True)
class Asked:
    """The origin of a change: actor, local day, idempotency key of the form."""

    actor: str
    today: date
    key: str = field(default_factory=new_key)


def bind(
    workspace: Workspace,
    session: str,
    topic: str,
    *,
    actor: str,
    base: str | None = None,
    key: str = "",
) -> Operation:
    """Bind a session to a topic in the session map; an empty topic unbinds it."""
    path = map_path(workspace)
    payload = {"key": session, "topic": topic}
    edit = Edit(path, "bind", payload, actor, base, key=key or new_key())
    return apply_edit(workspace, edit)


def map_path(workspace: Workspace) -> str:
    """Return the path of the session map."""
    return f"{workspace.memory_folder}/context-session-map.json"


def text_to_edit(workspace: Workspace, path: str) -> str:
    """Return the newest text of a file, with staged changes if they apply."""
    version = version_at(workspace, path)
    text = text_of(version) if version else ""
    with suppress(Conflict, FormatError):
        text = staged_text(workspace, path, text)
    return text


def set_status(
    workspace: Workspace,
    path: str,
    text: str,
    base: str,
    asked: Asked,
) -> Operation:
    """Replace the status `base` of a topic's file.

    Raises:
        Conflict: it has another one by now.
        FormatError: a line of the text would begin another section.
    """
    payload = {"text": text, "today": asked.today.isoformat()}
    edit = Edit(path, "set_status", payload, asked.actor, base, key=asked.key)
    return apply_edit(workspace, edit)


def topic_path(workspace: Workspace, topic: str) -> str:
    """Return the path of a topic's file, existing or not.

    Raises:
        FormatError: ``topic-name``, no file can have that name.
    """
    name = file_name(topic)
    size = len(name.encode("utf-8", "surrogatepass"))
    if not topic.strip() or size > _NAME_BYTES or not _is_plain(topic):
        raise FormatError("topic-name", topic=topic)
    return f"{workspace.memory_folder}/{name}"


def _is_plain(topic: str) -> bool:
    return not any(c in "/\\" or c < " " or "\ud800" <= c <= "\udfff" for c in topic)
