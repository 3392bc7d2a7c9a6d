"""What people do with decisions: take one, replace one, reject one."""

from __future__ import annotations

from dataclasses import replace

from memoryhub.formats.optimizer.decision_text import DecisionText, render_decision
from memoryhub.formats.text.line_edits import one_line
from memoryhub.journal.models import Operation, SourceFile, Workspace
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Conflict, Edit
from topics.models import Decision, Topic
from topics.services.status import can_edit
from topics.services.topics import Asked

#: Where an optimizer keeps the decisions of a whole workspace.
_LOG = "memories/decisions.md"


def decide(
    workspace: Workspace,
    said: DecisionText,
    topic: Topic | None,
    asked: Asked,
    *,
    verb: str = "add_decision",
) -> Operation:
    """Write a decision into a topic's file, or into the workspace's log.

    Raises `FormatError`, or `FileError` where the file cannot be written.
    """
    path = decisions_path(workspace, topic)
    payload: dict[str, object] = {"text": decision_line(said)}
    if keeps_decisions(topic):
        payload["today"] = asked.today.isoformat()
    else:
        payload["log"] = True
    return apply_edit(workspace, Edit(path, verb, payload, asked.actor, key=asked.key))


def supersede(
    workspace: Workspace,
    old: Decision,
    seen: str,
    said: DecisionText,
    topic: Topic | None,
    asked: Asked,
) -> Operation:
    """Write a decision that names the one it replaces; `seen` is how that stood.

    Raises:
        Conflict: somebody replaced or rejected it meanwhile.
    """
    _check_standing(old, seen, asked.key)
    said = replace(said, supersedes=named(old))
    return decide(workspace, said, topic, asked, verb="supersede")


def reject(
    workspace: Workspace,
    old: Decision,
    seen: str,
    reason: str,
    asked: Asked,
) -> Operation:
    """Write that a decision is rejected; its own line stays.

    Raises:
        Conflict: somebody replaced or rejected it meanwhile.
    """
    _check_standing(old, seen, asked.key)
    said = DecisionText(asked.today, one_line(old.text), reason, rejected=True)
    return decide(workspace, said, old.topic, asked, verb="reject")


def decision_line(said: DecisionText) -> str:
    """Return the line of a decision as it will stand in a file, without its mark.

    Raises `FormatError` where a part is not one line.
    """
    one_line(said.text)
    return one_line(render_decision(said))


def decisions_path(workspace: Workspace, topic: Topic | None) -> str:
    """Return the file that a decision of a topic, or of none, is written to."""
    if topic is not None and keeps_decisions(topic):
        return topic.file.path
    known = SourceFile.objects.filter(workspace=workspace, path=_LOG, present=True)
    return _LOG if known.exists() else f"{workspace.memory_folder}/decisions.md"


def keeps_decisions(topic: Topic | None) -> bool:
    """Tell whether a topic has a file with a list of decisions in it."""
    return topic is not None and can_edit(topic)


def named(old: Decision) -> str:
    """Return how a decision is named by the one that replaces it."""
    day = f"{old.decided_on.isoformat()}: " if old.decided_on else ""
    return f"{day}{one_line(old.text)}"


def standing(decision: Decision) -> str:
    """Return how a decision stands: what a change of it is made from."""
    if decision.state == Decision.State.SUPERSEDED:
        by = Decision.objects.filter(supersedes_id=decision.id).first()
        return f"superseded: {by.text}" if by else "superseded"
    return str(decision.state)


def _check_standing(old: Decision, seen: str, key: str) -> None:
    if Operation.objects.filter(workspace=old.workspace_id, key=key).exists():
        return
    now = standing(old)
    if seen != now:
        raise Conflict(old.topic.file.path if old.topic else "", seen, now)
