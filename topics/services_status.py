"""The status of a topic's file as it will be written, with what is staged for it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from memoryhub.formats import topic_context
from memoryhub.formats.base import FormatError
from memoryhub.sync.edits import Conflict, staged_text
from memoryhub.workspaces.models import Operation, Workspace
from memoryhub.workspaces.versions import text_of, version_at
from topics.models import Topic


@dataclass(frozen=True, slots=True)
class Staged:
    """A change of a topic's file that waits for its export."""

    key: str
    verb: str
    actor: str
    text: str


def can_edit(topic: Topic) -> bool:
    """Tell whether a topic's file has a status of its own that can be set."""
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
    version = version_at(workspace, topic.file.path)
    text = text_of(version) if version else ""
    with suppress(Conflict, FormatError):
        text = staged_text(workspace, topic.file.path, text)
    return topic_context.parse(text).stated_status


def same_text(one: str, other: str) -> bool:
    """Tell whether two texts are one, as browsers send line ends of their own."""
    return _unix(one) == _unix(other)


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
