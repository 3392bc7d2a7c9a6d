"""What people do with sessions: bind them to another topic."""

from __future__ import annotations

from contextlib import suppress

from memoryhub.formats import session_map
from memoryhub.formats.base import FormatError
from memoryhub.sync.edits import Conflict, staged_text
from memoryhub.workspaces.models import Operation, Workspace
from memoryhub.workspaces.versions import text_of, version_at
from topics.services import Asked, bind


def map_path(workspace: Workspace) -> str:
    """Return where the session map lies."""
    return f"{workspace.memory_folder}/context-session-map.json"


def mapped_topic(workspace: Workspace, key: str) -> str:
    """Return what the session map says of a session, with what is staged for it."""
    version = version_at(workspace, map_path(workspace))
    text = text_of(version) if version else ""
    with suppress(Conflict, FormatError):
        text = staged_text(workspace, map_path(workspace), text)
    try:
        bindings = session_map.parse(text).bindings
    except FormatError:
        return ""
    return next((b.topic for b in bindings if b.key == key), "")


def rebind(
    workspace: Workspace, key: str, topic: str, seen: str, asked: Asked
) -> Operation:
    """Bind a session in the session map, where it was bound to `seen` until now.

    Raises:
        Conflict: the map says something else by now.
        FormatError: the map is no JSON.
    """
    return bind(workspace, key, topic, actor=asked.actor, base=seen, key=asked.key)
