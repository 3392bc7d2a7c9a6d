"""Hosts that read memory files, and how much of a file each gives its agent.

Sources: context-memory-optimizer v3.1 (800 tokens); Claude Code's manual (the first
200 lines or 25 KB of ``MEMORY.md``, whichever comes first); Codex (2,500 tokens of
``memory_summary.md``); OpenClaw (20,000 characters of each bootstrap file: beyond that
the first 70 % and the last 20 %); Hermes' manual (2,200 characters of ``MEMORY.md``,
1,375 of ``USER.md``: it refuses to add more, and reads all that is there).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection
from itertools import accumulate
from typing import NamedTuple

from memoryhub.dialects.memory_index import (
    AUTO_MEMORY,
    POINTERS_10,
    POINTERS_31,
)
from memoryhub.formats.text.source import split_lines
from memoryhub.values.limits import (
    AUTO_BYTES,
    AUTO_LINES,
    CODEX_SUMMARY,
    HERMES_MEMORY,
    HERMES_USER,
    INDEX_TOKENS,
    STARTUP_INDEX,
)
from memoryhub.values.tokens import seed

_KB = 1_000


class HostLimit(NamedTuple):
    """The most that a host reads of a file, in any of four units; 0 is no limit.

    Without a name the host is not known.

    Where `head` is given, a longer file is cut to its first `head` and last `tail`
    characters; else it ends at the limit. One that does not cut reads what is longer.
    """

    host: str
    tokens: int = 0
    characters: int = 0
    bytes: int = 0
    lines: int = 0
    head: int = 0
    tail: int = 0
    cuts: bool = True

    @property
    def in_tokens(self) -> int:
        """The limit in tokens of four characters."""
        return self.tokens or seed(self.characters or self.bytes)

    @property
    def kilobytes(self) -> int:
        return self.bytes // _KB

    def is_exceeded(self, characters: int, size: int, lines: int) -> bool:
        """Return whether a text of so many characters, bytes and lines is too long."""
        return (
            bool(self.tokens and seed(characters) > self.tokens)
            or bool(self.characters and characters > self.characters)
            or bool(self.bytes and size > self.bytes)
            or bool(self.lines and lines > self.lines)
        )


OPTIMIZER = HostLimit("context-memory-optimizer", tokens=INDEX_TOKENS)
CLAUDE = HostLimit("Claude Code", bytes=AUTO_BYTES, lines=AUTO_LINES)
#: For want of a sign of any host: a measure to compare with, at which nothing is cut.
UNKNOWN = HostLimit("", bytes=AUTO_BYTES, lines=AUTO_LINES, cuts=False)
CODEX = HostLimit("Codex", tokens=CODEX_SUMMARY)
OPENCLAW = HostLimit(
    "OpenClaw",
    characters=STARTUP_INDEX,
    head=STARTUP_INDEX * 7 // 10,
    tail=STARTUP_INDEX * 2 // 10,
)

HERMES = HostLimit("Hermes", characters=HERMES_MEMORY, cuts=False)
HERMES_PERSON = HostLimit("Hermes", characters=HERMES_USER, cuts=False)

#: Files whose presence tells that a host works in a folder.
OPENCLAW_FILES = frozenset({"SOUL.md", "IDENTITY.md", "HEARTBEAT.md", "TOOLS.md"})
OPTIMIZER_FILES = frozenset({"memories/context.md", "memories/errors.md"})
SIGNS = OPENCLAW_FILES | OPTIMIZER_FILES
#: What OpenClaw gives its agent at the start of a session.
_BOOTSTRAP = OPENCLAW_FILES | {"AGENTS.md", "USER.md"}
_INDEXES = frozenset({"MEMORY.md", "memory.md"})
#: What Codex gives its agent in place of ``MEMORY.md``.
SUMMARY = "memory_summary.md"
_OF_HERMES = {"MEMORY.md": HERMES, "USER.md": HERMES_PERSON}
READ_BY_HOSTS = _BOOTSTRAP | _INDEXES | {SUMMARY}
#: Files with a limit in tokens, which are counted as their host counts them.
LIMITED_IN_TOKENS = _INDEXES | {SUMMARY}


def limit_of(
    root: str, path: str, edition: str, present: Collection[str]
) -> HostLimit | None:
    """Return the limit of the host that reads a file; None if no host cuts it.

    `edition` is that of the file as a memory index; `present` are paths of the
    workspace with this root, of which those in `SIGNS` count. A ``MEMORY.md`` without
    any sign has no known host (`UNKNOWN`).
    """
    name = path.rpartition("/")[2]
    if name == SUMMARY:
        return CODEX
    folders = f"{root}/{path}".split("/")[:-1]
    if ".hermes" in folders and name in _OF_HERMES:
        return _OF_HERMES[name]
    is_openclaw = bool(OPENCLAW_FILES.intersection(present))
    if name not in _INDEXES:
        return OPENCLAW if is_openclaw and path in _BOOTSTRAP else None
    if edition in (POINTERS_10, POINTERS_31):
        return OPTIMIZER
    return _limit_of_index(edition, folders, present)


def _limit_of_index(
    edition: str, folders: Collection[str], present: Collection[str]
) -> HostLimit:
    """Return the limit of a ``MEMORY.md`` without the optimizer's pointers."""
    if edition == AUTO_MEMORY or ".claude" in folders:
        return CLAUDE
    if OPENCLAW_FILES.intersection(present):
        return OPENCLAW
    return OPTIMIZER if OPTIMIZER_FILES.intersection(present) else UNKNOWN


class Cut(NamedTuple):
    """Lines that a host leaves out: from `first` to before `back`, 0 for the end."""

    host: HostLimit
    first: int
    back: int = 0

    def has(self, line: int) -> bool:
        """Return whether a line is left out."""
        return self.first <= line and not (self.back and line >= self.back)


def cut_of(text: str, host: HostLimit) -> Cut | None:
    """Return the lines of a text that its host leaves out; None if it reads all.

    A line that is given in part counts as left out.
    """
    lines = split_lines(text)
    ends = list(accumulate(map(len, lines)))
    sizes = list(accumulate(len(line.encode("utf-8", "replace")) for line in lines))
    if not (lines and host.cuts) or not host.is_exceeded(
        ends[-1], sizes[-1], len(lines)
    ):
        return None
    if host.head:
        back = bisect_left(ends, ends[-1] - host.tail) + 2
        return Cut(host, bisect_right(ends, host.head) + 1, min(back, len(lines) + 1))
    numbered = enumerate(zip(ends, sizes, strict=True), 1)
    return Cut(host, next(n for n, end in numbered if host.is_exceeded(*end, n)))
