"""The memory flush before a compaction: when it is due, and the agent's prompts.

By the rules and with the words of Clawdbot 2026.1 and OpenClaw 2026.9.6.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum

RESERVE_TOKENS, SOFT_TOKENS = 20_000, 4_000
#: OpenClaw flushes a longer transcript regardless of its tokens.
FORCED_BYTES = 2 * 1024 * 1024

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


class Generation(StrEnum):
    """A program whose flush differs from the others'."""

    CLAWDBOT = "clawdbot"
    OPENCLAW = "openclaw-9.6"


class Access(StrEnum):
    """A session's access to its workspace."""

    WRITE = "rw"
    READ = "ro"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Session:
    """A session's figures as counted by its program; unknown ones are None.

    `flushed_at` is the number of compactions at the last flush.
    """

    tokens: int | None
    window: int
    reserve: int = RESERVE_TOKENS
    soft: int = SOFT_TOKENS
    compactions: int = 0
    flushed_at: int | None = None
    transcript_bytes: int | None = None
    access: Access = Access.WRITE


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a flush is due, its threshold in tokens, and the reason.

    `reason` is ``tokens``, ``transcript``, ``below``, ``flushed``, ``unknown``,
    ``no-room`` or ``not-writable``.
    """

    due: bool
    threshold: int
    reason: str


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts of a due flush: user message and system text."""

    prompt: str
    system: str


def flush_decision(session: Session, generation: Generation) -> Decision:
    """Return whether a program would flush now: once for each compaction at most."""
    threshold = flush_threshold(session, generation)
    reason = _reason(session, generation, threshold)
    return Decision(reason in ("tokens", "transcript"), threshold, reason)


def flush_threshold(session: Session, generation: Generation) -> int:
    """Return the tokens from which a flush is due; 0 for never.

    OpenClaw leaves a small window at least three quarters, and half of these to work.
    """
    reserve, soft = session.reserve, session.soft
    if generation is Generation.OPENCLAW:
        reserve = min(reserve, int(session.window * _RESERVE_SHARE))
        soft = min(soft, (session.window - reserve) // 2)
    return max(0, session.window - reserve - soft)


def _reason(session: Session, generation: Generation, threshold: int) -> str:
    if session.access is not Access.WRITE:
        return "not-writable"
    if session.flushed_at == session.compactions:
        return "flushed"
    if generation is Generation.OPENCLAW and _is_long(session):
        return "transcript"
    if not session.tokens:
        return "unknown"
    if not threshold:
        return "no-room"
    return "tokens" if session.tokens >= threshold else "below"


def _is_long(session: Session) -> bool:
    return (session.transcript_bytes or 0) >= FORCED_BYTES


def flush_prompts(generation: Generation, now: datetime) -> Prompts:
    """Return a program's prompts for its agent; `now` is in the person's zone.

    Clawdbot leaves the day to the agent, OpenClaw names it and the time.
    """
    if generation is Generation.CLAWDBOT:
        where = "Store durable memories now (use memory/YYYY-MM-DD.md; create memory/"
        return Prompts(
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
    return Prompts(
        f"{_dated(prompt, now.date())}\n{_time_lines(now)}", _dated(system, now.date())
    )


def _dated(text: str, day: date) -> str:
    return text.replace("YYYY-MM-DD", day.isoformat())


def _time_lines(now: datetime) -> str:
    """Return the time in OpenClaw's form, on a twelve-hour clock."""
    clock = f"{now.hour % 12 or 12}:{now:%M %p}"
    day = f"{now:%A}, {now:%B} {now.day}{_ordinal(now.day)}, {now.year}"
    utc = f"{now.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    return f"Current time: {day} - {clock} ({now.tzinfo})\nReference UTC: {utc}"


def _ordinal(day: int) -> str:
    if day in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
