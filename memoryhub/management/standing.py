"""Where a command stands: its process, or that of a client of the server."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from memoryhub.people.access import host_session


class InputWanted(Exception):
    """A command reads standard input, which its client has not sent yet."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Folder, standard input and host session of a command.

    `piped`: what standard input holds; None if it was not sent.
    """

    folder: Path
    session: str
    has_keyboard: bool
    piped: bytes | None = None


_CLIENT: ContextVar[Standing | None] = ContextVar("command_standing", default=None)


@contextmanager
def standing_at(client: Standing) -> Iterator[None]:
    """Have the enclosed command stand where a client does."""
    token = _CLIENT.set(client)
    try:
        yield
    finally:
        _CLIENT.reset(token)


def current_folder() -> Path:
    """Return the folder in which the command was typed.

    Raises:
        OSError: it was deleted.
    """
    client = _CLIENT.get()
    return client.folder if client else Path.cwd()


def current_session() -> str:
    """Return the id of the session whose host started the command, if it says so."""
    client = _CLIENT.get()
    return client.session if client else host_session()


def is_typed() -> bool:
    """Return whether standard input is a keyboard."""
    client = _CLIENT.get()
    return client.has_keyboard if client else sys.stdin.isatty()


def standard_input() -> bytes:
    """Return all of standard input.

    Raises:
        InputWanted: the client has to send it.
    """
    client = _CLIENT.get()
    if client is None:
        return sys.stdin.buffer.read()
    if client.piped is None:
        raise InputWanted
    return client.piped
