"""Lifecycle events of agents from their hosts: OpenClaw and Claude Code.

OpenClaw's plugin hooks get an event and a context; Claude Code's hooks get one object
on standard input. Both are parsed into one value here, and answered in the host's form.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from memoryhub.dialects.topic_context import topic_from_session_key
from memoryhub.formats.openclaw.session_key import parse_session_key, unattended_run

OPENCLAW, CLAUDE_CODE = "openclaw", "claude-code"
#: Default agent of Claude Code sessions, if the settings name none.
CLAUDE_AGENT = "claude"

OPENCLAW_EVENTS = (
    "before_prompt_build",
    "before_compaction",
    "after_compaction",
    "before_reset",
    "before_tool_call",
)
#: Events before a tool runs, by which an edit can be refused.
BEFORE_EDIT = frozenset({"PreToolUse", "before_tool_call"})
#: Tools of hosts that change a file, and their parameters that name it.
_EDITING = frozenset({"edit", "write", "multiedit", "notebookedit"})
_FILE = ("file_path", "notebook_path", "path", "filePath")

#: Runs without a person: snap-memory puts nothing into their prompts.
UNATTENDED = frozenset({"heartbeat", "cron"})
_CLAUDE_SESSION = f":{CLAUDE_CODE}:session:"
_NOT_IN_TOPICS = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class HostEvent:
    """A lifecycle event of an agent; values missing from the host's data are empty.

    `topic` is the default topic of an unbound session, by the host's convention.
    """

    host: str
    name: str
    session: str
    folder: str
    trigger: str
    agent: str
    topic: str

    @property
    def is_unattended(self) -> bool:
        return self.trigger in UNATTENDED


def event_from(name: str, payload: Mapping[str, Any], agent: str = "") -> HostEvent:
    """Parse an event from its host's data.

    An unbound session of Claude Code gets the topic named after its project's folder:
    sessions there come and go, the project stays.
    """
    if name in OPENCLAW_EVENTS:
        context = payload.get("ctx")
        context = context if isinstance(context, Mapping) else {}
        session = _text(context, "sessionKey")
        folder = _text(context, "workspaceDir")
        agent = agent or _text(context, "agentId") or parse_session_key(session).agent
        topic = topic_from_session_key(session) if session else ""
        trigger = unattended_run(session) or _text(context, "trigger")
        return HostEvent(OPENCLAW, name, session, folder, trigger, agent, topic)
    agent = agent or CLAUDE_AGENT
    session = _text(payload, "session_id")
    key = claude_session_key(agent, session) if session else ""
    folder = _text(payload, "cwd")
    trigger = (
        _text(payload, "source")
        or _text(payload, "trigger")
        or _text(payload, "reason")
    )
    topic = folder_topic(folder)
    return HostEvent(CLAUDE_CODE, name, key, folder, trigger, agent, topic)


def claude_session_key(agent: str, session: str) -> str:
    """Return the key of a Claude Code session with this id."""
    return f"agent:{agent}{_CLAUDE_SESSION}{session}"


def session_id(key: str) -> str:
    """Return a session's id in its host; a key of another host is one by itself."""
    return key.rpartition(_CLAUDE_SESSION)[2]


def context_answer(name: str, context: str) -> dict[str, Any]:
    """Return the hook answer that gives an agent a context, in its host's form."""
    if name in OPENCLAW_EVENTS:
        return {"appendSystemContext": context}
    payload = {"hookEventName": name, "additionalContext": context}
    return {"hookSpecificOutput": payload}


def edited_file(name: str, payload: Mapping[str, Any]) -> str:
    """Return the path of the file that a tool is about to change; "" for none."""
    if name in OPENCLAW_EVENTS:
        event = payload.get("event")
        event = event if isinstance(event, Mapping) else {}
        tool, given = _text(event, "toolName"), event.get("params")
    else:
        tool, given = _text(payload, "tool_name"), payload.get("tool_input")
    if tool.casefold() not in _EDITING or not isinstance(given, Mapping):
        return ""
    return next((path for key in _FILE if (path := _text(given, key))), "")


def refusal_answer(name: str, reason: str) -> dict[str, Any]:
    """Return the hook answer that refuses a tool's call, in its host's form."""
    if name in OPENCLAW_EVENTS:
        return {"block": True, "blockReason": reason}
    payload = {
        "hookEventName": name,
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
    }
    return {"hookSpecificOutput": payload}


def folder_topic(folder: str) -> str:
    """Return the default topic of a project's folder, safe as a file name."""
    name = _NOT_IN_TOPICS.sub("-", PurePath(folder).name).strip("-.")
    return name[:80]


def _text(payload: Mapping[str, Any], name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""
