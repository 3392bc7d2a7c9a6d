"""Client of lifecycle hooks: sends a host's event to the hub, prints the answer.

Standard library only and few imports, because an agent waits for it: the event is
forwarded unparsed to the running server. A hook never breaks the agent: it always exits
with 0; failures are a line on standard error.
"""

from __future__ import annotations

import _socket
import fcntl
import os
import sys
import time
import zlib

#: First bytes of every frame, with the version of the frame's format.
MAGIC = b"memoryhub-hook-1"
SOCKET = "hub.sock"
SPOOL = "spool"
#: Events that need no answer; the host waits for the answer to all others.
NOTIFYING = frozenset(
    {
        "before_compaction",
        "after_compaction",
        "before_reset",
        "PreCompact",
        "Stop",
        "SessionEnd",
    }
)
ANSWERED = frozenset(
    {
        "before_prompt_build",
        "before_tool_call",
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
    }
)
#: Before an edit: answered from the hub's tables alone, without a server not at all.
BEFORE_EDIT = frozenset({"before_tool_call", "PreToolUse"})
EVENTS = NOTIFYING | ANSWERED
#: Largest event in bytes; hosts truncate far below this.
MOST_BYTES = 4_000_000
#: Timeout of the server's answer in seconds; then the agent goes on without it.
PATIENCE = 0.6
#: Longest address of a Unix socket in bytes on every system.
_ADDRESS_BYTES = 100
_OPTIONS = ("--workspace", "--agent", "--data")


#: Parts of a frame, in order; `body` is the host's event, unparsed.
PARTS = ("event", "key", "at_ns", "folder", "workspace", "agent", "body")
Frame = dict[str, bytes]


class NotAsked(Exception):
    """Wrong command line; the text is the usage message."""


def encoded(frame: Frame) -> bytes:
    """Return a frame as bytes; only the body may contain a NUL."""
    return b"\0".join((MAGIC, *(frame[part] for part in PARTS)))


def frame_from(data: bytes) -> Frame:
    """Decode a frame of this protocol version, else raise `ValueError`."""
    magic, *parts = data.split(b"\0", len(PARTS))
    if magic != MAGIC or len(parts) != len(PARTS):
        raise ValueError("not a frame of this version")
    return dict(zip(PARTS, parts, strict=True))


def main(arguments: list[str]) -> int:
    """Send an event to the hub, print its answer, and always return 0."""
    try:
        event, options = _parsed(arguments)
        frame = _frame(event, options)
        answer = delivered(frame, options.get("--data") or data_folder())
    except Exception as error:  # a hook must never break its agent
        _complain(str(error) or type(error).__name__)
        return 0
    if answer:
        os.write(1, answer)
    return 0


def delivered(frame: Frame, data: str) -> bytes:
    """Return the server's answer; without a server, an answer from files.

    Events that need no answer are spooled until a server runs.
    """
    try:
        ok, answer = _exchange(frame, data)
    except OSError:
        return _without_server(frame, data)
    if not ok:
        _complain(answer.decode("utf-8", "replace"))
        return b""
    return answer


def data_folder() -> str:
    """Return the hub's data folder, by the same rules as the settings."""
    named = os.environ.get("MEMORYHUB_DATA", "").strip()
    if named:
        return os.path.abspath(os.path.expanduser(named))
    home = os.path.expanduser("~")
    if os.name == "nt":
        return os.path.join(os.environ.get("LOCALAPPDATA", home), "memoryhub")
    shared = os.path.join(home, ".local", "share")
    return os.path.join(os.environ.get("XDG_DATA_HOME", shared), "memoryhub")


def socket_address(data: str) -> str:
    """Return the socket's address; a long folder is given by its descriptor."""
    address = os.path.join(data, SOCKET)
    if len(os.fsencode(address)) <= _ADDRESS_BYTES:
        return address
    folder = os.open(data, os.O_RDONLY)
    return f"/proc/self/fd/{folder}/{SOCKET}"


def spool_frame(frame: Frame, data: str) -> None:
    """Write a frame to the spool atomically; names sort by time.

    Several processes may spool the same event: each writes its own draft, locked until
    it is renamed, so that an unlocked draft is an abandoned one.

    Raises:
        OSError: the system refused; no draft is left behind.
    """
    folder = _spool_of(data)
    name = f"{int(frame['at_ns']):020d}-{frame['key'].decode()}"
    whole = encoded(frame)
    draft = os.path.join(folder, draft_name(name, whole))
    descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        _write(descriptor, whole)
        os.rename(draft, os.path.join(folder, name))
    except BaseException:
        _remove(draft)
        raise
    finally:
        os.close(descriptor)
    sync_folder(folder)


def draft_name(name: str, whole: bytes) -> str:
    """Return a unique name for a draft, with the checksum of its content."""
    return f".{name}.{checksum(whole)}.{os.urandom(4).hex()}"


def checksum(data: bytes) -> str:
    """Return the checksum by which a complete draft is recognised."""
    return f"{zlib.crc32(data):08x}"


def sync_folder(folder: str) -> None:
    """Wait until a folder's entries are on disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _spool_of(data: str) -> str:
    """Return the spool's folder; created with mode 0700 if missing."""
    folder = os.path.join(data, SPOOL)
    if not os.path.isdir(folder):
        os.makedirs(data, mode=0o700, exist_ok=True)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        sync_folder(data)
    return folder


def _write(descriptor: int, data: bytes) -> None:
    """Write bytes to an open file and wait until they are on disk."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
    os.fsync(descriptor)


def _remove(path: str) -> None:
    try:  # noqa: SIM105, to load contextlib takes longer than all else here
        os.unlink(path)
    except OSError:
        pass


def _frame(event: str, options: dict[str, str]) -> Frame:
    body = b"" if os.isatty(0) else _read()
    return {
        "event": event.encode(),
        "key": os.urandom(16).hex().encode(),
        "at_ns": str(time.time_ns()).encode(),
        "folder": os.fsencode(os.getcwd()),
        "workspace": os.fsencode(options.get("--workspace", "")),
        "agent": os.fsencode(options.get("--agent", "")),
        "body": body,
    }


def _parsed(arguments: list[str]) -> tuple[str, dict[str, str]]:
    event, *rest = arguments or [""]
    if event not in EVENTS:
        raise NotAsked(
            f"usage: memoryhub hook EVENT, one of {', '.join(sorted(EVENTS))}"
        )
    words = [
        part
        for word in rest
        for part in (word.split("=", 1) if word.startswith("--") else [word])
    ]
    names, values = words[::2], words[1::2]
    if len(names) != len(values) or set(names) - set(_OPTIONS):
        raise NotAsked(
            f"usage: memoryhub hook {event} [--workspace S] [--agent NAME] [--data DIR]"
        )
    return event, dict(zip(names, values, strict=True))


def _read() -> bytes:
    parts, size = [], 0
    while part := os.read(0, 1 << 16):
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            raise NotAsked(f"the event is larger than {MOST_BYTES} bytes")
    return b"".join(parts)


def _exchange(frame: Frame, data: str) -> tuple[bool, bytes]:
    """Send a frame; return whether the server succeeded, and its answer or error.

    Raises:
        OSError: no server, or no answer in time.
    """
    server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        server.settimeout(PATIENCE)
        server.connect(socket_address(data))
        server.sendall(encoded(frame))
        server.shutdown(_socket.SHUT_WR)
        parts = []
        while part := server.recv(1 << 16):
            parts.append(part)
    finally:
        server.close()
    received = b"".join(parts)
    if received[:1] not in (b"+", b"-"):
        raise ConnectionError("the server ended without an answer")
    return received[:1] == b"+", received[1:]


def _without_server(frame: Frame, data: str) -> bytes:
    event = frame["event"].decode()
    if event in BEFORE_EDIT:
        return b""
    if event in ANSWERED:
        import site

        # Hosts start this program without site-packages; the formats need them.
        site.main()
        from memoryhub.hooks.files import answer_from_files

        return answer_from_files(frame, data)
    try:
        spool_frame(frame, data)
    except OSError as error:
        _complain(f"{event} could not be kept, and the hub does not answer: {error}")
        return b""
    _complain(f"the hub is not running; {event} is kept and told when it is")
    return b""


def _complain(text: str) -> None:
    """Print a line on standard error, escaped: its text can come from files."""
    words = " ".join(text.split())
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in words)
    os.write(2, f"memoryhub: {line}\n".encode("utf-8", "replace"))


if __name__ == "__main__":
    # Run by its path, so that the interpreter can start without site-packages.
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(__file__))))
    sys.exit(main(sys.argv[1:]))
