"""Operations on topic files and the session map, as changes of their text. Pure.

Each verb gives the document's current value, its new text, and the inverse operation.
Payloads are JSON; texts of files go in and out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memoryhub.formats.snap_memory import session_map, topic_context
from memoryhub.formats.snap_memory.topic_edits import HISTORY
from memoryhub.journal.verbs import Inverse, Limits, Payload, Verb
from topics.checkpoint_verbs import AUTO_SAVE, CHECKPOINT, TAKE_BACK
from topics.decision_verbs import ADD_DECISION, REMOVE_DECISION, SIGN_DECISION
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


_ADD_HISTORY, _REMOVE_HISTORY = list_verbs(HISTORY, "add_history", "remove_history")

#: The verbs on topics, by name.
VERBS: Mapping[str, Verb] = {
    "set_status": Verb(_status_value, _set_status, _unset_status),
    "add_decision": replace(ADD_DECISION, told=True),
    "remove_decision": REMOVE_DECISION,
    "supersede": ADD_DECISION,
    "reject": ADD_DECISION,
    "sign_decision": SIGN_DECISION,
    "add_history": _ADD_HISTORY,
    "remove_history": _REMOVE_HISTORY,
    "bind": Verb(_bound_value, _bind, _rebind, told=True),
    "checkpoint": CHECKPOINT,
    "auto_save": AUTO_SAVE,
    "take_back_checkpoint": TAKE_BACK,
}
