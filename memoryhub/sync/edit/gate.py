"""Access rules of a workspace's files, shared by every door.

The caller's scopes are set where a request comes in and hold for its thread. Outside of
a request the caller is a person at a page, or the hub itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.utils.module_loading import import_string

from memoryhub.disk.files import folder_of
from memoryhub.formats.base import FormatError
from memoryhub.formats.secrets import MASK
from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import Scope, scope_to_write
from memoryhub.sync.scan.ignored import is_left_out
from memoryhub.sync.uploads import data_within

#: Imported on demand: its tables take a while.
_MASKED = "memoryhub.formats.secrets.detection.masked"
#: File for private sessions only: OpenClaw's rule.
PRIVATE = "memory.md"
#: Scopes of the caller; None is a person at a page, or the hub itself.
_scopes: ContextVar[frozenset[Scope] | None] = ContextVar("scopes", default=None)


def is_private(path: str) -> bool:
    """Return whether a file is reserved for the main, private session."""
    return path.casefold() == PRIVATE


def may_read(workspace: Workspace, path: str, *, private: bool = True) -> bool:
    """Return whether the caller may read a file.

    Ignored files and the hub's own data are never readable. `private` is true for a
    private session and for a person.
    """
    return readable(workspace, private=private)(path)


def readable(workspace: Workspace, *, private: bool) -> Callable[[str], bool]:
    """Return `may_read` for many paths."""
    data = data_within(folder_of(workspace.root))
    ignored = tuple(workspace.ignore_patterns)

    def may(path: str) -> bool:
        if is_private(path) and not private:
            return False
        if any(path == own or path.startswith(f"{own}/") for own in data):
            return False
        return not is_left_out(path, ignored)

    return may


@contextmanager
def limited_to(scopes: frozenset[Scope] | None) -> Iterator[None]:
    """Limit the enclosed work to these scopes; None limits nothing."""
    token = _scopes.set(scopes)
    try:
        yield
    finally:
        _scopes.reset(token)


def check_write(workspace: Workspace, path: str, *, also: frozenset[Scope]) -> None:
    """Check that the caller may write the file at a path.

    `also` are sufficient scopes in addition to the one that the file needs.

    Raises:
        FormatError: ``scope-missing``, with the needed scope;
            ``path-not-allowed``, an ignored path or the hub's data.
    """
    if not may_read(workspace, path):
        raise FormatError("path-not-allowed", path=path)
    allowed = _scopes.get()
    needed = needed_scope(workspace, path)
    if allowed is not None and allowed.isdisjoint({needed, Scope.ADMIN} | also):
        raise FormatError("scope-missing", scope=needed.value)


def check_masks(path: str, before: str, after: str) -> None:
    """Check that a program does not write the mask it was given over a secret.

    Raises:
        FormatError: ``mask-for-secret``.
    """
    if _scopes.get() is None or MASK not in after:
        return
    lines = before.split("\n")
    old, new = Counter(lines), Counter(after.split("\n"))
    if not any(MASK in line for line in new - old):
        return
    shown = import_string(_MASKED)(before)[0].split("\n")
    lost = old - new
    if any(
        line in lost and line != mask for line, mask in zip(lines, shown, strict=True)
    ):
        raise FormatError("mask-for-secret", path=path, mask=MASK)


def is_reviewed(workspace: Workspace, path: str) -> bool:
    """Return whether a change of a file is staged until a person reviews it.

    True for a workspace that reviews before writing, and for a program's change of
    instructions.
    """
    if workspace.review_before_writing:
        return True
    by_program = _scopes.get() is not None
    return by_program and needed_scope(workspace, path) is Scope.INSTRUCTIONS


def needed_scope(workspace: Workspace, path: str) -> Scope:
    """Return the scope needed to change a workspace's file."""
    return scope_to_write(path, workspace.memory_folder, workspace.root)
