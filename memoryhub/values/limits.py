"""Limits that more than one part applies or names, each with the seed that sets it."""

from __future__ import annotations

#: context-memory-optimizer: tokens of ``MEMORY.md``, characters of a line, of a task
#: and of a constraint in it. Its tokens are those of `memoryhub.values.tokens.seed`.
INDEX_TOKENS, INDEX_LINE, INDEX_TASK, INDEX_CONSTRAINT = 800, 150, 50, 30
#: context-memory-optimizer: tokens of a file that is given back after a compaction.
RESTORED_FILE_TOKENS = 1_000
#: context-memory-optimizer: session tokens above which L2 is prepared, and compacts.
SESSION_PREPARE, SESSION_COMPACT = 120_000, 150_000
#: OpenClaw, at the start of a session: bytes of a daily file that is read at all,
#: characters that are given of one, of all of them, and of ``MEMORY.md``.
STARTUP_FILE_BYTES, STARTUP_FILE, STARTUP_ALL = 16_384, 1_200, 2_800
STARTUP_INDEX = 20_000
#: The hub: tokens of a recall, and the least and most that one can ask for.
RECALL_TOKENS, RECALL_LEAST, RECALL_MOST = 4_000, 200, 100_000
