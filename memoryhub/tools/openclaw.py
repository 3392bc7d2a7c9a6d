"""Tools for OpenClaw sessions: memory flush, start context, configuration."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import Field

from memoryhub.compaction import flush
from memoryhub.compaction.flush import (
    CAPTURE_SOFT_TOKENS,
    Generation,
    parse_version,
    snippet_for,
)
from memoryhub.formats.injection import quoted
from memoryhub.formats.openclaw.startup_context import (
    index_text,
    quoted_files,
    startup_text,
)
from memoryhub.journal.scopes import Scope
from memoryhub.people.callers import Caller
from memoryhub.recall.start import start_facts
from memoryhub.tools.base import Answer, Request, tool
from memoryhub.tools.quoting import may_read, with_notice
from snapshots.services.snapshots import log_path

_MOST = 10**9


class FlushRequest(Request):
    """The session as its program counts it."""

    tokens: int | None = Field(
        default=None, ge=0, le=_MOST, description="Tokens in the context, if known."
    )
    context_window: int = Field(
        ge=1, le=_MOST, description="Tokens the model's context holds."
    )
    reserve_tokens: int = Field(default=flush.RESERVE_TOKENS, ge=0, le=_MOST)
    soft_threshold: int = Field(default=flush.SOFT_TOKENS, ge=0, le=_MOST)
    compactions: int = Field(
        default=0, ge=0, le=_MOST, description="How often it was compacted."
    )
    flushed_at: int | None = Field(
        default=None,
        ge=0,
        le=_MOST,
        description="How often it had been compacted at the last flush.",
    )
    transcript_bytes: int | None = Field(default=None, ge=0, le=2**53)
    workspace_access: Literal["rw", "ro", "none"] = "rw"
    generation: Generation = Field(
        default="openclaw-9.6", description="Version whose rules and words apply."
    )


class Flush(Answer):
    """Whether to flush now, the threshold, the reason, and the agent's prompts."""

    due: bool
    threshold: int
    reason: str
    path: str
    prompt: str
    system_prompt: str

    def as_text(self) -> str:
        if not self.due:
            return f"No memory flush is due ({self.reason})."
        return self.prompt


@tool("Is a memory flush due?", Scope.READ)
def memory_flush(caller: Caller, request: FlushRequest) -> Flush:
    """Decide whether durable notes should be written now, before a compaction.

    Use it when the context fills; if one is due, follow the prompt it gives and write
    with memory_append, then remember the count of compactions as flushed_at.
    """
    generation, window = request.generation, request.context_window
    threshold = flush.flush_threshold(
        generation, window, request.reserve_tokens, request.soft_threshold
    )
    reason = flush.flush_reason(
        generation,
        threshold,
        request.tokens,
        is_writable=request.workspace_access == "rw",
        is_flushed=request.flushed_at == request.compactions,
        transcript_bytes=request.transcript_bytes,
    )
    prompt, system_prompt = flush.flush_prompts(generation, caller.now())
    return Flush(
        due=reason in flush.DUE,
        threshold=threshold,
        reason=reason,
        path=log_path(caller.workspace, caller.today()),
        prompt=prompt,
        system_prompt=system_prompt,
    )


class StartRequest(Request):
    """No fields."""


_NOTHING = (
    "OpenClaw loads nothing here: no MEMORY.md for this session, and no notes of today"
    " or yesterday. The tool recall gives what other files say."
)


class Start(Answer):
    """The context that OpenClaw injects when a session starts; empty for none."""

    index: str
    daily: str

    def as_text(self) -> str:
        """Return both quoted: a note can contain the end of OpenClaw's quotation."""
        given = [quoted(part) for part in (self.index, self.daily) if part]
        return with_notice(*given) if given else _NOTHING


@tool("What a session starts with", Scope.READ)
def startup_context(caller: Caller, request: StartRequest) -> Start:
    """Return OpenClaw's files for a session start: MEMORY.md and the notes of two days.

    Use it at the start of a session whose program has not read these files itself.
    MEMORY.md is given to private sessions alone.
    """
    index, daily = start_facts(caller.workspace, caller.now())
    blocks = quoted_files(daily)
    more = any(found.cut == "total-chars" and not found.block for found in blocks)
    given = [found.block for found in blocks if found.block]
    has_index = index is not None and may_read(caller, index.path)
    return Start(
        index=index_text(index.path, index.text) if index and has_index else "",
        daily=startup_text(given, more=more),
    )


class ConfigRequest(Request):
    """Version of the program, and the settings to write."""

    version: str = Field(
        min_length=1, max_length=40, description="The program's version: 2026.9.6."
    )
    soft_threshold: int = Field(
        default=CAPTURE_SOFT_TOKENS,
        ge=0,
        le=_MOST,
        description="Tokens before a compaction at which to flush: 30000 for small"
        " models, 60000 for windows above 200000.",
    )
    capture_prompt: bool = Field(
        default=False,
        description="Have the flush write a big-memory snapshot; up to 2026.6 only.",
    )


class Config(Answer):
    """A part of openclaw.json or clawdbot.json, and settings its version lacks."""

    program: str
    config: dict[str, Any]
    left_out: list[str]

    def as_text(self) -> str:
        text = json.dumps(self.config, ensure_ascii=False, indent=2)
        return "\n".join([text, *(f"Left out: {why}." for why in self.left_out)])


@tool("Configuration for OpenClaw or Clawdbot", Scope.READ)
def config_snippet(caller: Caller, request: ConfigRequest) -> Config:
    """Give the configuration that makes a version of OpenClaw use this memory.

    Use it when somebody sets up OpenClaw or Clawdbot: keys that a version does not
    know make it refuse its whole configuration, so name the version.
    """
    version = parse_version(request.version)
    agent = ("--agent", caller.agent) if caller.agent else ()
    server = ("--workspace", caller.workspace.slug, *agent)
    config, left_out = snippet_for(
        version,
        server,
        soft_tokens=request.soft_threshold,
        capture_prompt=request.capture_prompt,
    )
    return Config(program=str(version), config=config, left_out=left_out)


TOOLS = (memory_flush, startup_context, config_snippet)
