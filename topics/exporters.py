"""Operations on topic files and the session map, as changes of their text. Pure.

Each verb says what the document's value is now, what it becomes, and which operation
takes it back. Payloads are JSON; texts of files go in and out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from memoryhub.formats import session_map, topic_context
from memoryhub.formats.base import FormatError
from memoryhub.formats.topic_context import Item, TopicContext
from memoryhub.formats.topic_history import created_text

Payload = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Limits:
    """How many decisions and history lines a workspace's agents keep in a file."""

    decisions: int
    history: int


@dataclass(frozen=True, slots=True)
class Verb:
    """One kind of operation on a file's text.

    `value` is what the operation is about, as it stands now: the base that an edit
    is made from. `apply` returns the new text; `inverse` names the operation that
    takes it back, from the text before.
    """

    value: Callable[[str, Payload], Any]
    apply: Callable[[str, Payload, Limits], str]
    inverse: Callable[[str, Payload], tuple[str, Payload]]


def _status_value(text: str, payload: Payload) -> str:
    return topic_context.parse(text).stated_status


def _set_status(text: str, payload: Payload, limits: Limits) -> str:
    document = topic_context.parse(text).with_status(payload["text"])
    return _touched(document, payload).render()


def _unset_status(text: str, payload: Payload) -> tuple[str, Payload]:
    return "set_status", {**payload, "text": _status_value(text, payload)}


def _decisions_value(text: str, payload: Payload) -> bool:
    return _holds(topic_context.parse(text).decisions, payload["text"])


def _add_decision(text: str, payload: Payload, limits: Limits) -> str:
    document = topic_context.parse(text)
    added = document.with_decision(payload["text"], limit=limits.decisions)
    return _touched(added, payload).render()


def _remove_decision(text: str, payload: Payload, limits: Limits) -> str:
    document = topic_context.parse(text)
    return _without(document, document.decisions, payload).render()


def _history_value(text: str, payload: Payload) -> bool:
    return _holds(topic_context.parse(text).history, payload["text"])


def _add_history(text: str, payload: Payload, limits: Limits) -> str:
    document = topic_context.parse(text)
    added = document.with_history_line(payload["text"], limit=limits.history)
    return _touched(added, payload).render()


def _remove_history(text: str, payload: Payload, limits: Limits) -> str:
    document = topic_context.parse(text)
    return _without(document, document.history, payload).render()


def _bound_value(text: str, payload: Payload) -> str:
    bindings = session_map.parse(text).bindings
    return next((b.topic for b in bindings if b.key == payload["key"]), "")


def _bind(text: str, payload: Payload, limits: Limits) -> str:
    document = session_map.parse(text)
    if payload["topic"]:
        return document.with_binding(payload["key"], payload["topic"]).render()
    return document.without_binding(payload["key"]).render()


def _rebind(text: str, payload: Payload) -> tuple[str, Payload]:
    return "bind", {**payload, "topic": _bound_value(text, payload)}


def _checkpoint(text: str, payload: Payload, limits: Limits) -> str:
    """Save a topic as snap-memory's `checkpoint` does; a new file gets its head."""
    if not text:
        text = new_topic(payload["topic"], payload["today"])
    document = topic_context.parse(text)
    if session := payload.get("session"):
        document = document.with_meta("session", session)
    if status := payload.get("status"):
        document = document.with_status(status)
    for decision in payload.get("decisions", ()):
        document = document.with_decision(decision, limit=limits.decisions)
    if line := payload.get("history"):
        document = document.with_history_line(line, limit=limits.history)
    return _touched(document, payload).render()


def _uncheckpoint(text: str, payload: Payload) -> tuple[str, Payload]:
    return "set_status", {**payload, "text": _status_value(text, payload)}


def new_topic(topic: str, today: str) -> str:
    """Return the file of a topic that begins today, in snap-memory's own form."""
    day = date.fromisoformat(today)
    return topic_context.render_topic(
        topic, {"created": today}, "", [], [created_text(day)]
    )


def _touched(document: TopicContext, payload: Payload) -> TopicContext:
    """Note the day of the edit in a file that keeps one."""
    today = payload.get("today")
    has_meta = any(item.key == "updated" for item in document.meta)
    if today and (has_meta or payload.get("topic")):
        return document.with_meta("updated", today)
    return document


def _holds(items: tuple[Item, ...], text: str) -> bool:
    return any(item.text == text.strip() for item in items)


def _without(
    document: TopicContext, items: tuple[Item, ...], payload: Payload
) -> TopicContext:
    for item in reversed(items):
        if item.text == payload["text"].strip():
            return document.without_item(item.lines)
    raise FormatError("no-such-item", text=payload["text"])


def _swap(verb: str) -> Callable[[str, Payload], tuple[str, Payload]]:
    return lambda text, payload: (verb, payload)


#: What can be done to topics, by name.
VERBS: Mapping[str, Verb] = {
    "set_status": Verb(_status_value, _set_status, _unset_status),
    "add_decision": Verb(_decisions_value, _add_decision, _swap("remove_decision")),
    "remove_decision": Verb(_decisions_value, _remove_decision, _swap("add_decision")),
    "add_history": Verb(_history_value, _add_history, _swap("remove_history")),
    "remove_history": Verb(_history_value, _remove_history, _swap("add_history")),
    "bind": Verb(_bound_value, _bind, _rebind),
    "checkpoint": Verb(_status_value, _checkpoint, _uncheckpoint),
}
