"""Assignment of a row to an agent or a topic by a person.

An operation without a file. It takes effect at its place in the journal, and later
revisions of the row preserve it, like a marker in the file itself.
"""

from __future__ import annotations

from datetime import datetime

from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Agent, Operation, Workspace
from memoryhub.journal.verbs import Payload
from memoryhub.sync.edit.edits import Conflict, Edit, record_edit, row_by_code
from memoryhub.values.identity import code_of
from snapshots.importers.linking import ASSIGNABLE, VERB
from snapshots.models import AuthoredSpan, Ownership
from topics.models import Topic

_LABEL_SIZE = 300


def assignment(
    row: AuthoredSpan,
    *,
    agent: int | None,
    topic: int | None,
    actor: str,
    key: str = "",
) -> Edit:
    """Return the edit that assigns a row to an agent and a topic; None is nobody.

    Its base are the current owners; an empty key gets a new one.
    """
    kind = next(name for name, model in ASSIGNABLE.items() if isinstance(row, model))
    payload = {
        "kind": kind,
        "id": row.code,
        "agent": code_of(agent) if agent else "",
        "topic": code_of(topic) if topic else "",
    }
    named = {"key": key} if key else {}
    return Edit(
        f"{kind}:{row.code}", VERB, payload, actor, base=owners_of(row), **named
    )


def owners_of(row: AuthoredSpan) -> dict[str, str]:
    """Return the owners of a row: the base of an assignment."""
    return {
        "agent": code_of(row.agent_id) if row.agent_id else "",
        "topic": code_of(row.topic_id) if row.topic_id else "",
    }


def assign(workspace: Workspace, edit: Edit, at: datetime) -> Operation:
    """Apply an assignment; it writes no file and so is never staged.

    Raises:
        Conflict: the row has other owners by now.
        FormatError: ``row-unknown``, there is no such row, agent or topic.
    """
    model = ASSIGNABLE.get(edit.payload["kind"])
    if model is None:
        raise FormatError("row-unknown", kind=edit.payload["kind"])
    row: AuthoredSpan = row_by_code(workspace, model, edit.payload["id"])
    before = owners_of(row)
    if edit.base is not None and edit.base != before:
        raise Conflict(edit.path, edit.base, before)
    _check(workspace, Agent, edit.payload["agent"])
    _check(workspace, Topic, edit.payload["topic"])
    said = {"label": str(row)[:_LABEL_SIZE], **edit.payload}
    rules = {"agent": row.agent_rule, "topic": row.topic_rule}
    return record_edit(
        workspace,
        edit,
        at,
        payload={"rules": _rules(rules, before, edit.payload), **said},
        base=before,
        after={name: edit.payload[name] for name in before},
        inverse=[VERB, {**said, **before, "rules": rules}],
    )


def _rules(
    rules: dict[str, str], before: dict[str, str], payload: Payload
) -> dict[str, str]:
    """Return the ownership rule of each owner: changed ones are assigned."""
    return {
        name: rules[name] if payload[name] == before[name] else Ownership.ASSIGNED.value
        for name in rules
    }


def _check(workspace: Workspace, model: type[Agent | Topic], code: str) -> None:
    if code:
        row_by_code(workspace, model, code)
