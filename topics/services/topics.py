"""Services on topics and on the sessions bound to them, for people and agents."""

from __future__ import annotations

import uuid
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date

from memoryhub.dialects import session_map, topic_context
from memoryhub.dialects.topic_context import file_name
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.versions import text_of, version_at
from memoryhub.sync.edit.editing import (
    apply_edit,
    staged_text,
)
from memoryhub.sync.edit.edits import Conflict, Edit
from topics.models import Topic

#: Most file systems hold names of at most this many bytes.
_NAME_BYTES = 255


def new_key() -> str:
    """Return a new idempotency key: a form submitted twice is applied once."""
    return uuid.uuid4().hex


@dataclass(frozen=True, slots=True)
class Author:
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
    """Bind a session to a topic in the session map; an empty topic unbinds it.

    Raises:
        Conflict: the map has another topic than `base` by now.
        FormatError: the map is no JSON.
    """
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
    author: Author,
) -> Operation:
    """Replace the status `base` of a topic's file.

    Raises:
        Conflict: it has another one by now.
        FormatError: a line of the text would begin another section.
    """
    payload = {"text": text, "today": author.today.isoformat()}
    edit = Edit(path, "set_status", payload, author.actor, base, key=author.key)
    return apply_edit(workspace, edit)


def topic_path(workspace: Workspace, topic: str) -> str:
    """Return the path of a topic's file, existing or not.

    Raises:
        FormatError: ``topic-name``, no file can have that name.
    """
    name = file_name(topic)
    size = len(name.encode("utf-8", "surrogatepass"))
    odd = any(c in "/\\" or c < " " or "\ud800" <= c <= "\udfff" for c in topic)
    if not topic.strip() or size > _NAME_BYTES or odd:
        raise FormatError("topic-name", topic=topic)
    return f"{workspace.memory_folder}/{name}"


def can_edit(topic: Topic) -> bool:
    """Return whether a topic's file has the sections that edits need."""
    return topic.kind == Topic.Kind.CONTEXT and topic.last_seq is None


def status_now(workspace: Workspace, topic: Topic) -> str:
    """Return the base of a status edit: the file's status with staged changes."""
    text = text_to_edit(workspace, topic.file.path)
    return topic_context.status_of(text)


def mapped_topic(workspace: Workspace, key: str) -> str:
    """Return a session's topic in the session map, with staged changes."""
    text = text_to_edit(workspace, map_path(workspace))
    with suppress(FormatError):
        return session_map.topic_bound(text, key)
    return ""
