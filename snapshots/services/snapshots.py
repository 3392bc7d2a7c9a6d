"""Appending agents' snapshots and texts to a day's log."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date

from memoryhub.dialects.task_snapshot import SnapshotDraft, validate
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.verbs import Payload
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import (
    Edit,
    attempt_key,
)
from memoryhub.sync.files import Who
from topics.models import SessionBinding
from topics.services.topics import mapped_topic

_LABEL_SIZE = 200


def log_path(workspace: Workspace, day: date) -> str:
    """Return the path of a day's log."""
    return f"{workspace.memory_folder}/{day.isoformat()}.md"


def save_snapshot(workspace: Workspace, draft: SnapshotDraft, who: Who) -> Operation:
    """Append a snapshot to the log of its day, under the day's next id.

    The draft's own id is ignored; `Operation.after` is the assigned one.

    Raises:
        FormatError: the first finding of `validate`, or a value that would be parsed
            differently.
        FileError: the file cannot be read or written.
    """
    if problems := validate(draft):
        raise FormatError(problems[0].code, 0, **problems[0].parameters)
    own = ("timestamp", "snapshot_id", "timed")
    payload = {
        "label": _label(draft.goal),
        "timestamp": draft.timestamp.isoformat(timespec="seconds"),
        "draft": {k: v for k, v in asdict(draft).items() if k not in own},
    }
    path = log_path(workspace, draft.timestamp.date())
    return _append(workspace, path, "append_snapshot", payload, who)


def append_text(workspace: Workspace, path: str, text: str, who: Who) -> Operation:
    """Append a text to a log or another file, like OpenClaw's own append.

    Raises:
        FileError: the log cannot be read or written.
        FormatError: no file can hold the text.
    """
    payload = {"label": _label(text), "text": text}
    return _append(workspace, path, "append_text", payload, who)


def _append(
    workspace: Workspace, path: str, verb: str, payload: Payload, who: Who
) -> Operation:
    key = attempt_key(workspace, who.key)
    return apply_edit(workspace, Edit(path, verb, payload, who.actor, key=key))


def _label(text: str) -> str:
    return " ".join(text[: 2 * _LABEL_SIZE].split())[:_LABEL_SIZE]


def topic_of_session(workspace: Workspace, session: str) -> str:
    """Return the name of a session's topic; empty for none."""
    is_behind = workspace.projected_seq < workspace.last_seq
    # The session map may be newer than its rows.
    if is_behind and (topic := mapped_topic(workspace, session)):
        return topic
    return next(iter(_TOPICS_OF(workspace.pk, session)), "")


_TOPICS_OF: Prepared[str] = Prepared(
    lambda workspace_id, session: (
        SessionBinding.objects.filter(
            workspace_id=workspace_id, session_key=session, last_seq__isnull=True
        )
        .order_by("pk")
        .values_list("topic_name", flat=True)[:1]
    ),
    int,
    str,
)
