"""snap-memory's operations on topics: checkpoints, the saves of its hooks, reading."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from memoryhub.dialects import session_map
from memoryhub.dialects.facts import Binding
from memoryhub.formats.base import FormatError
from memoryhub.formats.injection import without_injected
from memoryhub.formats.text.decoding import storable
from memoryhub.formats.text.javascript import LINE_TERMINATOR
from memoryhub.journal.models import Operation, SourceFile, Workspace
from memoryhub.sync.edit.editing import (
    apply_edit,
    staged_paths,
    staged_text,
)
from memoryhub.sync.edit.edits import Conflict, Edit
from memoryhub.sync.edit.writing import look
from topics.services.topics import Author, bind, map_path, topic_path

#: Longest session key that can be bound.
_LONGEST_SESSION = 500


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The parts saved by snap-memory's `context_snap`; empty parts change nothing."""

    topic: str
    status: str = ""
    decisions: tuple[str, ...] = ()
    history: str = ""
    session: str = ""

    def without_injected(self) -> Checkpoint:
        """Return a copy without injected context that came back from the agent."""
        decided = [(item, without_injected(item)) for item in self.decisions]
        return replace(
            self,
            status=without_injected(self.status),
            decisions=tuple(
                rest
                for item, rest in decided
                # A day alone is left of a decision that was nothing but the context.
                if rest and (rest == item or rest.strip(" :-0123456789"))
            ),
            history=without_injected(self.history),
        )


def save_checkpoint(
    workspace: Workspace, checkpoint: Checkpoint, author: Author
) -> list[Operation]:
    """Save a topic as snap-memory's `checkpoint` does, creating its file if needed.

    The session is bound first, as snap-memory saves its map before the file: even if no
    file can be named for the topic, the session is bound to it. A damaged map
    (`map_problem`) is left as it is: the topic is saved, the session not bound.

    Raises:
        FormatError: ``text-not-encodable``, nothing is done; ``topic-name``, no file
            can be named for the topic; values that the file cannot hold.
        FileError: a file cannot be read or written.
    """
    cleaned = checkpoint.without_injected()
    _refuse_unwritable(cleaned)
    done = _bind_first(workspace, cleaned.session, cleaned.topic, author)
    return [*done, _save(workspace, "checkpoint", cleaned, author)]


def auto_save(
    workspace: Workspace, topic: str, session: str, line: str, author: Author
) -> list[Operation]:
    """Add a line to a topic's history as snap-memory's hooks do, and bind the session.

    Raises:
        FormatError, FileError: as of a checkpoint; here nothing is bound then.
    """
    cleaned = Checkpoint(topic, history=line, session=session).without_injected()
    _refuse_unwritable(cleaned)
    topic_path(workspace, topic)
    done = _bind_first(workspace, session, topic, author)
    return [*done, _save(workspace, "auto_save", cleaned, author)]


def _bind_first(
    workspace: Workspace, session: str, topic: str, author: Author
) -> list[Operation]:
    """Bind a session, if given, unless it is bound already or the map is damaged."""
    if not session or map_problem(workspace):
        return []
    if bound_topic(workspace, session) == topic:
        return []
    key = f"{author.key}-map"
    return [bind(workspace, session, topic, actor=author.actor, key=key)]


def _save(
    workspace: Workspace, verb: str, cleaned: Checkpoint, author: Author
) -> Operation:
    payload = {
        "topic": cleaned.topic,
        "today": author.today.isoformat(),
        "session": cleaned.session,
        "status": cleaned.status,
        "decisions": list(cleaned.decisions),
        "history": cleaned.history,
    }
    path = topic_path(workspace, cleaned.topic)
    edit = Edit(path, verb, payload, author.actor, key=author.key)
    return apply_edit(workspace, edit)


def _refuse_unwritable(cleaned: Checkpoint) -> None:
    texts = (
        cleaned.topic,
        cleaned.session,
        cleaned.status,
        *cleaned.decisions,
        cleaned.history,
    )
    if any(storable(text) != text for text in texts):
        raise FormatError("text-not-encodable")
    session = cleaned.session
    if LINE_TERMINATOR.search(session) or len(session) > _LONGEST_SESSION:
        shown = session[:_LONGEST_SESSION]
        raise FormatError("meta-value", key="session", value=shown)


def topic_text(workspace: Workspace, topic: str) -> str | None:
    """Return a topic's current text with staged changes; None without a file.

    Raises:
        FormatError: ``topic-name``, no file can have that name.
        FileError: it cannot be read.
    """
    return _text_now(workspace, topic_path(workspace, topic))


def bindings(workspace: Workspace) -> tuple[Binding, ...]:
    """Return the current bindings of the session map; empty if it cannot be parsed.

    Raises:
        FileError: it cannot be read.
    """
    text = _text_now(workspace, map_path(workspace))
    with suppress(FormatError):
        return session_map.parse(text or "").bindings
    return ()


def map_problem(workspace: Workspace) -> str:
    """Return the error code of a damaged session map; empty if it is usable."""
    try:
        session_map.parse(_text_now(workspace, map_path(workspace)) or "")
    except FormatError as error:
        return error.code
    return ""


def bound_topic(workspace: Workspace, session: str) -> str | None:
    """Return the topic that the session map binds a session to, if it does."""
    held = bindings(workspace)
    return next((b.topic for b in held if b.key == session), None)


def context_files(workspace: Workspace) -> list[str]:
    """Return the names of known or staged topic files, sorted."""
    start = f"{workspace.memory_folder}/context-"
    known = SourceFile.objects.filter(workspace=workspace, present=True)
    found = {
        *known.filter(path__startswith=start).values_list("path", flat=True),
        *staged_paths(workspace),
    }
    in_folder = (path.removeprefix(start) for path in found if path.startswith(start))
    return sorted(
        f"context-{name}"
        for name in in_folder
        if name.endswith(".md") and "/" not in name
    )


def _text_now(workspace: Workspace, path: str) -> str | None:
    disk = look(workspace, path)
    text = disk.text
    with suppress(Conflict, FormatError):
        text = staged_text(workspace, path, text)
    return text if text or disk.file else None
