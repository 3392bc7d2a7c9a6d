"""Server side of commands: runs one for a client and collects its output.

A command is declined, and runs in the client's own process, where that would differ:
another version, other settings, a wrong command line, a question for help.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import load_command_class
from django.core.management.base import CommandError
from django.db import connection

from memoryhub import __version__
from memoryhub.database.schema import is_current
from memoryhub.management.client import (
    ASKS,
    DECLINED,
    MAGIC,
    PARTS,
    READS,
    SERVED,
    WRITES,
    part_of,
)
from memoryhub.management.command import HubCommand
from memoryhub.management.standing import InputWanted, Standing, standing_at

#: Options of every command that act on the whole process.
_OF_A_PROCESS = ("settings", "pythonpath", "force_color", "no_color")
Begin = Callable[[bytes], object]


@dataclass(frozen=True, slots=True)
class Asked:
    """A command line of a client, and where it stands.

    `terminals`: which of the client's standard streams are terminals. `output`:
    encoding and error handler of standard output and of standard error.
    """

    arguments: list[str]
    variables: Mapping[str, str]
    standing: Standing
    terminals: tuple[bool, ...]
    output: tuple[list[str], ...]

    @property
    def is_alike(self) -> bool:
        """Return whether the client has the settings of this server.

        The server's count where the client names none.
        """
        ours, hub = settings.STARTED_WITH, "MEMORYHUB_"
        names = [*self.variables, *(n for n in ours if not n.startswith(hub))]
        return all(self.variables.get(name) == ours.get(name) for name in names)

    @property
    def asks_for_help(self) -> bool:
        """Return whether an argument may be one that prints the options."""
        return any(
            word.startswith(("-h", "--ver"))
            or (len(word) > 2 and "--help".startswith(word))
            for word in self.arguments
        )


class _Part(io.RawIOBase):
    """A client's standard stream: each write becomes a part of the answer."""

    def __init__(self, parts: list[bytes], stream: int, *, is_terminal: bool) -> None:
        super().__init__()
        self._parts, self._stream, self._is_terminal = parts, stream, is_terminal

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._is_terminal

    def write(self, data: Any) -> int:
        whole = bytes(data)
        self._parts.append(part_of(self._stream, whole))
        return len(whole)


def run_command(frame: bytes, begin: Begin) -> bytes:
    """Run a client's command and return its output.

    `begin` is called before it starts, and raises `OSError` if the client has gone.

    Raises:
        ValueError: it is no command of this version.
    """
    asked = _asked(frame)
    command = load_command_class("memoryhub", asked.arguments[0].replace("-", "_"))
    assert isinstance(command, HubCommand)
    begin(READS if command.reads else WRITES)
    try:
        with standing_at(asked.standing):
            return _output(command, asked)
    except InputWanted:
        return part_of(0, ASKS)
    finally:
        connection.close_if_unusable_or_obsolete()


def _asked(frame: bytes) -> Asked:
    """Return the command of a frame.

    Raises:
        ValueError: it is no command of this version.
    """
    magic, *head = frame.split(b"\0", PARTS + 1)
    if magic != MAGIC or head[:1] != [__version__.encode()]:
        raise ValueError("not a command of this version")
    _, folder, session, terminals, out, err, piped, *counts, rest = head
    named, many = map(int, counts)
    *words, standard_input = rest.split(b"\0", named + many)
    typed = [os.fsdecode(word) for word in words]
    is_terminal = tuple(flag == ord("1") for flag in terminals)
    if typed[named] not in SERVED:
        raise ValueError("not a command that a server runs")
    return Asked(
        typed[named:],
        dict(word.split("=", 1) for word in typed[:named]),
        Standing(
            Path(os.fsdecode(folder)),
            os.fsdecode(session)[:200],
            has_keyboard=is_terminal[0],
            piped=standard_input if piped else None,
        ),
        is_terminal,
        (out.decode().split(), err.decode().split()),
    )


def _output(command: HubCommand, asked: Asked) -> bytes:
    """Return a command's output as parts, the exit code last."""
    if settings.DEBUG or asked.asks_for_help or not (asked.is_alike and is_current()):
        return part_of(0, DECLINED)
    try:
        parser = command.create_parser("memoryhub", asked.arguments[0])
        options = vars(parser.parse_args(asked.arguments[1:]))
    except CommandError:
        return part_of(0, DECLINED)
    if any(options[name] for name in _OF_A_PROCESS):
        return part_of(0, DECLINED)
    parts: list[bytes] = []
    out, err = (_stream(parts, stream, asked) for stream in (1, 2))
    code = command.run_for_client(options, out, err)
    out.flush()
    err.flush()
    return b"".join([*parts, part_of(0, str(code).encode())])


def _stream(parts: list[bytes], stream: int, asked: Asked) -> io.TextIOWrapper:
    """Return a standard stream, buffered as that of a process is."""
    encoding, errors = asked.output[stream - 1]
    is_terminal = asked.terminals[stream]
    return io.TextIOWrapper(
        io.BufferedWriter(_Part(parts, stream, is_terminal=is_terminal)),
        encoding,
        errors,
        line_buffering=is_terminal or stream == 2,
    )
