"""The memory folders of a workspace."""

from __future__ import annotations

from pathlib import PurePosixPath

#: Folders of memory: all of their text files count, not only Markdown.
MEMORY_FOLDERS = frozenset(
    {
        "memory", "memories", ".memory", ".memories", "memory-bank", "memory_bank",
        ".dreams", "core-memory", ".claude",
    }
)  # fmt: skip


def in_memory_folder(path: PurePosixPath) -> bool:
    """Return whether a path in the workspace lies in a memory folder."""
    return not MEMORY_FOLDERS.isdisjoint(path.parts[:-1])
