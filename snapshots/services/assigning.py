"""Assigning: a person says whose a row is, or which topic it belongs to.

An operation without a file. It takes effect at its place in the journal, and later
revisions of the row keep it, as they keep a marker in the file itself.
"""

from __future__ import annotations

from datetime import datetime

from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Agent, Operation, Workspace
from memoryhub.journal.verbs import Payload
from memoryhub.sync.edit.edits import Conflict, Edit, row_by_code
from memoryhub.sync.record.single_entry import record_operation
from memoryhub.values.identity import code_of
from snapshots.importers.assignments import ASSIGNABLE, VERB
from snapshots.models import Ownership, Told
from topics.models import Topic

_LABEL_SIZE = 300


def assignment(
    row: Told, *, agent: int | None, topic: int | None, actor: str, key: str = ""
) -> Edit:
    """Return the edit that gives a row to an agent and a topic; None is nobody.

    It is made from whose the row is now; an empty key gets a new one.
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


def owners_of(row: Told) -> dict[str, str]:
    """Return whose a row is: the base that an assignment is made from."""
    return {
        "agent": code_of(row.agent_id) if row.agent_id else "",
        "topic": code_of(row.topic_id) if row.topic_id else "",
    }


def assign(workspace: Workspace, edit: Edit, at: datetime) -> Operation:
    """Do an assignment; there is nothing to write, so it is not staged either.

    Raises:
        Conflict: the row is somebody else's by now.
        FormatError: ``row-unknown``, there is no such row, agent or topic.
    """
    row = _row(workspace, edit.payload)
    before = owners_of(row)
    if edit.base is not None and edit.base != before:
        raise Conflict(edit.path, edit.base, before)
    _check(workspace, Agent, edit.payload["agent"])
    _check(workspace, Topic, edit.payload["topic"])
    said = {"label": str(row)[:_LABEL_SIZE], **edit.payload}
    rules = {"agent": row.agent_rule, "topic": row.topic_rule}
    operation = Operation(
        workspace=workspace,
        key=edit.key,
        actor=edit.actor,
        verb=VERB,
        target=edit.path,
        payload={"rules": _rules(rules, before, edit.payload), **said},
        base=before,
        after={name: edit.payload[name] for name in before},
        inverse=[VERB, {**said, **before, "rules": rules}],
        reason=edit.reason,
        recorded_at=at,
    )
    record_operation(workspace, operation)
    return operation


def _rules(
    rules: dict[str, str], before: dict[str, str], payload: Payload
) -> dict[str, str]:
    """Return by which rule each owner is known: what changed is assigned."""
    return {
        name: rules[name] if payload[name] == before[name] else Ownership.ASSIGNED.value
        for name in rules
    }


def _row(workspace: Workspace, payload: Payload) -> Told:
    model = ASSIGNABLE.get(payload["kind"])
    if model is None:
        raise FormatError("row-unknown", kind=payload["kind"])
    found: Told = row_by_code(workspace, model, payload["id"])
    return found


def _check(workspace: Workspace, model: type[Agent | Topic], code: str) -> None:
    if code:
        row_by_code(workspace, model, code)
