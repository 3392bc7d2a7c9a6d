"""The status of a topic's file as it will be written, with what is staged for it."""

from __future__ import annotations

from dataclasses import dataclass

from memoryhub.formats.snap_memory import topic_context
from memoryhub.journal.models import Operation, Workspace
from topics.models import Topic
from topics.services.topics import text_to_edit


@dataclass(frozen=True, slots=True)
class Staged:
    """A change of a topic's file that waits for its export."""

    key: str
    verb: str
    actor: str
    text: str


def can_edit(topic: Topic) -> bool:
    """Tell whether a topic's file has the sections that edits are made in."""
    return topic.kind == Topic.Kind.CONTEXT and topic.last_seq is None


def staged_for(workspace: Workspace, path: str) -> list[Staged]:
    """Return the changes of a file that are not exported yet, oldest first."""
    rows = Operation.objects.filter(
        workspace=workspace, target=path, state=Operation.State.STAGED
    )
    return [
        Staged(row.key, row.verb, row.actor, str(row.payload.get("text", "")))
        for row in rows.order_by("seq")
    ]


def status_now(workspace: Workspace, topic: Topic) -> str:
    """Return the status that an edit is made from: the file's, with what is staged."""
    text = text_to_edit(workspace, topic.file.path)
    return topic_context.parse(text).stated_status


def same_text(one: str, other: str) -> bool:
    """Tell whether two texts are one, as browsers send line ends of their own."""
    return _unix(one) == _unix(other)


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
