"""Services on sessions: binding them to another topic."""

from __future__ import annotations

from memoryhub.formats.base import FormatError
from memoryhub.formats.snap_memory import session_map
from memoryhub.journal.models import Operation, Workspace
from topics.services.topics import Asked, bind, map_path, text_to_edit


def mapped_topic(workspace: Workspace, key: str) -> str:
    """Return a session's topic in the session map, with staged changes."""
    text = text_to_edit(workspace, map_path(workspace))
    try:
        bindings = session_map.parse(text).bindings
    except FormatError:
        return ""
    return next((b.topic for b in bindings if b.key == key), "")


def rebind(
    workspace: Workspace, key: str, topic: str, seen: str, asked: Asked
) -> Operation:
    """Bind a session in the session map, if it is still bound to `seen`.

    Raises:
        Conflict: the map has another topic by now.
        FormatError: the map is no JSON.
    """
    return bind(workspace, key, topic, actor=asked.actor, base=seen, key=asked.key)
