"""Origin of an action: person or program, way in, address.

Interfaces enter an origin for a request, call or command; whatever is recorded within
carries it. Contexts of threads do not mix.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import StrEnum


class Door(StrEnum):
    """Ways into the hub."""

    PAGE = "page"
    REST = "rest"
    A2A = "a2a"
    MCP = "mcp"
    HOOK = "hook"
    COMMAND = "command"
    #: The hub's own work: jobs, schedules.
    HUB = "hub"


@dataclass(slots=True)
class Origin:
    """Origin of an action, with the number of entries recorded within it.

    `reads`: a call that only reads was answered, so that there is nothing to record.
    """

    door: Door = Door.HUB
    actor: str = ""
    token: str = ""
    command: str = ""
    address: str = ""
    entries: int = 0
    reads: bool = False


_CURRENT: ContextVar[Origin | None] = ContextVar("audit_origin", default=None)


def current_origin() -> Origin:
    """Return the origin of the current action; by default the hub itself."""
    return _CURRENT.get() or Origin()


@contextmanager
def entered(origin: Origin) -> Iterator[Origin]:
    """Have the enclosed work carry an origin."""
    token = _CURRENT.set(origin)
    try:
        yield origin
    finally:
        _CURRENT.reset(token)


@contextmanager
def tallied() -> Iterator[Origin]:
    """Count the entries of the enclosed work apart, and for the whole."""
    whole = current_origin()
    part = replace(whole, entries=0, reads=False)
    try:
        with entered(part):
            yield part
    finally:
        whole.entries += part.entries
        whole.reads = whole.reads or part.reads


def identify(actor: str, token: str = "") -> None:
    """Set who acts, once a credential was checked."""
    origin = current_origin()
    origin.actor, origin.token = actor, token
