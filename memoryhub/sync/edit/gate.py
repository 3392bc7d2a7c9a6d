"""What may be read and what may be changed of a workspace: asked by every door.

Who asks is known where a request comes in; it holds for all that is done for it, in
its thread. Outside of that a person at a page asks, or the hub itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from memoryhub.disk.files import folder_of
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import Scope, scope_to_write
from memoryhub.sync.data_folder import is_data
from memoryhub.sync.scan.walk import is_left_out

#: What is for private sessions alone: OpenClaw's rule.
PRIVATE = "memory.md"
#: What whoever asks may do; None is a person at a page, or the hub itself.
_scopes: ContextVar[frozenset[Scope] | None] = ContextVar("scopes", default=None)


def is_private(path: str) -> bool:
    """Tell whether a file is for the main, private session alone."""
    return path.casefold() == PRIVATE


def may_read(workspace: Workspace, path: str, *, private: bool = True) -> bool:
    """Tell whether a file may be given to who asks.

    Nobody is given what the workspace ignores, nor the hub's own data. `private`
    tells whether it is a private session, or a person.
    """
    if is_private(path) and not private:
        return False
    if is_data(folder_of(workspace.root), path):
        return False
    return not is_left_out(path, tuple(workspace.ignore_patterns))


@contextmanager
def limited_to(scopes: frozenset[Scope] | None) -> Iterator[None]:
    """Have what is done within limited to these scopes; None limits nothing."""
    token = _scopes.set(scopes)
    try:
        yield
    finally:
        _scopes.reset(token)


def check_write(workspace: Workspace, path: str, *, also: frozenset[Scope]) -> None:
    """Do nothing where who asks may change the file at a path.

    `also` are scopes that allow it besides the one that the file needs.

    Raises:
        FormatError: ``scope-missing``, with the scope that it needs;
            ``path-not-allowed``, the workspace ignores what is there.
    """
    if not may_read(workspace, path):
        raise FormatError("path-not-allowed", path=path)
    allowed = _scopes.get()
    needed = needed_scope(workspace, path)
    if allowed is not None and allowed.isdisjoint({needed, Scope.ADMIN} | also):
        raise FormatError("scope-missing", scope=needed.value)


def is_reviewed(workspace: Workspace, path: str) -> bool:
    """Tell whether a change of a file waits for a person, whoever else may write.

    So do changes of instructions that a program asks for.
    """
    if workspace.review_before_writing:
        return True
    by_program = _scopes.get() is not None
    return by_program and needed_scope(workspace, path) is Scope.INSTRUCTIONS


def needed_scope(workspace: Workspace, path: str) -> Scope:
    """Return the scope that a change of a workspace's file needs."""
    return scope_to_write(path, workspace.memory_folder, workspace.root)
