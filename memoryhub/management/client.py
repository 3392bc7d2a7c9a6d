"""Client of commands: asks the running server to run one, and prints its output.

Standard library only and few imports, as for hooks: people and agents wait for it.
"""

from __future__ import annotations

import _socket
import io
import os
import sys

from memoryhub import __version__
from memoryhub.hooks.client import data_folder, socket_address

#: First bytes of every frame, with the version of the frame's format.
MAGIC = b"memoryhub-command-1"
#: Commands that a server can run for another process.
SERVED = frozenset(
    {
        "status",
        "recall",
        "save",
        "search",
        "get",
        "open-items",
        "handoff",
        "compact",
        "translate",
        "tool",
        "checkpoint",
    }
)
#: Variables whose values decide what a command prints, besides the hub's settings.
_ALIKE = {
    "TZ": "",
    "DJANGO_COLORS": "",
    "DJANGO_SETTINGS_MODULE": "memoryhub.settings",
}
#: Variable that names the caller's session, and is the caller's own.
_SESSION = "CLAUDE_CODE_SESSION_ID"
#: Seconds until the server has begun; then the command runs in its own process.
PATIENCE = 1.0
#: Parts of a frame before variables, arguments and standard input.
PARTS = 9
#: First byte of an answer: the command has begun; it only reads, or it may write.
READS, WRITES = b"r", b"w"
#: How an answer ends instead of with an exit code: nothing was done, as the command
#: needs standard input, or has to run in its own process.
ASKS, DECLINED = b"input", b"declined"
#: Bytes before each part of an output: its stream and its length.
_HEAD_BYTES = 9
_LOST = (
    "memoryhub: the server ended before it answered: the command may be done or not;"
    " memoryhub audit says what was\n"
)


def run_by_server(arguments: list[str]) -> int | None:
    """Have the server run a command; return its exit code, None if it does not.

    Without a server, or with one of another version or other settings, nothing is done.
    """
    if arguments[0] not in SERVED or None in (sys.stdin, sys.stdout, sys.stderr):
        return None
    if not hasattr(_socket, "AF_UNIX"):
        return None
    try:
        begun, parts = _exchange(_frame(arguments))
        if parts[-1:] == [(0, ASKS)]:
            piped = sys.stdin.buffer.read()
            # For the own process, should the server end meanwhile.
            sys.stdin = io.TextIOWrapper(io.BytesIO(piped), sys.stdin.encoding)
            begun, parts = _exchange(_frame(arguments, piped))
    except OSError:
        return None
    if begun == WRITES and not parts:
        sys.stderr.write(_LOST)
        return 1
    return None if not parts or parts[-1][1] == DECLINED else _printed(parts)


def variables() -> dict[str, str]:
    """Return the environment variables on which a command's outcome depends."""
    named = {n: v for n, v in os.environ.items() if n.startswith("MEMORYHUB_")}
    named.pop("MEMORYHUB_DATA", None)
    named |= {name: os.environ.get(name, usual) for name, usual in _ALIKE.items()}
    return named | {"encoding": sys.getfilesystemencoding()}


def _frame(arguments: list[str], piped: bytes | None = None) -> bytes:
    """Return a command as bytes; only standard input may contain a NUL."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    named = [f"{name}={value}" for name, value in variables().items()]
    head = [
        __version__,
        os.getcwd(),
        os.environ.get(_SESSION, ""),
        "".join("01"[stream.isatty()] for stream in streams),
        *(f"{stream.encoding} {stream.errors}" for stream in streams[1:]),
        "piped" if piped is not None else "",
        str(len(named)),
        str(len(arguments)),
    ]
    words = map(os.fsencode, (*head, *named, *arguments))
    return b"\0".join((MAGIC, *words, piped or b""))


def _exchange(frame: bytes) -> tuple[bytes, list[tuple[int, bytes]]]:
    """Send a frame; return whether the server has begun, and the parts of its answer.

    Raises:
        OSError: there is no server, or the frame is too large for it.
    """
    server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        server.settimeout(PATIENCE)
        server.connect(socket_address(data_folder()))
        server.sendall(frame)
        server.shutdown(_socket.SHUT_WR)
        begun = _begun(server)
        return begun, _parts(_rest(server)) if begun in (READS, WRITES) else []
    finally:
        server.close()


def _begun(server: _socket.socket) -> bytes:
    """Return the first byte of an answer; empty if the server does not begin."""
    try:
        return server.recv(1)
    except TimeoutError:
        # From here on the server cannot say that it begins, and so does not.
        server.shutdown(_socket.SHUT_RD)
        return server.recv(1)


def _rest(server: _socket.socket) -> bytes:
    """Return the rest of an answer, cut off where the server has died."""
    server.settimeout(None)
    parts = []
    try:
        while part := server.recv(1 << 20):
            parts.append(part)
    except ConnectionError:
        pass
    return b"".join(parts)


def _parts(told: bytes) -> list[tuple[int, bytes]]:
    """Return an answer's parts, the exit code last; none if the answer is cut off."""
    parts: list[tuple[int, bytes]] = []
    start = 0
    while start < len(told):
        begin = start + _HEAD_BYTES
        size = int.from_bytes(told[start + 1 : begin])
        parts.append((told[start], told[begin : begin + size]))
        start = begin + size
    return parts if start == len(told) and parts and parts[-1][0] == 0 else []


def part_of(stream: int, data: bytes) -> bytes:
    """Return a part of an answer; stream 0 has the exit code."""
    return bytes([stream]) + len(data).to_bytes(_HEAD_BYTES - 1) + data


def _printed(parts: list[tuple[int, bytes]]) -> int:
    for stream, data in parts[:-1]:
        out = sys.stdout if stream == 1 else sys.stderr
        out.buffer.write(data)
        out.flush()
    return int(parts[-1][1])
