"""What people and agents do with topics."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from memoryhub.formats.topic_context import file_name
from memoryhub.sync.edits import Edit, apply_edit
from memoryhub.workspaces.models import Operation, Workspace


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What snap-memory's `context_snap` saves; empty parts change nothing."""

    topic: str
    status: str = ""
    decisions: tuple[str, ...] = ()
    history: str = ""
    session: str = ""


def save_checkpoint(
    workspace: Workspace, checkpoint: Checkpoint, *, actor: str, today: date
) -> list[Operation]:
    """Save a topic as snap-memory's `checkpoint` does, making its file if need be.

    The session is bound first, as snap-memory saves its map before the file.
    """
    done = []
    if checkpoint.session:
        done.append(bind(workspace, checkpoint.session, checkpoint.topic, actor=actor))
    payload = {
        "topic": checkpoint.topic,
        "today": today.isoformat(),
        "session": checkpoint.session,
        "status": checkpoint.status,
        "decisions": list(checkpoint.decisions),
        "history": checkpoint.history,
    }
    path = topic_path(workspace, checkpoint.topic)
    done.append(apply_edit(workspace, Edit(path, "checkpoint", payload, actor)))
    return done


def bind(
    workspace: Workspace,
    session: str,
    topic: str,
    *,
    actor: str,
    base: str | None = None,
) -> Operation:
    """Bind a session to a topic in the session map; an empty topic unbinds it."""
    path = f"{workspace.memory_folder}/context-session-map.json"
    payload = {"key": session, "topic": topic}
    return apply_edit(workspace, Edit(path, "bind", payload, actor, base))


def topic_path(workspace: Workspace, topic: str) -> str:
    """Return where a topic's file lies, also one that is yet to be made."""
    return f"{workspace.memory_folder}/{file_name(topic)}"
