"""OpenClaw's four events that snap-memory hooks, with the same effects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memoryhub.dialects.host_events import UNATTENDED
from memoryhub.dialects.topic_context import (
    auto_saved_text,
    compaction_text,
    reset_text,
    topic_from_session_key,
)
from memoryhub.formats.injection import wrap, wrap_quoted
from memoryhub.formats.openclaw.session_key import unattended_run
from memoryhub.formats.text.javascript import trim
from memoryhub.people.callers import Caller
from memoryhub.tools.snap_memory import utc_day
from topics.services.checkpoints import auto_save, bound_topic, topic_text
from topics.services.topics import Author

HostData = Mapping[str, Any]

#: Triggers of runs whose context is not saved.
_KEEPING_NOTHING = UNATTENDED | {"memory"}
#: Most characters of an event's value in a history line.
_LONGEST = 500


def _before_prompt_build(caller: Caller, data: HostData) -> dict[str, str] | None:
    """Return the bound topic's context for the system prompt.

    Quoted, unless a person has set raw context for this workspace: snap-memory's form.
    """
    session = _session(data)
    if not session or _trigger(data) in UNATTENDED:
        return None
    topic = bound_topic(caller.workspace, session)
    text = topic_text(caller.workspace, topic) if topic is not None else None
    if not text or not trim(text):
        return None
    form = wrap if caller.workspace.raw_context else wrap_quoted
    return {"appendSystemContext": form(text)}


def _before_compaction(caller: Caller, data: HostData) -> None:
    """Record the save in the topic's history; an unbound session gets its own topic."""
    session = _session(data)
    if not session or _trigger(data) in _KEEPING_NOTHING:
        return
    topic = bound_topic(caller.workspace, session)
    if topic is None:
        topic = topic_from_session_key(session)
    line = auto_saved_text(utc_day(caller), _shown(data, "messageCount"))
    _keep(caller, topic, session, line)


def _after_compaction(caller: Caller, data: HostData) -> None:
    """Record a compaction in a bound session's topic, with its counts."""
    session, topic = _bound(caller, data)
    if topic is None:
        return
    before, after = _shown(data, "compactedCount"), _shown(data, "messageCount")
    _keep(caller, topic, session, compaction_text(utc_day(caller), before, after))


def _before_reset(caller: Caller, data: HostData) -> None:
    """Record a reset in the bound topic's history."""
    session, topic = _bound(caller, data)
    if topic is None:
        return
    reason = _part(data, "event").get("reason")
    words = _shown(data, "reason") if reason else ""
    _keep(caller, topic, session, reset_text(utc_day(caller), words))


def _bound(caller: Caller, data: HostData) -> tuple[str, str | None]:
    """Return the session and its topic; None if the topic has no file."""
    session = _session(data)
    topic = bound_topic(caller.workspace, session) if session else None
    if topic is None or topic_text(caller.workspace, topic) is None:
        return session, None
    return session, topic


def _keep(caller: Caller, topic: str, session: str, line: str) -> None:
    author = Author(caller.actor, utc_day(caller), caller.operation_key("line"))
    auto_save(caller.workspace, topic, session, line, author)


def _session(data: HostData) -> str:
    key = _part(data, "ctx").get("sessionKey")
    return key if isinstance(key, str) else ""


def _trigger(data: HostData) -> str:
    """Return what began the run: by its key, which hosts may send alone, or as said."""
    if run := unattended_run(_session(data)):
        return run
    trigger = _part(data, "ctx").get("trigger")
    return trigger if isinstance(trigger, str) else ""


def _part(data: HostData, name: str) -> HostData:
    part = data.get(name)
    return part if isinstance(part, Mapping) else {}


def _shown(data: HostData, name: str) -> str:
    """Return a value of the event as JavaScript converts it to a string."""
    held = _part(data, "event")
    if name not in held:
        return "undefined"
    match held[name]:
        case None:
            return "null"
        case bool(value):
            return str(value).lower()
        case float(value) if value.is_integer():
            return str(int(value))
        case value:
            return str(value)[:_LONGEST]


HANDLERS = {
    "before_prompt_build": _before_prompt_build,
    "before_compaction": _before_compaction,
    "after_compaction": _after_compaction,
    "before_reset": _before_reset,
}
