"""What hosts say of an agent's life: the events of OpenClaw and of Claude Code.

OpenClaw's plugin hooks get an event and a context; Claude Code's hooks get one object
on standard input. Both are read into one value here, and answered in the host's form.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from memoryhub.formats.openclaw.session_key import parse_session_key
from memoryhub.formats.snap_memory.topic_context import topic_from_session_key

OPENCLAW, CLAUDE_CODE = "openclaw", "claude-code"
#: The agent of a Claude Code session where its settings name none.
CLAUDE_AGENT = "claude"

OPENCLAW_EVENTS = (
    "before_prompt_build",
    "before_compaction",
    "after_compaction",
    "before_reset",
)

#: Runs without a person: snap-memory puts nothing into their prompts.
UNATTENDED = frozenset({"heartbeat", "cron"})
_NOT_IN_TOPICS = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class HostEvent:
    """An event of an agent's life; what the host did not say is empty.

    `topic` is the one that an unbound session works on, by the host's own custom.
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


def event_from(name: str, said: Mapping[str, Any], agent: str = "") -> HostEvent:
    """Return an event as its host said it.

    A session of Claude Code that is bound to no topic works on the one that is called
    as its project's folder: sessions there come and go, the project stays.
    """
    if name in OPENCLAW_EVENTS:
        context = said.get("ctx")
        context = context if isinstance(context, Mapping) else {}
        session = _text(context, "sessionKey")
        folder = _text(context, "workspaceDir")
        agent = agent or _text(context, "agentId") or parse_session_key(session).agent
        topic = topic_from_session_key(session) if session else ""
        trigger = _text(context, "trigger")
        return HostEvent(OPENCLAW, name, session, folder, trigger, agent, topic)
    agent = agent or CLAUDE_AGENT
    session = _text(said, "session_id")
    key = f"agent:{agent}:{CLAUDE_CODE}:session:{session}" if session else ""
    folder = _text(said, "cwd")
    trigger = _text(said, "source") or _text(said, "trigger") or _text(said, "reason")
    topic = folder_topic(folder)
    return HostEvent(CLAUDE_CODE, name, key, folder, trigger, agent, topic)


def context_answer(name: str, context: str) -> dict[str, Any]:
    """Return what a host is answered that shall give its agent a context."""
    if name in OPENCLAW_EVENTS:
        return {"appendSystemContext": context}
    said = {"hookEventName": name, "additionalContext": context}
    return {"hookSpecificOutput": said}


def folder_topic(folder: str) -> str:
    """Return the topic that a project's folder stands for, safe as a file's name."""
    name = _NOT_IN_TOPICS.sub("-", PurePath(folder).name).strip("-.")
    return name[:80]


def _text(said: Mapping[str, Any], name: str) -> str:
    value = said.get(name)
    return value if isinstance(value, str) else ""
