"""Operations on topic files and the session map, as changes of their text. Pure.

Each verb gives the document's current value, its new text, and the inverse operation.
Payloads are JSON; texts of files go in and out. Text that snap-memory writes raw is
written raw, even if it parses differently then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from memoryhub.formats.snap_memory import session_map, topic_context
from memoryhub.formats.snap_memory.topic_context import (
    TopicContext,
    count_of,
    dropped_by,
    put_at,
    removed,
)
from memoryhub.formats.snap_memory.topic_edits import DECISIONS, HISTORY
from memoryhub.formats.snap_memory.topic_history import created_text
from memoryhub.formats.text.javascript import trim
from memoryhub.journal.verbs import Inverse, Limits, Payload, Verb
from topics.list_verbs import (
    ADD_DECISION,
    REMOVE_DECISION,
    SIGN_DECISION,
    list_verbs,
    touched,
)


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


def new_topic(topic: str, today: str) -> str:
    """Return the file of a topic that begins today, in snap-memory's own form."""
    begun = created_text(date.fromisoformat(today))
    return topic_context.render_topic(topic, {"created": today}, "", [], [begun])


def _loaded(text: str) -> TopicContext:
    return topic_context.parse(text).tidied()


def _saved(document: TopicContext, payload: Payload, limits: Limits) -> str:
    if line := payload["history"]:
        document = document.with_history_line(line, limit=limits.history, raw=True)
    return document.with_meta("updated", payload["today"]).render()


def _checkpoint(text: str, payload: Payload, limits: Limits) -> str:
    """Save a topic as snap-memory's `checkpoint` does; a new file gets its head."""
    document = _loaded(text or new_topic(payload["topic"], payload["today"]))
    if session := payload["session"]:
        document = document.with_meta("session", session)
    if status := payload["status"]:
        document = document.with_status(status, raw=True)
    for decision in payload["decisions"]:
        document = document.with_decision(decision, limit=limits.decisions, raw=True)
    return _saved(document, payload, limits)


def _auto_save(text: str, payload: Payload, limits: Limits) -> str:
    """Add the line of a hook; a file that it makes begins without any history."""
    head = {"created": payload["today"], "session": payload["session"]}
    begun = topic_context.render_topic(payload["topic"], head, "", [], [])
    return _saved(_loaded(text or begun), payload, limits)


def _value(text: str, payload: Payload) -> dict[str, Any]:
    """Return a file's current value of the saved parts."""
    document = topic_context.parse(text)
    return {
        "status": document.stated_status if payload["status"] else "",
        "decisions": _counts(document, DECISIONS, payload["decisions"]),
        "history": _counts(document, HISTORY, [payload["history"]]),
    }


def _counts(document: TopicContext, section: str, items: Iterable[str]) -> list[int]:
    return [count_of(document, section, entry) for entry in _entries(items)]


def _entries(items: Iterable[str]) -> list[str]:
    """Return the entries parsed back from items: any of their lines can begin one."""
    lines = (trim(line) for item in items for line in f"- {item}".split("\n"))
    return [trim(line[2:]) for line in lines if line.startswith("- ")]


def _take_back(text: str, payload: Payload, limits: Limits) -> Inverse:
    document = _loaded(text)
    decided, logged = len(payload["decisions"]), bool(payload["history"])
    session = next((m.value for m in document.meta if m.key == "session"), "")
    before = {
        "status": document.stated_status,
        "session": session,
        "decisions": dropped_by(document, DECISIONS, decided, limits.decisions),
        "history": dropped_by(document, HISTORY, logged, limits.history),
    }
    return "take_back_checkpoint", {**payload, "before": before}


def _taken_back(text: str, payload: Payload, limits: Limits) -> str:
    """Revert a save; a file created by it stays, without the saved parts."""
    document, before = topic_context.parse(text), payload["before"]
    if payload["session"] and before["session"]:
        document = document.with_meta("session", before["session"])
    if payload["status"]:
        document = document.with_status(before["status"])
    logged = [payload["history"]] if payload["history"] else []
    for section, items in ((DECISIONS, payload["decisions"]), (HISTORY, logged)):
        for entry in reversed(_entries(items)):
            if count_of(document, section, entry):
                document = removed(document, section, entry)
        document = put_at(document, section, 0, before[section])
    return document.with_meta("updated", payload["today"]).render()


def _again(text: str, payload: Payload, limits: Limits) -> Inverse:
    return "checkpoint", {k: v for k, v in payload.items() if k != "before"}


_ADD_HISTORY, _REMOVE_HISTORY = list_verbs(HISTORY, "add_history", "remove_history")

#: The verbs on topics, by name.
VERBS: Mapping[str, Verb] = {
    "set_status": Verb(_status_value, _set_status, _unset_status),
    "add_decision": replace(ADD_DECISION, makes_events=True),
    "remove_decision": REMOVE_DECISION,
    "supersede": ADD_DECISION,
    "reject": ADD_DECISION,
    "sign_decision": SIGN_DECISION,
    "add_history": _ADD_HISTORY,
    "remove_history": _REMOVE_HISTORY,
    "bind": Verb(_bound_value, _bind, _rebind, makes_events=True),
    "checkpoint": Verb(_value, _checkpoint, _take_back),
    "auto_save": Verb(_value, _auto_save, _take_back),
    "take_back_checkpoint": Verb(_value, _taken_back, _again),
}
