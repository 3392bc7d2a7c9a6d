"""Services on decisions: take, replace, reject, sign off."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from memoryhub.dialects import decision_log, topic_context
from memoryhub.dialects.decision_log import (
    DecisionText,
    render_decision,
    with_sign_off,
)
from memoryhub.formats.base import FormatError
from memoryhub.formats.text.line_edits import one_line
from memoryhub.formats.text.source import split_lines
from memoryhub.journal.models import Operation, Source, SourceFile, Workspace
from memoryhub.journal.versions import newest_text
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Conflict, Edit
from topics.models import Decision, Topic
from topics.services.topics import Author, can_edit

#: Dialects whose lines state a sign-off.
_SIGNABLE = (topic_context.NAME, decision_log.NAME)


def decide(
    workspace: Workspace,
    statement: DecisionText,
    topic: Topic | None,
    author: Author,
    *,
    verb: str = "add_decision",
) -> Operation:
    """Write a decision into a topic's file, or into the workspace's log.

    Raises `FormatError`, or `FileError` where the file cannot be written.
    """
    path = decisions_path(workspace, topic)
    payload: dict[str, object] = {"text": decision_line(statement)}
    if keeps_decisions(topic):
        payload["today"] = author.today.isoformat()
    else:
        payload["log"] = True
    return apply_edit(
        workspace, Edit(path, verb, payload, author.actor, key=author.key)
    )


def supersede(
    workspace: Workspace,
    old: Decision,
    seen: str,
    statement: DecisionText,
    topic: Topic | None,
    author: Author,
) -> Operation:
    """Write a decision that replaces another, whose `standing` was `seen`.

    Raises:
        Conflict: the old one was replaced or rejected meanwhile.
    """
    _check_standing(old, seen, author.key)
    statement = replace(statement, supersedes=named(old))
    return decide(workspace, statement, topic, author, verb="supersede")


def reject(
    workspace: Workspace,
    old: Decision,
    seen: str,
    reason: str,
    author: Author,
) -> Operation:
    """Write a rejection of a decision; its own line stays.

    Raises:
        Conflict: it was replaced or rejected meanwhile.
    """
    _check_standing(old, seen, author.key)
    statement = DecisionText(author.today, one_line(old.text), reason, rejected=True)
    return decide(workspace, statement, old.topic, author, verb="reject")


class UnsignedLine(NamedTuple):
    """A line of a file with a decision but without its sign-off."""

    path: str
    number: int
    old: str
    new: str


def unsigned_line(decision: Decision) -> UnsignedLine | None:
    """Return a line to write a handoff's sign-off into; a topic's file comes first."""
    day, by = decision.signed_off_on, decision.signed_off_by
    if decision.signed_off_at is None or day is None:
        return None
    own = decision.topic.file_id if decision.topic else 0
    rows = Source.objects.filter(
        target_id=decision.pk,
        target_kind=Source.Target.DECISION,
        last_seq__isnull=True,
        file__format__in=_SIGNABLE,
    ).select_related("file")
    for row in sorted(rows, key=lambda row: (row.file_id != own, row.first_seq)):
        lines = split_lines(newest_text(decision.workspace, row.file.path))
        if row.first_line != row.last_line or row.first_line > len(lines):
            continue
        old = lines[row.first_line - 1].rstrip("\r\n")
        mark = old[: len(old) - len(old.lstrip(" \t-*+"))]
        try:
            new = mark + with_sign_off(old[len(mark) :], by, day)
        except FormatError:
            continue
        return UnsignedLine(row.file.path, row.first_line, old, new)
    return None


def write_sign_off(decision: Decision, author: Author) -> Operation:
    """Write a person's sign-off from a handoff into the decision's line.

    Raises:
        FormatError: ``sign-off-no-place``, no line lacks it; and `FileError`.
    """
    line = unsigned_line(decision)
    if line is None:
        raise FormatError("sign-off-no-place")
    payload = {"text": decision.text, "old": line.old, "new": line.new}
    edit = Edit(line.path, "sign_decision", payload, author.actor, key=author.key)
    return apply_edit(decision.workspace, edit)


def decision_line(statement: DecisionText) -> str:
    """Return the line of a decision for a file, without its list mark.

    Raises `FormatError` where a part is not one line.
    """
    one_line(statement.text)
    return one_line(render_decision(statement))


def decisions_path(workspace: Workspace, topic: Topic | None) -> str:
    """Return the path of the file for decisions of a topic, or of none."""
    if topic is not None and keeps_decisions(topic):
        return topic.file.path
    known = SourceFile.objects.filter(
        workspace=workspace, path=decision_log.PATH, present=True
    )
    elsewhere = f"{workspace.memory_folder}/decisions.md"
    return decision_log.PATH if known.exists() else elsewhere


def keeps_decisions(topic: Topic | None) -> bool:
    """Return whether a topic has a file with a list of decisions."""
    return topic is not None and can_edit(topic)


def named(old: Decision) -> str:
    """Return the reference to a decision in the line of its replacement."""
    day = f"{old.decided_on.isoformat()}: " if old.decided_on else ""
    return f"{day}{one_line(old.text)}"


def standing(decision: Decision) -> str:
    """Return the state of a decision, as the base of its changes."""
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
