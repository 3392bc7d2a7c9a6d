"""Memory folders, and excerpts of files as by OpenClaw's `memory_get`.

Lengths are counted as JavaScript counts them, in UTF-16 units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath, PurePosixPath

from memoryhub.formats.base import FormatError
from memoryhub.formats.text.javascript import head, length

#: Folders of memory: all of their text files count, not only Markdown.
MEMORY_FOLDERS = frozenset(
    {
        "memory", "memories", ".memory", ".memories", "memory-bank", "memory_bank",
        ".dreams", "core-memory", ".claude", ".beads",
    }
)  # fmt: skip

#: Folders whose name tells what their files are, also where one is the workspace.
_TELLING = MEMORY_FOLDERS | {"memorybank", "agent-memory", "agent-memory-local"}

#: OpenClaw's defaults: how much is given at once.
DEFAULT_LINES, MAX_CHARS = 120, 12_000

_ROOTS = frozenset({"MEMORY.md", "USER.md"})
_MORE = "[More content available. Use from={line} to continue.]"
_LONG_LINE = (
    "[More content available. Requested excerpt exceeded the default maxChars budget."
    " If you need the full raw line, use read on the source file.]"
)


def in_memory_folder(path: PurePosixPath) -> bool:
    """Return whether a path in the workspace lies in a memory folder."""
    return not MEMORY_FOLDERS.isdisjoint(path.parts[:-1])


def placed(root: str, path: str) -> PurePosixPath:
    """Return a file's path for telling its kind: with the workspace's own folder.

    Only where that is a folder of memory, such as ``shop/memory-bank``.
    """
    folder = PurePath(root).name
    return PurePosixPath(folder, path) if folder in _TELLING else PurePosixPath(path)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A range of lines of a file from `first`; `next_line` continues it, 0 at the end.

    A single line that is too long is cut: then there is no `next_line` either.
    """

    text: str
    first: int
    lines: int
    next_line: int = 0
    truncated: bool = False

    @property
    def noticed(self) -> str:
        """The text, with a note on how to continue where it was truncated."""
        if not self.truncated or not self.text:
            return self.text
        more = _MORE.format(line=self.next_line) if self.next_line else _LONG_LINE
        return f"{self.text}\n\n{more}"


def resolved(asked: str, root: str) -> str:
    """Return a path relative to `root`; it may be absolute or have ``.`` and ``..``.

    Raises FormatError: ``path-required``, ``path-escapes`` for one that leads out.
    """
    path = asked.strip().replace("\\", "/").removeprefix(f"{root.rstrip('/')}/")
    if not path:
        raise FormatError("path-required")
    parts: list[str] = []
    for part in path.removesuffix("/").split("/"):
        if part == ".." and not parts:
            raise FormatError("path-escapes", path=asked)
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    if path.startswith("/"):
        raise FormatError("path-escapes", path=asked)
    return "/".join(parts) + "/" * path.endswith("/")


def memory_path(asked: str, folder: str) -> str:
    """Return the normalised path of a memory file.

    Allowed are MEMORY.md, USER.md, dreams.md in any case, and the Markdown files below
    `folder`, ``memory/`` and ``memories/``; leading dots and slashes are ignored, and
    ``..`` is resolved.

    Raises FormatError: ``path-required``, ``path-escapes`` for one that leads out,
    ``memory-path-not-allowed`` for other files.
    """
    path = resolved(asked.strip().lstrip("/\\"), "").lstrip(".")
    is_root = path in _ROOTS or path.lower() == "dreams.md"
    is_below = path.startswith((f"{folder}/", "memory/", "memories/"))
    if not is_root and not (is_below and path.endswith(".md") and "\0" not in path):
        raise FormatError("memory-path-not-allowed", path=asked)
    return path


def excerpt(text: str, first: int, count: int) -> Excerpt:
    """Return a number of lines from a line on, within the limit of one excerpt."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    wanted = lines[first - 1 : first - 1 + count]
    fitting = _fitting(wanted)
    excerpted = "\n".join(wanted[:fitting])
    if length(excerpted) > MAX_CHARS:
        return Excerpt(head(excerpted, MAX_CHARS), first, fitting, truncated=True)
    after = first + fitting
    if after > len(lines):
        return Excerpt(excerpted, first, fitting)
    return Excerpt(excerpted, first, fitting, after, truncated=True)


def _fitting(lines: Sequence[str]) -> int:
    """Return how many lines fit; the first one always does, or is cut."""
    room = MAX_CHARS + 1
    for number, line in enumerate(lines):
        room -= length(line) + 1
        if room < 0:
            return max(number, 1)
    return len(lines)
