"""Operations on topic files and the session map, as changes of their text. Pure.

Each verb says what the document's value is now, what it becomes, and which operation
takes it back. Payloads are JSON; texts of files go in and out.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from memoryhub.formats import session_map, topic_context
from memoryhub.formats.topic_history import created_text
from memoryhub.formats.topic_lists import (
    DECISIONS,
    HISTORY,
    added,
    count_of,
    dropped_by,
    put_at,
    removed,
)
from memoryhub.workspaces.verbs import Inverse, Limits, Payload, Verb
from topics.decision_verbs import ADD_DECISION, REMOVE_DECISION
from topics.list_verbs import list_verbs, touched


def _status_value(text: str, payload: Payload) -> str:
    return topic_context.parse(text).stated_status


def _set_status(text: str, payload: Payload, limits: Limits) -> str:
    document = topic_context.parse(text).with_status(payload["text"])
    return touched(document, payload).render()


def _unset_status(text: str, payload: Payload, limits: Limits) -> Inverse:
    return "set_status", {**payload, "text": _status_value(text, payload)}


def _bound_value(text: str, payload: Payload) -> str:
    bindings = session_map.parse(text).bindings
    return next((b.topic for b in bindings if b.key == payload["key"]), "")


def _bind(text: str, payload: Payload, limits: Limits) -> str:
    document = session_map.parse(text)
    if payload["topic"]:
        return document.with_binding(payload["key"], payload["topic"]).render()
    return document.without_binding(payload["key"]).render()


def _rebind(text: str, payload: Payload, limits: Limits) -> Inverse:
    return "bind", {**payload, "topic": _bound_value(text, payload)}


def _checkpoint_value(text: str, payload: Payload) -> dict[str, Any]:
    """Return what a checkpoint says, as far as this one says anything of it."""
    document = topic_context.parse(text)
    return {
        "status": document.stated_status if payload.get("status") else "",
        "decisions": [
            count_of(document, DECISIONS, item) for item in payload["decisions"]
        ],
        "history": count_of(document, HISTORY, payload["history"]),
    }


def _checkpoint(text: str, payload: Payload, limits: Limits) -> str:
    """Save a topic as snap-memory's `checkpoint` does; a new file gets its head."""
    if not text:
        text = new_topic(payload["topic"], payload["today"])
    document = topic_context.parse(text)
    if session := payload["session"]:
        document = document.with_meta("session", session)
    if status := payload["status"]:
        document = document.with_status(status)
    for decision in payload["decisions"]:
        document = added(document, DECISIONS, decision, limits.decisions)
    if line := payload["history"]:
        document = added(document, HISTORY, line, limits.history)
    return touched(document, payload).render()


def _uncheckpoint(text: str, payload: Payload, limits: Limits) -> Inverse:
    document = topic_context.parse(text)
    decided, told = len(payload["decisions"]), bool(payload["history"])
    session = next((m.value for m in document.meta if m.key == "session"), "")
    return "take_back_checkpoint", {
        **payload,
        "before": {
            "status": document.stated_status,
            "session": session,
            "decisions": dropped_by(document, DECISIONS, decided, limits.decisions),
            "history": dropped_by(document, HISTORY, told, limits.history),
        },
    }


def _take_back_checkpoint(text: str, payload: Payload, limits: Limits) -> str:
    """Take out what a checkpoint put in; a file that it made stays, without that."""
    document, before = topic_context.parse(text), payload["before"]
    if payload["session"] and before["session"]:
        document = document.with_meta("session", before["session"])
    if payload["status"]:
        document = document.with_status(before["status"])
    told = [payload["history"]] if payload["history"] else []
    for section, items in ((DECISIONS, payload["decisions"]), (HISTORY, told)):
        for item in reversed(items):
            if count_of(document, section, item):
                document = removed(document, section, item)
        document = put_at(document, section, 0, before[section])
    return touched(document, payload).render()


def _again(text: str, payload: Payload, limits: Limits) -> Inverse:
    return "checkpoint", {k: v for k, v in payload.items() if k != "before"}


def new_topic(topic: str, today: str) -> str:
    """Return the file of a topic that begins today, in snap-memory's own form."""
    day = date.fromisoformat(today)
    return topic_context.render_topic(
        topic, {"created": today}, "", [], [created_text(day)]
    )


_ADD_HISTORY, _REMOVE_HISTORY = list_verbs(HISTORY, "add_history", "remove_history")

#: What can be done to topics, by name.
VERBS: Mapping[str, Verb] = {
    "set_status": Verb(_status_value, _set_status, _unset_status),
    "add_decision": ADD_DECISION,
    "remove_decision": REMOVE_DECISION,
    "supersede": ADD_DECISION,
    "reject": ADD_DECISION,
    "add_history": _ADD_HISTORY,
    "remove_history": _REMOVE_HISTORY,
    "bind": Verb(_bound_value, _bind, _rebind),
    "checkpoint": Verb(_checkpoint_value, _checkpoint, _uncheckpoint),
    "take_back_checkpoint": Verb(_checkpoint_value, _take_back_checkpoint, _again),
}
