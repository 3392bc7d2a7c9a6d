"""Scopes of tokens, and the scope that a change of a file needs. Pure.

The single rule for documents, tools, undo and exports: a file is memory, a handoff's
log or an agent's inbox, or an instruction that programs obey.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import PurePosixPath

from memoryhub.dialects.registry import hands_over
from memoryhub.dialects.roles import is_obeyed
from memoryhub.formats.openclaw.memory_files import MEMORY_FOLDERS


class Scope(StrEnum):
    """A permission of a token.

    ``write`` is the old name of `MEMORY`, from before instructions had their own scope.
    """

    READ = "read"
    MEMORY = "memory"
    INSTRUCTIONS = "instructions"
    HANDOFF = "handoff"
    ADMIN = "admin"
    WRITE = MEMORY

    @classmethod
    def _missing_(cls, value: object) -> Scope | None:
        return cls.MEMORY if value == "write" else None


ALL_SCOPES = frozenset(Scope)

#: Memory files of the root, as in OpenClaw and context-memory-optimizer.
_ROOT_FILES = frozenset({"memory.md", "user.md", "dreams.md", "errors.md"})
#: Folders of hosts that hold more than memory, or that only the host writes.
_OF_HOSTS = frozenset({".claude", ".beads"})
_DOT_MEMORY = frozenset(name for name in MEMORY_FOLDERS if name[0] == ".") - _OF_HOSTS
_FOLDERS = MEMORY_FOLDERS - _OF_HOSTS


def scope_to_write(path: str, memory_folder: str = "memory", root: str = "") -> Scope:
    """Return the scope needed to change the file at a path.

    `memory_folder` is the one from the settings; `root` is the workspace's folder,
    which can itself be a folder of memory.
    """
    place = PurePosixPath(path)
    if hands_over(place):
        return Scope.HANDOFF
    if is_obeyed(place) or not _is_in_memory(place, memory_folder, root):
        return Scope.INSTRUCTIONS
    return Scope.MEMORY


def _is_in_memory(place: PurePosixPath, memory_folder: str, root: str) -> bool:
    folders = place.parts[:-1]
    own = PurePosixPath(memory_folder).parts
    if own and folders[: len(own)] == own:
        return not any(map(_is_hidden, folders[len(own) :]))
    if any(map(_is_hidden, folders)):
        return False
    if not folders and place.name.casefold() in _ROOT_FILES:
        return True
    return not _FOLDERS.isdisjoint((*folders, PurePosixPath(root).name))


def _is_hidden(folder: str) -> bool:
    return folder.startswith(".") and folder not in _DOT_MEMORY
