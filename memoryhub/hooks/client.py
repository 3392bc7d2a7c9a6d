"""The thin client of lifecycle hooks: a host's event to the hub, its answer back.

Standard library only, and of that as little as can be, because an agent waits for it:
the event goes to the running server as it came. A hook never breaks the agent: whatever
happens it ends with 0, with a line on standard error where something did not go well.
"""

from __future__ import annotations

import _socket
import fcntl
import os
import sys
import time
import zlib

#: What begins every frame; another version of the hub speaks another one.
MAGIC = b"memoryhub-hook-1"
SOCKET = "hub.sock"
SPOOL = "spool"
#: Events that a host only tells; it waits for the answer to all others.
TOLD = frozenset(
    {
        "before_compaction",
        "after_compaction",
        "before_reset",
        "PreCompact",
        "Stop",
        "SessionEnd",
    }
)
ASKED = frozenset({"before_prompt_build", "SessionStart", "UserPromptSubmit"})
EVENTS = TOLD | ASKED
#: Hosts cut what is longer long before this.
MOST_BYTES = 4_000_000
#: How long the server may take before the agent goes on without it, in seconds.
PATIENCE = 0.6
#: Longest path that the address of a Unix socket holds on every system.
_ADDRESS_BYTES = 100
_OPTIONS = ("--workspace", "--agent", "--data")


#: One event on its way, by these parts; `body` is what the host said.
PARTS = ("event", "key", "at_ns", "folder", "workspace", "agent", "body")
Frame = dict[str, bytes]


class NotAsked(Exception):
    """The command line is wrong; the text says how."""


def encoded(frame: Frame) -> bytes:
    """Return a frame as bytes; no part but the body can hold a NUL."""
    return b"\0".join((MAGIC, *(frame[part] for part in PARTS)))


def frame_from(data: bytes) -> Frame:
    """Return a frame that was encoded; raise `ValueError` on anything else."""
    magic, *parts = data.split(b"\0", len(PARTS))
    if magic != MAGIC or len(parts) != len(PARTS):
        raise ValueError("not a frame of this version")
    return dict(zip(PARTS, parts, strict=True))


def main(arguments: list[str]) -> int:
    """Tell the hub of an event, print its answer, and return 0 whatever happens."""
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
    """Return the server's answer; without a server, what the files say.

    What cannot be told now is kept in the spool, for the server to come.
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
    """Return the hub's folder, as its settings find it."""
    named = os.environ.get("MEMORYHUB_DATA", "").strip()
    if named:
        return os.path.abspath(os.path.expanduser(named))
    home = os.path.expanduser("~")
    if os.name == "nt":
        return os.path.join(os.environ.get("LOCALAPPDATA", home), "memoryhub")
    shared = os.path.join(home, ".local", "share")
    return os.path.join(os.environ.get("XDG_DATA_HOME", shared), "memoryhub")


def socket_address(data: str) -> str:
    """Return where the server listens; a long folder is named by a descriptor of it."""
    address = os.path.join(data, SOCKET)
    if len(os.fsencode(address)) <= _ADDRESS_BYTES:
        return address
    folder = os.open(data, os.O_RDONLY)
    return f"/proc/self/fd/{folder}/{SOCKET}"


def keep(frame: Frame, data: str) -> None:
    """Put a frame into the spool, whole or not at all; names sort by time.

    Several processes may put the same event there: each has a draft of its own, locked
    until it has its name, so that a draft without a lock is one that nobody writes.

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
    """Return a name that no other draft has; it tells whether the draft is complete."""
    return f".{name}.{checksum(whole)}.{os.urandom(4).hex()}"


def checksum(data: bytes) -> str:
    """Return what tells a complete draft from one that broke off."""
    return f"{zlib.crc32(data):08x}"


def sync_folder(folder: str) -> None:
    """Wait until names in a folder have reached the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _spool_of(data: str) -> str:
    """Return the folder of the spool, made for its owner alone where it is missing."""
    folder = os.path.join(data, SPOOL)
    if not os.path.isdir(folder):
        os.makedirs(data, mode=0o700, exist_ok=True)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        sync_folder(data)
    return folder


def _write(descriptor: int, data: bytes) -> None:
    """Write bytes to an open file and wait until they have reached the disk."""
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
    words = [part for word in rest for part in _name_and_value(word)]
    names, values = words[::2], words[1::2]
    if len(names) != len(values) or set(names) - set(_OPTIONS):
        raise NotAsked(
            f"usage: memoryhub hook {event} [--workspace S] [--agent NAME] [--data DIR]"
        )
    return event, dict(zip(names, values, strict=True))


def _name_and_value(word: str) -> list[str]:
    return word.split("=", 1) if word.startswith("--") else [word]


def _read() -> bytes:
    parts, size = [], 0
    while part := os.read(0, 1 << 16):
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            raise NotAsked(f"the event is larger than {MOST_BYTES} bytes")
    return b"".join(parts)


def _exchange(frame: Frame, data: str) -> tuple[bool, bytes]:
    """Return whether the server did what it was told, and its answer or complaint.

    Raises:
        OSError: it is not there, or does not answer in time.
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
    said = b"".join(parts)
    if said[:1] not in (b"+", b"-"):
        raise ConnectionError("the server ended without an answer")
    return said[:1] == b"+", said[1:]


def _without_server(frame: Frame, data: str) -> bytes:
    event = frame["event"].decode()
    if event in ASKED:
        from memoryhub.hooks.files import answer_from_files

        return answer_from_files(frame, data)
    try:
        keep(frame, data)
    except OSError as error:
        _complain(f"{event} could not be kept, and the hub does not answer: {error}")
        return b""
    _complain(f"the hub is not running; {event} is kept and told when it is")
    return b""


def _complain(text: str) -> None:
    """Print one line on standard error; what it names can be from files."""
    words = " ".join(text.split())
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in words)
    os.write(2, f"memoryhub: {line}\n".encode("utf-8", "replace"))


if __name__ == "__main__":
    # Run by its path, so that the interpreter can start without site-packages.
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(__file__))))
    sys.exit(main(sys.argv[1:]))
