"""The status of a topic's file, with staged changes."""

from __future__ import annotations

from dataclasses import dataclass

from memoryhub.formats.snap_memory import topic_context
from memoryhub.journal.models import Operation, Workspace
from topics.models import Topic
from topics.services.topics import text_to_edit


@dataclass(frozen=True, slots=True)
class Staged:
    """A staged change of a topic's file."""

    key: str
    verb: str
    actor: str
    text: str


def can_edit(topic: Topic) -> bool:
    """Return whether a topic's file has the sections that edits need."""
    return topic.kind == Topic.Kind.CONTEXT and topic.last_seq is None


def staged_for(workspace: Workspace, path: str) -> list[Staged]:
    """Return the staged changes of a file, oldest first."""
    rows = Operation.objects.filter(
        workspace=workspace, target=path, state=Operation.State.STAGED
    )
    return [
        Staged(row.key, row.verb, row.actor, str(row.payload.get("text", "")))
        for row in rows.order_by("seq")
    ]


def status_now(workspace: Workspace, topic: Topic) -> str:
    """Return the base of a status edit: the file's status with staged changes."""
    text = text_to_edit(workspace, topic.file.path)
    return topic_context.parse(text).stated_status


def same_text(one: str, other: str) -> bool:
    """Return whether two texts are equal but for line ends, which browsers change."""
    return _unix(one) == _unix(other)


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
