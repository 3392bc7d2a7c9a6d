"""Session memories, and the decisions they hold."""

from __future__ import annotations

from dataclasses import replace

from memoryhub.formats.alignment import key_of
from memoryhub.formats.base import Lines
from memoryhub.formats.decision_text import parse_decision
from memoryhub.formats.session_compact import SessionCompact
from memoryhub.formats.session_values import ReasonedChoice
from memoryhub.timeline.importers import Happening, add_event
from memoryhub.workspaces.changes import Change
from memoryhub.workspaces.spans import Matched, Said, fold_keyed
from snapshots.importers.telling import Telling, When, Whose
from snapshots.models import SessionMemory
from topics.importers.decisions import Mention
from topics.models import Precision


def take_memory(change: Change, telling: Telling) -> list[Mention]:
    """Take the session memory that a revision is; return the decisions in it."""
    document = change.document
    if not isinstance(document, SessionCompact):
        if not change.fresh:
            fold_keyed(SessionMemory, change, [])
        return []
    when, whose = telling.at(document.created), telling.whose()
    row_id = change.row_id(SessionMemory, document.memory_id or change.origin)
    said = _said(document, when, whose)
    for matched in fold_keyed(SessionMemory, change, [(row_id, said)]).said:
        if matched.verb != "kept":
            _tell(change, matched)
    return [_mention(choice, when, whose) for choice in document.decisions]


def _said(document: SessionCompact, when: When, whose: Whose) -> Said:
    values = {
        "memory_id": document.memory_id[:60],
        "session_ref": document.session_id[:200],
        "project_root": document.project_root,
        "objective": document.objective or document.title,
        "plan_source": document.plan_source[:100],
        "last_action": document.last_action,
        "pending": len(document.pending),
        "summary": document.summary,
        "tags": list(document.tags),
        "archived": document.archived,
        **when.columns,
        **whose.columns,
    }
    lines = Lines(1, max(1, document.text.rstrip().count("\n") + 1))
    return Said(key_of(document.text, ""), lines, values)


def _mention(choice: ReasonedChoice, when: When, whose: Whose) -> Mention:
    said = parse_decision(choice.text)
    said = said if said.reason else replace(said, reason=choice.reasoning)
    return Mention(
        said, choice.lines, whose.topic.id, whose.agent.id, when.at, when.precision
    )


def _tell(change: Change, matched: Matched) -> None:
    values = matched.said.values
    is_new = matched.verb == "added"
    happening = Happening(
        "memory",
        matched.verb,
        values["objective"] or values["memory_id"],
        matched.row_id,
        values["last_action"],
        at=values["occurred_at"] if is_new else None,
        precision=values["precision"] if is_new else Precision.NONE.value,
        agent_id=values["agent_id"],
        topic_id=values["topic_id"],
        line=1,
        data={"id": values["memory_id"], "pending": values["pending"]},
    )
    add_event(change, happening)
