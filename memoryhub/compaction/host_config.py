"""Configuration of Clawdbot and OpenClaw by version: the keys each version accepts.

A version rejects its whole configuration if it has an unknown key.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from memoryhub.formats.base import FormatError

#: Tokens before a compaction at which big-memory has its snapshot taken.
SOFT_TOKENS = 40_000

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


@dataclass(frozen=True, slots=True)
class Wanted:
    """The requested configuration; `server` are the arguments of ``memoryhub``."""

    soft_tokens: int = SOFT_TOKENS
    capture_prompt: bool = False
    server: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Snippet:
    """A part of a configuration file, and reasons for omitted parts."""

    config: dict[str, Any]
    left_out: tuple[str, ...]


def parse_version(text: str) -> Version:
    """Return a version such as ``2026.9.6``, with or without the program's name.

    Raises FormatError ``version-unknown`` for anything else.
    """
    found = _VERSION.fullmatch(text.strip())
    if not found or not 1 <= int(found[2]) <= 12:
        raise FormatError("version-unknown", version=text)
    return Version(int(found[1]), int(found[2]), int(found[3] or 0))


def snippet_for(version: Version, wanted: Wanted) -> Snippet:
    """Return the part of a configuration that a version accepts.

    Raises FormatError ``config-key-unknown`` where the request needs a key that the
    version rejects.
    """
    if wanted.capture_prompt and not version.takes_prompts:
        key = "agents.defaults.compaction.memoryFlush.prompt"
        raise FormatError("config-key-unknown", version=str(version), key=key)
    config: dict[str, Any] = {
        "agents": {"defaults": {"compaction": {"memoryFlush": _flush(wanted)}}}
    }
    left_out = []
    if version.has_memory_search:
        config["memory"] = {"search": {"provider": "none"}}
    else:
        left_out.append(f"memory search: {version} has none without an embedding model")
    if version.takes_servers:
        server = {"command": "memoryhub", "args": ["mcp", *wanted.server]}
        config["mcp"] = {"servers": {"memoryhub": server}}
    else:
        left_out.append(f"the hub's MCP server: {version} gives agents no such tools")
    return Snippet(config, tuple(left_out))


def _flush(wanted: Wanted) -> dict[str, Any]:
    flush: dict[str, Any] = {
        "enabled": True,
        "softThresholdTokens": wanted.soft_tokens,
    }
    if wanted.capture_prompt:
        flush |= {"systemPrompt": CAPTURE_SYSTEM_PROMPT, "prompt": CAPTURE_PROMPT}
    return flush
