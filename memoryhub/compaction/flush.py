"""The memory flush of Clawdbot and OpenClaw before a compaction, and its configuration.

When it is due and with which prompts, as in Clawdbot 2026.1 and OpenClaw 2026.9.6. The
configuration differs by version: one with an unknown key is rejected as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from memoryhub.formats.base import FormatError

RESERVE_TOKENS, SOFT_TOKENS = 20_000, 4_000
#: OpenClaw flushes a longer transcript regardless of its tokens.
FORCED_BYTES = 2 * 1024 * 1024

#: Reasons for which a flush is due.
DUE = ("tokens", "transcript")
#: OpenClaw reserves at most this share of a small context window.
_RESERVE_SHARE = 0.25

_TARGET = (
    "Store durable memories only in memory/YYYY-MM-DD.md (create memory/ if needed)."
)
_READ_ONLY = (
    "Treat workspace bootstrap/reference files such as MEMORY.md, DREAMS.md, SOUL.md,"
    " and AGENTS.md as read-only during this flush; never overwrite, replace, or edit"
    " them."
)
_APPEND_ONLY = (
    "If memory/YYYY-MM-DD.md already exists, APPEND new content only and do not"
    " overwrite existing entries."
)
_NEAR = "The session is near auto-compaction; capture durable memories to disk."
_USUALLY = "You may reply, but usually NO_REPLY is correct."
_PROMPT, _SYSTEM = "Pre-compaction memory flush.", "Pre-compaction memory flush turn."

#: Tokens before a compaction at which big-memory has its snapshot taken.
CAPTURE_SOFT_TOKENS = 40_000

#: What big-memory sets in the place of the flush's own words, which understand
#: NO_REPLY; the NO_FLUSH of its own page was never understood.
CAPTURE_SYSTEM_PROMPT = (
    "You are capturing structured task state for post-compaction recovery. Follow the"
    " BIG-MEMORY-SNAPSHOT schema exactly."
)
CAPTURE_PROMPT = (
    "Context compaction is imminent. Create a structured task snapshot following the"
    " BIG-MEMORY-SNAPSHOT schema and APPEND it to memory/YYYY-MM-DD.md. Include: active"
    " goal, current state, files in play, decisions made, code context (key snippets"
    " only), key names/values, blockers, and next steps. Read the existing file first"
    " -- never overwrite. Reply NO_REPLY if nothing worth storing."
)

_VERSION = re.compile(
    r"(?:(?:openclaw|clawdbot)[ @])?v?"
    r"(20[0-9]{2})\.([0-9]{1,2})(?:\.([0-9]{1,3}))?(?:-[\w.]{1,20})?",
    re.IGNORECASE,
)
#: Up to this month the flush's prompts could be set, and search was an agent's.
_LAST_WITH_PROMPTS = (2026, 6)
#: From this month on search is `memory.search`, and needs no embeddings.
_FIRST_WITH_SEARCH = (2026, 8)
#: From this month on tools of MCP servers reach agents.
_FIRST_WITH_MCP = (2026, 4)
_RENAMED = (2026, 1, 29)


#: A program version with its own rules for the memory flush.
Generation = Literal["clawdbot", "openclaw-9.6"]


def flush_threshold(
    generation: Generation, window: int, reserve: int, soft: int
) -> int:
    """Return the tokens from which a flush is due; 0 for never.

    OpenClaw leaves a small window at least three quarters, and half of these to work.
    """
    if generation != "clawdbot":
        reserve = min(reserve, int(window * _RESERVE_SHARE))
        soft = min(soft, (window - reserve) // 2)
    return max(0, window - reserve - soft)


def flush_reason(
    generation: Generation,
    threshold: int,
    tokens: int | None,
    *,
    is_writable: bool = True,
    is_flushed: bool = False,
    transcript_bytes: int | None = None,
) -> str:
    """Return why a program would flush now, one of `DUE`, or why it would not.

    Figures are as counted by the program; unknown ones are None. There is one flush
    for each compaction at most.
    """
    if not is_writable:
        return "not-writable"
    if is_flushed:
        return "flushed"
    if generation != "clawdbot" and (transcript_bytes or 0) >= FORCED_BYTES:
        return "transcript"
    if not tokens:
        return "unknown"
    if not threshold:
        return "no-room"
    return "tokens" if tokens >= threshold else "below"


def flush_prompts(generation: Generation, now: datetime) -> tuple[str, str]:
    """Return a program's user message and system text; `now` is in the person's zone.

    Clawdbot leaves the day to the agent, OpenClaw names it and the time.
    """
    if generation == "clawdbot":
        where = "Store durable memories now (use memory/YYYY-MM-DD.md; create memory/"
        return (
            f"{_PROMPT} {where} if needed). If nothing to store, reply with NO_REPLY.",
            f"{_SYSTEM} {_NEAR} {_USUALLY}",
        )
    rules = f"{_TARGET} {_READ_ONLY} {_APPEND_ONLY}"
    prompt = (
        f"{_PROMPT} {rules} Do NOT create timestamped variant files (e.g.,"
        " YYYY-MM-DD-HHMM.md); always use the canonical YYYY-MM-DD.md filename."
        " If nothing to store, reply with NO_REPLY."
    )
    system = f"{_SYSTEM} {_NEAR} {rules} {_USUALLY}"
    day = now.date().isoformat()
    prompt, system = (text.replace("YYYY-MM-DD", day) for text in (prompt, system))
    return f"{prompt}\n{_time_lines(now)}", system


def _time_lines(now: datetime) -> str:
    """Return the time in OpenClaw's form, on a twelve-hour clock."""
    clock = f"{now.hour % 12 or 12}:{now:%M %p}"
    endings = {} if now.day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}
    ordinal = f"{now.day}{endings.get(now.day % 10, 'th')}"
    day = f"{now:%A}, {now:%B} {ordinal}, {now.year}"
    utc = f"{now.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    return f"Current time: {day} - {clock} ({now.tzinfo})\nReference UTC: {utc}"


@dataclass(frozen=True, slots=True)
class Version:
    """A version of the program, which was first named Clawdbot."""

    year: int
    month: int
    patch: int

    @property
    def program(self) -> str:
        is_old = (self.year, self.month, self.patch) < _RENAMED
        return "Clawdbot" if is_old else "OpenClaw"

    @property
    def takes_prompts(self) -> bool:
        return (self.year, self.month) <= _LAST_WITH_PROMPTS

    @property
    def has_memory_search(self) -> bool:
        return (self.year, self.month) >= _FIRST_WITH_SEARCH

    @property
    def takes_servers(self) -> bool:
        return (self.year, self.month) >= _FIRST_WITH_MCP

    def __str__(self) -> str:
        return f"{self.program} {self.year}.{self.month}.{self.patch}"


def parse_version(text: str) -> Version:
    """Return a version such as ``2026.9.6``, with or without the program's name.

    Raises FormatError ``version-unknown`` for anything else.
    """
    found = _VERSION.fullmatch(text.strip())
    if not found or not 1 <= int(found[2]) <= 12:
        raise FormatError("version-unknown", version=text)
    return Version(int(found[1]), int(found[2]), int(found[3] or 0))


def snippet_for(
    version: Version,
    server: Sequence[str] = (),
    *,
    soft_tokens: int = CAPTURE_SOFT_TOKENS,
    capture_prompt: bool = False,
) -> tuple[dict[str, Any], list[str]]:
    """Return the configuration that a version accepts, and reasons for omitted parts.

    `server` are the arguments of ``memoryhub mcp``.

    Raises FormatError ``config-key-unknown`` where the request needs a key that the
    version rejects.
    """
    if capture_prompt and not version.takes_prompts:
        key = "agents.defaults.compaction.memoryFlush.prompt"
        raise FormatError("config-key-unknown", version=str(version), key=key)
    flush: dict[str, Any] = {"enabled": True, "softThresholdTokens": soft_tokens}
    if capture_prompt:
        flush |= {"systemPrompt": CAPTURE_SYSTEM_PROMPT, "prompt": CAPTURE_PROMPT}
    config: dict[str, Any] = {
        "agents": {"defaults": {"compaction": {"memoryFlush": flush}}}
    }
    left_out = []
    if version.has_memory_search:
        config["memory"] = {"search": {"provider": "none"}}
    else:
        left_out.append(f"memory search: {version} has none without an embedding model")
    if version.takes_servers:
        program = {"command": "memoryhub", "args": ["mcp", *server]}
        config["mcp"] = {"servers": {"memoryhub": program}}
    else:
        left_out.append(f"the hub's MCP server: {version} gives agents no such tools")
    return config, left_out
