"""Limits used by more than one part, with their source."""

from __future__ import annotations

#: context-memory-optimizer: tokens of ``MEMORY.md``, characters of its lines, tasks and
#: constraints. Its tokens are those of `memoryhub.values.tokens.seed`.
INDEX_TOKENS, INDEX_LINE, INDEX_TASK, INDEX_CONSTRAINT = 800, 150, 50, 30
#: context-memory-optimizer: tokens of a file restored after a compaction.
RESTORED_FILE_TOKENS = 1_000
#: context-memory-optimizer: session tokens that prepare L2, and that compact.
SESSION_PREPARE, SESSION_COMPACT = 120_000, 150_000
#: OpenClaw, at the start of a session: maximum bytes of a daily file to read it at all,
#: characters given of one, of all of them, and of ``MEMORY.md``.
STARTUP_FILE_BYTES, STARTUP_FILE, STARTUP_ALL = 16_384, 1_200, 2_800
STARTUP_INDEX = 20_000
#: Claude Code: bytes and lines of ``MEMORY.md`` given at the start of a session.
AUTO_BYTES, AUTO_LINES = 25_000, 200
#: Codex: tokens of ``memory_summary.md`` given at the start of a session.
CODEX_SUMMARY = 2_500
#: Hermes: characters of ``MEMORY.md`` and ``USER.md`` up to which it adds to them.
HERMES_MEMORY, HERMES_USER = 2_200, 1_375
#: The hub: tokens of a recall by default, and the minimum and maximum of a request.
RECALL_TOKENS, RECALL_LEAST, RECALL_MOST = 4_000, 200, 100_000

#: Lines of notes that are read in some five seconds of processor time; each change of a
#: longer file takes longer, which is a problem of the file.
MOST_LINES = 40_000
